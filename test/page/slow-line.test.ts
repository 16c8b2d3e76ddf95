import { describe, expect, it } from 'vitest';
import { drawn, HeldAnswers } from './calls.ts';
import { PROFILE, PROFILE_RECORD, usePage } from './page-under-test.ts';

const gate = usePage('rest', { settings: 'legacyAgent: { kind: simulated }\n' });

it('TASK-09 a press is ignored that meets another task because the list has moved', async () => {
  const page = await gate.openAgain('/tasks');
  await page.getByRole('button', { name: 'Take T-1005' }).waitFor();
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (document.querySelector('[aria-label="Take T-1011"]') !== null) return;
    observer.disconnect();
    document.querySelector('[aria-label="Take T-1005"]').click();
  }).observe(document.body, { subtree: true, childList: true })`);
  const step = (state: string) => `${gate.origin}/api/v1/warehouseTasks/T-1011/${state}`;
  expect((await page.request.post(step('inProcess'), { data: {} })).ok()).toBe(true);
  await page.getByRole('button', { name: 'Take T-1011' }).waitFor({ state: 'detached' });
  await drawn(page);
  expect(await gate.business('/warehouseTasks/T-1005')).toMatchObject({ taskState: 'Ready' });
  expect((await page.request.post(step('ready'), { data: {} })).ok()).toBe(true);
});

describe('a late answer', () => {
  it('PROF-05 to a saved profile keeps the text that was typed meanwhile', async () => {
    const page = await gate.openAgain(PROFILE, 'admin');
    await page.getByLabel('Note').fill('first');
    const answers = await HeldAnswers.of(page, `**/api/v1${PROFILE_RECORD}`);
    await page.getByRole('button', { name: 'Save' }).click();
    await answers.waitForFirst();
    await page.getByLabel('Note').press('End');
    await page.keyboard.type(' and more');
    await answers.letGo(page);
    expect(await page.getByLabel('Note').inputValue()).toBe('first and more');
  });

  it('PROF-05 to a saved profile: a second press of the button does not save it again', async () => {
    const page = await gate.openAgain(PROFILE, 'admin');
    const before = await page.locator('.answer p').textContent();
    await page.getByLabel('Note').fill(`once after ${before}`);
    const answers = await HeldAnswers.of(page, `**/api/v1${PROFILE_RECORD}`);
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await answers.waitForFirst();
    await drawn(page);
    expect(answers.count).toBe(1);
    await answers.letGo(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('to a search is not shown under a later search', async () => {
    const page = await gate.openAgain('/events', 'admin');
    await gate.expectHeadline('Who did what');
    const answers = await HeldAnswers.of(page, /\/api\/local\/audit\?/);
    const field = page.getByRole('searchbox');
    await field.pressSequentially('profile');
    await answers.waitForFirst();
    await field.fill('no such thing');
    await answers.letGo(page, 'q=no+such+thing');
    const shown = await page.locator('main').textContent();
    await answers.letGo(page, 'q=profile');
    expect(await page.locator('main').textContent()).toBe(shown);
  });

  it('to an earlier scan does not replace the result of a later one', async () => {
    const page = await gate.openAgain('/coils');
    const answers = await HeldAnswers.of(page, /\/api\/local\/scan/);
    await gate.scan('C-70009');
    await gate.scan('C-70006');
    await answers.letGo(page, 'C-70006');
    await gate.expectHeadline('C-70006 stands in WH-A1');
    await answers.letGo(page, 'C-70009');
    expect(await gate.headline()).toBe('C-70006 stands in WH-A1');
  });

  it('to an earlier scanned location does not replace the later location', async () => {
    const page = await gate.openAgain('/coil/C-70006');
    await gate.expectHeadline('C-70006 stands in WH-A1');
    const answers = await HeldAnswers.of(page, /\/api\/local\/scan/);
    await gate.scan('WH-A2');
    await gate.scan('RF-01');
    await answers.letGo(page, 'RF-01');
    await answers.letGo(page, 'WH-A2');
    expect(await page.locator('main .btn-main').textContent()).toContain('RF-01');
  });

  it('COIL-04 to an earlier scanned coil does not take it after a later scan', async () => {
    const page = await gate.openAgain('/tasks');
    await page.getByRole('button', { name: 'Take T-1011' }).click();
    await page.getByText('Scan the label of the coil').waitFor();
    const answers = await HeldAnswers.of(page, /\/coils\/C-70009$/);
    await gate.scan('C-70009');
    await answers.waitForFirst();
    await gate.scan('C-70006');
    await page.getByRole('dialog').getByText('Preferred coil damaged').waitFor();
    await answers.letGo(page);
    expect(await gate.business('/warehouseTasks/T-1011')).toMatchObject({ taskState: 'InProcess' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Take T-1011' }).waitFor();
  });

  it('to an act does not call the person back from another place', async () => {
    const page = await gate.openAgain('/tasks');
    const answers = await HeldAnswers.of(page, /warehouseTasks\/T-1011\/inProcess/);
    await page.getByRole('button', { name: 'Take T-1011' }).click();
    await answers.waitForFirst();
    await page.getByRole('link', { name: 'Coils' }).first().click();
    await page.getByRole('searchbox').pressSequentially('700');
    await answers.letGo(page);
    await drawn(page);
    expect(page.url()).toBe(`${gate.origin}/coils`);
    expect(await page.getByRole('searchbox').inputValue()).toBe('700');
  });

  it('about a removed record does not call the person back from another place', async () => {
    const page = await gate.openAgain('/coils');
    const answers = await HeldAnswers.of(page, '**/api/v1/coils/C-1');
    await gate.follow('/coil/C-1');
    await answers.waitForFirst();
    await page.getByRole('link', { name: 'Orders' }).first().click();
    await gate.expectHeadline('2 orders are open, 1 is on hold');
    await answers.letGo(page);
    expect(page.url()).toBe(`${gate.origin}/orders`);
    gate.forgive('404');
  });

  it('does not hide the text of a new key from a person who pressed Escape', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Add key' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('scales');
    const answers = await HeldAnswers.of(page, '**/api/local/plant/apiKeys');
    await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click();
    await answers.waitForFirst();
    for (const _ of [1, 2]) await page.keyboard.press('Escape');
    await drawn(page);
    expect(await page.getByRole('dialog').count()).toBe(1);
    await answers.letGo(page);
    await page.getByText(/pg_[0-9a-f]{48}/).waitFor();
  });

  it('COIL-04 to a move keeps the location that was chosen meanwhile', async () => {
    const page = await gate.openAgain('/coil/C-70006');
    await page.getByRole('button', { name: /^RF-01/ }).click();
    const answers = await HeldAnswers.of(page, '**/coils/C-70006/location');
    await page.getByRole('button', { name: 'Move to RF-01' }).click();
    await answers.waitForFirst();
    await page.getByRole('button', { name: /^WH-A2/ }).click();
    await answers.letGo(page);
    await gate.expectHeadline('C-70006 stands in RF-01');
    await page.getByRole('button', { name: 'Move to WH-A2' }).waitFor();
  });

  it('COIL-04 to the load after a move does not hide a later move', async () => {
    const page = await gate.openAgain('/coil/C-70006');
    await page.getByRole('button', { name: /^WH-A1/ }).click();
    const answers = await HeldAnswers.of(page, /\/coils\/C-70006$/);
    await page.getByRole('button', { name: 'Move to WH-A1' }).click();
    await answers.waitForFirst();
    const move = { data: { location: 'WH-A2' } };
    expect((await page.request.post(`${gate.origin}/api/v1/coils/C-70006/location`, move)).ok()).toBe(true);
    await gate.expectHeadline('C-70006 stands in WH-A2');
    await answers.letGo(page);
    expect(await gate.headline()).toBe('C-70006 stands in WH-A2');
  });

  it('COIL-04 to an earlier load does not undo a change that was shown', async () => {
    const page = await gate.openAgain('/coils');
    const answers = await HeldAnswers.of(page, '**/api/v1/coils/C-70009');
    await gate.follow('/coil/C-70009');
    await answers.waitForFirst();
    const move = { data: { location: 'WH-A2' } };
    expect((await page.request.post(`${gate.origin}/api/v1/coils/C-70009/location`, move)).ok()).toBe(true);
    await gate.expectHeadline('C-70009 stands in WH-A2');
    await answers.letGo(page);
    expect(await gate.headline()).toBe('C-70009 stands in WH-A2');
  });

  it('COIL-02 to a search does not hide that a found coil moved meanwhile', async () => {
    const page = await gate.openAgain('/coils');
    const found = page.locator('.found').locator('a', { hasText: 'C-70009' });
    await found.waitFor();
    const answers = await HeldAnswers.of(page, /coils\/search/);
    await page.getByRole('searchbox').fill('C-70009');
    await answers.waitForFirst();
    const before = await found.getByText('WH-A1', { exact: true }).count();
    const location = before === 1 ? 'WH-A2' : 'WH-A1';
    const move = { data: { location } };
    expect((await page.request.post(`${gate.origin}/api/v1/coils/C-70009/location`, move)).ok()).toBe(true);
    await found.getByText(location, { exact: true }).waitFor();
    await answers.letGo(page);
    await page.locator('.found', { hasText: 'C-70006' }).waitFor({ state: 'detached' });
    expect(await found.getByText(location, { exact: true }).count()).toBe(1);
  });

  it('to an earlier load does not bring back a stop that has its reason', async () => {
    for (const running of [true, false]) await gate.say('RF-01', { partId: 'P-100', running });
    const page = await gate.openAgain('/stops');
    await gate.expectHeadline('1 stop waits for a reason');
    const answers = await HeldAnswers.of(page, /downtimes.uncategorized/);
    await gate.follow('/more');
    await gate.follow('/stops');
    await answers.waitForFirst();
    await page.locator('.reason', { hasText: 'Drive fault' }).click();
    await gate.expectHeadline('Every stop has its reason');
    await answers.letGo(page);
    expect(await gate.headline()).toBe('Every stop has its reason');
  });

  it('DEV-11 to a reason does not hide that it was taken back', async () => {
    for (const running of [true, false]) await gate.say('RF-01', { partId: 'P-100', running });
    const page = await gate.openAgain('/stops');
    await gate.expectHeadline('1 stop waits for a reason');
    const answers = await HeldAnswers.of(page, '**/downtimes/category');
    await page.locator('.reason', { hasText: 'Drive fault' }).click();
    await answers.waitForFirst();
    await gate.expectHeadline('Every stop has its reason');
    const { body } = await gate.program.api('GET', '/machines/RF-01/downtimes');
    const downtimeIds = [body[0].downtimeId];
    await gate.program.api('POST', '/downtimes/category', { downtimeIds, reasonId: null });
    await gate.expectHeadline('1 stop waits for a reason');
    await answers.letGo(page);
    expect(await gate.headline()).toBe('1 stop waits for a reason');
    await gate.program.api('POST', '/downtimes/category', { downtimeIds, reasonId: 'DT-03' });
  });

  it('DEV-08 to a selected part does not hide what the machine reported meanwhile', async () => {
    await gate.say('RF-04', { partId: 'P-100', running: true });
    const page = await gate.openAgain('/machine/RF-04/part');
    const answers = await HeldAnswers.of(page, '**/machines/RF-04/part');
    await page.locator('.reasons').last().getByRole('button', { name: 'Ridge cap' }).click();
    await page.getByRole('button', { name: 'Select for Trim line 1' }).click();
    await answers.waitForFirst();
    await gate.say('RF-04', { partId: 'P-100', running: true, fault: true });
    await drawn(page);
    await answers.letGo(page);
    await page.getByText('Fault reported').first().waitFor();
    await drawn(page);
    expect(await page.getByText('No fault').count()).toBe(0);
    await gate.say('RF-04', { partId: 'P-100', running: true, fault: false });
  });

  it.each([
    ['machines', '/machine/RF-04', /local\/machines$/, '/plant/machines/RF-04', 'name'],
    ['parts', '/machine/RF-04/part', /plant\/parts$/, '/plant/parts/P-210', 'partName'],
  ])('to an earlier load of %s does not replace the answer to a later one', async (_, place, calls, record, name) => {
    const { body: original } = await gate.program.api('GET', record);
    const rename = async (text: string) => {
      const { status } = await gate.program.api('PUT', record, { ...original, [name]: text });
      expect(status).toBe(200);
    };
    const page = await gate.openAgain(place);
    await page.getByText(original[name]).first().waitFor();
    const answers = await HeldAnswers.of(page, calls);
    for (const [count, text] of ['Name before', 'Name after'].entries()) {
      await rename(text);
      await expect.poll(() => answers.count).toBe(count + 1);
    }
    await answers.letLastGo(page);
    await page.getByText('Name after').first().waitFor();
    await answers.letGo(page);
    expect(await page.getByText('Name before').count()).toBe(0);
    await rename(original[name]);
  });

  it('to an earlier load does not bring back the earlier step of a task', async () => {
    const page = await gate.openAgain('/more');
    const answers = await HeldAnswers.of(page, /warehouseTasks\?/);
    await gate.follow('/tasks');
    await answers.waitForFirst();
    await page.getByRole('button', { name: 'Take T-1005' }).click();
    await gate.expectHeadline('T-1005 to RF-01');
    await answers.letGo(page);
    await page.getByText('Scan the label of the coil').waitFor();
  });

  it('to a load of tasks is not covered by a change from before the load', async () => {
    const page = await gate.openAgain('/more');
    const answers = await HeldAnswers.of(page, /warehouseTasks\?/, { json: [] });
    await gate.follow('/tasks');
    await answers.waitForFirst();
    const step = (state: string) => `${gate.origin}/api/v1/warehouseTasks/T-1011/${state}`;
    expect((await page.request.post(step('inProcess'), { data: {} })).ok()).toBe(true);
    await page.getByRole('button', { name: 'Take T-1011' }).waitFor({ state: 'detached' });
    await gate.follow('/more');
    await gate.follow('/tasks');
    await expect.poll(() => answers.count).toBe(2);
    await answers.letLastGo(page);
    expect(await page.getByText('T-1011').count()).toBe(0);
    await answers.letGo(page);
    expect(await page.getByText('T-1011').count()).toBe(0);
    expect((await page.request.post(step('ready'), { data: {} })).ok()).toBe(true);
  });

  it('TASK-09 to the step of a task does not bring back a task that was completed meanwhile', async () => {
    const page = await gate.openAgain('/task/T-1005');
    await page.getByText('Scan the label of the coil').waitFor();
    const answers = await HeldAnswers.of(page, /warehouseTasks\/T-1005$/);
    await gate.scan('C-70009');
    await answers.waitForFirst();
    const complete = `${gate.origin}/api/v1/warehouseTasks/T-1005/complete`;
    expect((await page.request.post(complete, { data: { location: 'RF-01' } })).ok()).toBe(true);
    await gate.expectHeadline('T-1005 is done, or not for you');
    await answers.letGo(page);
    expect(await gate.headline()).toBe('T-1005 is done, or not for you');
  });
});

it.each([
  ['tasks', '**/api/v1/warehouseTasks?*', 3, '/tasks', 'T-1011'],
  ['parts', '**/api/local/plant/parts', 2, '/machine/RF-02/part', 'Ridge cap'],
])('%s that the gateway did not give at the start are asked for again', async (_, calls, times, place, shown) => {
  const page = await gate.openAgain('/more');
  await page.route(calls, (route) => route.fulfill({ status: 503, json: { errors: ['later'] } }), { times });
  await page.goto(`${gate.origin}${place}`);
  await page.getByText(shown).first().waitFor({ timeout: 10_000 });
});

it('COIL-02 a coil that is moved meanwhile is shown at its new location in the list of found coils', async () => {
  const page = await gate.openAgain('/coils');
  const found = page.locator('.found', { hasText: 'C-70009' }).locator('a', { hasText: 'C-70009' });
  await found.waitFor();
  for (const location of ['WH-A1', 'WH-A2']) {
    const move = { data: { location } };
    expect((await page.request.post(`${gate.origin}/api/v1/coils/C-70009/location`, move)).ok()).toBe(true);
    await found.getByText(location, { exact: true }).waitFor();
  }
});

it('the list of past stops shows a new reason without being loaded again', async () => {
  for (const running of [true, false]) await gate.say('RF-04', { partId: 'P-100', running });
  const page = await gate.openAgain('/stops');
  const past = page.getByRole('region', { name: 'Stops of the last 24 hours' });
  await past.getByText('no reason yet').waitFor();
  const answers = await HeldAnswers.of(page, /downtimes.from/);
  await page.locator('.reason', { hasText: 'Drive fault' }).click();
  await past.getByText('Trim line 1').locator('..').getByText('Drive fault').waitFor();
  expect(answers.count).toBe(0);
});
