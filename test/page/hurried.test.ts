import { describe, expect, it } from 'vitest';
import { expectAccessible, hideAndShow } from './browser.ts';
import { Calls, drawn, HeldAnswers } from './calls.ts';
import { PLANT, PROFILE, PROFILE_RECORD, usePage } from './page-under-test.ts';

const users = [...PLANT.users, { name: 'kim', role: 'admin', password: 'rolls and coils' }];
const plant = JSON.stringify({ ...PLANT, users });
const gate = usePage('rest', { plant, settings: 'legacyAgent: { kind: simulated }\n' });

async function stop(...machineIds: readonly string[]): Promise<void> {
  for (const machineId of machineIds)
    for (const running of [true, false]) await gate.say(machineId, { partId: 'P-100', running });
}

async function reasonsOf(machineId: string): Promise<unknown> {
  const { body } = await gate.program.api('GET', `/machines/${machineId}/downtimes`);
  return (body as readonly { readonly reasonId: unknown }[]).map(({ reasonId }) => reasonId);
}

describe('a person in a hurry', () => {
  it('gives a reason to one stop by a double click, not to the next stop as well', async () => {
    await stop('RF-01', 'RF-04');
    const page = await gate.openAgain('/stops');
    await gate.expectHeadline('2 stops wait for a reason');
    await page.locator('.reason', { hasText: 'Drive fault' }).dblclick({ delay: 30 });
    await gate.expectHeadline('1 stop waits for a reason');
    await drawn(page);
    expect([await reasonsOf('RF-01'), await reasonsOf('RF-04')]).toEqual([['DT-03'], [null]]);
    await page.getByRole('button', { name: 'Next stop: Trim line 1' }).click();
    await page.locator('.reason', { hasText: 'Drive fault' }).click();
    await gate.expectHeadline('Every stop has its reason');
  });

  it('finds the reasons disabled while the usual ones move to the front', async () => {
    await stop('RF-01');
    const page = await gate.openAgain('/more');
    const answers = await HeldAnswers.of(page, '**/machines/RF-01/reasonCounts');
    await gate.follow('/stops');
    const first = page.locator('.reason').first();
    await expect.poll(() => first.textContent()).toBe('Coil change');
    await expect.poll(() => first.isEnabled()).toBe(true);
    // They rest for a quarter of a second: looked at with each frame.
    const resting = page.evaluate(`new Promise((resolve) => {
      const look = () => {
        const first = document.querySelector('.reason');
        const rests = first.textContent.includes('Drive fault') && first.getAttribute('aria-disabled') === 'true';
        if (rests) resolve();
        else requestAnimationFrame(look);
      };
      look();
    })`);
    await answers.letGo(page);
    await resting;
    await first.click();
    await gate.expectHeadline('Every stop has its reason');
  });

  it('chooses a time zone by fast typing', async () => {
    const page = await gate.openAgain('/', 'admin');
    await gate.follow('/set-up');
    await page.getByLabel('Time zone').pressSequentially('Europe/B');
    expect(await page.getByLabel('Time zone').inputValue()).toMatch(/^Europe\/B/);
  });
});

describe('a form', () => {
  it('of the settings keeps a typed blank', async () => {
    const page = await gate.openAgain('/', 'admin');
    await gate.follow('/set-up');
    for (const label of ['Address', 'Key']) {
      await page.getByLabel(label).pressSequentially('two words');
      expect(await page.getByLabel(label).inputValue()).toBe('two words');
    }
  });

  it('PROF-05 names the person who saved the same profile meanwhile, and saves it when the person repeats it', async () => {
    const page = await gate.openAgain(PROFILE, 'admin');
    await gate.seeAtOnce();
    await page.getByLabel('Note').fill('by admin');
    const data = { name: 'kim', password: 'rolls and coils' };
    const other = await gate.newContext();
    await other.request.post(`${gate.origin}/api/local/session`, { data });
    const before = await gate.business(PROFILE_RECORD);
    const saved = await other.request.put(`${gate.origin}/api/v1${PROFILE_RECORD}`, {
      data: { ...Object(before), description: 'by kim' },
    });
    expect(saved.ok()).toBe(true);
    await other.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/kim changed this at/).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('by admin');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => gate.business(PROFILE_RECORD)).toMatchObject({ description: 'by admin' });
    gate.forgive('409');
  });

  it('PROF-01 of a profile names the field of a malformed number', async () => {
    const page = await gate.openAgain(PROFILE, 'admin');
    const length = page.locator('input.number').first();
    await length.fill('1 234.5');
    await expect.poll(() => length.getAttribute('aria-invalid')).toBe('true');
    const fault = page.locator(`[id="${await length.getAttribute('aria-describedby')}"]`);
    expect(await fault.textContent()).toMatch(/length/i);
  });

  it('of the settings reads the time 7:30 as 07:30', async () => {
    const page = await gate.openAgain('/', 'admin');
    await gate.follow('/set-up');
    await page.getByLabel('Shift 1 begins at').fill('7:30 ');
    await page.getByRole('button', { name: 'Go on' }).click();
    await gate.expectHeadline('4 machines are set up');
    const { body } = await gate.program.api('GET', '/settings');
    expect(body.shifts[0].start).toBe('07:30');
  });

  it('of the settings keeps no address of a central server without its key', async () => {
    const upstream = async () => (await gate.program.api('GET', '/settings')).body.upstream;
    const page = await gate.openAgain('/', 'admin');
    await gate.follow('/set-up');
    const keep = page.getByRole('button', { name: 'Go on' });
    await page.getByLabel('Address').fill('http://127.0.0.1:1/');
    await page.getByText('Another address needs its key.').waitFor();
    expect(await keep.isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Without a server' }).click();
    await gate.expectHeadline('4 machines are set up');
    expect(await upstream()).toBe(null);
  });

  it('of the settings removes the central server after a question, and shows what is kept', async () => {
    const upstream = async () => (await gate.program.api('GET', '/settings')).body.upstream;
    const kept = { url: 'http://127.0.0.1:1/', apiKey: 'the-key-of-plant1-012' };
    await gate.program.api('PUT', '/settings', { upstream: kept });
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Shifts and server' }).click();
    const address = page.getByLabel('Address');
    await address.fill('http://127.0.0.1:2/');
    expect(await page.getByRole('button', { name: 'Keep it' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Leave the server as it was' }).click();
    await expect.poll(() => address.inputValue()).toBe(kept.url);
    await address.fill('');
    await page.getByRole('button', { name: 'Keep it' }).click();
    const question = page.getByRole('dialog', { name: 'Disconnect from the central server?' });
    await question.getByRole('button', { name: 'Leave the server as it was' }).click();
    expect(await upstream()).toEqual({ url: kept.url });
    await page.getByRole('button', { name: 'Keep it' }).click();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Disconnect' }).click();
    await expect.poll(upstream).toBe(null);
    await page.getByRole('button', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Add person' }).waitFor();
  });

  it('of a stop that has its reason is sent by Enter', async () => {
    await stop('RF-02');
    const page = await gate.openAgain('/stops');
    await page.locator('.reason', { hasText: 'Coil change' }).click();
    await gate.expectHeadline('Every stop has its reason');
    await page.getByLabel('Stops of the last 24 hours').getByText('Panel line 1').click();
    await page.getByLabel('Note, if it needs one').pressSequentially('coil was bent', { delay: 100 });
    await page.keyboard.press('Enter');
    await page.getByText('Coil change, coil was bent').waitFor();
    // The event may come before the answer.
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('stays open while the gateway starts and answers with 503', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Add machine' }).click();
    const field = page.getByRole('dialog').getByRole('textbox').first();
    await field.pressSequentially('RF-99');
    const starting = { status: 503, json: { errors: ['it starts'] } };
    await page.route('**/api/local/events*', (route) => route.fulfill(starting), { times: 1 });
    const told = page.waitForResponse(/local.session$/);
    await page.route('**/api/local/session', (route) => route.fulfill(starting), { times: 1 });
    await hideAndShow(page);
    expect((await told).status()).toBe(503);
    await page.waitForResponse((response) => response.url().endsWith('/session') && response.ok());
    await drawn(page);
    expect(await field.inputValue()).toBe('RF-99');
  });

  it('of the settings reports a failed load, and is loaded again when its tab is shown again', async () => {
    const page = await gate.openAgain('/', 'admin');
    await page.route('**/api/local/settings', (route) => route.abort(), { times: 1 });
    await gate.follow('/set-up');
    await page.getByRole('alert').filter({ hasText: 'Part of this page was not loaded.' }).waitFor();
    await hideAndShow(page);
    await page.getByLabel('Time zone').waitFor();
    gate.forgive('ERR_FAILED');
  });
});

it('DEV-11 a reason that was added while the tab was hidden can be chosen when it is shown again', async () => {
  await gate.plantAtWork();
  const page = await gate.openAgain('/stops');
  await page.locator('.reason', { hasText: 'Coil change' }).waitFor();
  const reason = { id: 'DT-09', reason: 'Fire drill', group: 'Planned' };
  await hideAndShow(page, async () => {
    await gate.program.api('POST', '/plant/downtimeReasons', reason);
    // The gateway has sent the event by then.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  });
  await page.locator('.reason', { hasText: 'Fire drill' }).waitFor();
  await gate.program.api('DELETE', '/plant/downtimeReasons/DT-09');
});

it('TASK-09 a task in progress shows its new destination after a change', async () => {
  const page = await gate.openAgain('/tasks');
  const calls = new Calls(page);
  await gate.takeCoil();
  // The event of the step may come before the answer to it, which would be shown again after the change.
  await calls.expectQuiet();
  await page.route('**/api/v1/warehouseTasks?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replace(/("destinationLocation":)"RF-01"/g, '$1"WH-A2"'),
    });
  });
  await hideAndShow(page);
  await gate.expectHeadline('T-1005 to WH-A2');
  await page.getByRole('button', { name: 'Arrived at WH-A2' }).waitFor();
});

it('the note that the gateway has to be started again goes after the restart', async () => {
  const page = await gate.openAgain('/more', 'admin');
  let restartNeeded = true;
  await page.route('**/api/local/settings', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), restartNeeded } });
  });
  await gate.follow('/admin');
  const note = page.getByText('The gateway has to be started again');
  await note.waitFor();
  await hideAndShow(page, async () => {
    restartNeeded = false;
  });
  await note.waitFor({ state: 'detached' });
});

it('the last messages of a machine are shown on a slow line as well, while newer ones come', async () => {
  const page = await gate.openAgain('/');
  await page.route('**/machines/RF-02/messages', async (route) => {
    const response = await route.fetch();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await route.fulfill({ response });
  });
  const speaking = setInterval(() => void gate.say('RF-02', { running: false }), 300);
  await gate.follow('/machine/RF-02');
  await expect.poll(() => page.locator('.cols-plc .raw').first().textContent()).toContain('"machineId":"RF-02"');
  clearInterval(speaking);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('the keyboard focus is never hidden below the dock of a narrow screen', async () => {
  const page = await gate.open('/orders', { viewport: { width: 390, height: 800 } });
  const calls = new Calls(page);
  await gate.follow('/machine/RF-01');
  await page.getByRole('button', { name: 'By hour' }).waitFor();
  // Content that comes later pushes the focus down.
  await calls.expectQuiet();
  const room = (await page.locator('.dock').boundingBox())?.y ?? 0;
  const below: string[] = [];
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press('Tab');
    const { isInDock, top, bottom, text } = (await page.evaluate(`{
      const { activeElement: focused } = document;
      const { top, bottom } = focused.getBoundingClientRect();
      ({ isInDock: focused.closest('.dock') !== null, top, bottom, text: focused.textContent });
    }`)) as { isInDock: boolean; top: number; bottom: number; text: string };
    if (isInDock) break;
    // The end of a list that is longer than the screen cannot be seen together with its beginning.
    if ((bottom - top < room ? bottom : top) > room) below.push(text);
  }
  expect(below).toEqual([]);
});

it('the table of API keys does not widen the page on a telephone', async () => {
  const page = await gate.open('/admin', { as: 'admin', viewport: { width: 390, height: 700 }, locale: 'de-DE' });
  await page.getByRole('button', { name: 'Schlüssel' }).click();
  await page.getByRole('cell', { name: 'shop', exact: true }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

describe('a late answer does not close the sheet that was opened meanwhile', () => {
  it('of another stop, whose note is being typed', async () => {
    await stop('RF-01', 'RF-04');
    const page = await gate.openAgain('/stops');
    const past = page.getByLabel('Stops of the last 24 hours').locator('.opt', { hasText: 'no reason yet' });
    const note = page.getByLabel('Note, if it needs one');
    await past.filter({ hasText: 'Ridge line 1' }).first().click();
    const answers = await HeldAnswers.of(page, '**/downtimes/category');
    await page.getByRole('dialog').getByRole('button', { name: 'Drive fault' }).click();
    await answers.waitForFirst();
    await page.keyboard.press('Escape');
    await past.filter({ hasText: 'Trim line 1' }).first().click();
    await note.fill('the strip tore');
    await answers.letGo(page);
    await page.getByRole('dialog').getByText('Drive fault on Ridge line 1').waitFor();
    expect(await note.inputValue()).toBe('the strip tore');
  });

  it('of another machine', async () => {
    const machine = { machineId: 'RF-99', name: 'Old line', topicRoot: 'plant1/rollformer-99' };
    expect((await gate.program.api('POST', '/plant/machines', machine)).status).toBe(201);
    const page = await gate.openAgain('/admin', 'admin');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change RF-99' }).click();
    const answers = await HeldAnswers.of(page, '**/plant/machines/RF-99');
    for (const place of [0, 1])
      await dialog.nth(place).getByRole('button', { name: 'Remove this machine' }).last().click();
    await answers.waitForFirst();
    for (const left of [1, 0]) {
      await page.keyboard.press('Escape');
      await expect.poll(() => dialog.count()).toBe(left);
    }
    await page.getByRole('button', { name: 'Change RF-02' }).click();
    await dialog.getByLabel('Name').fill('Panel line 1 east');
    await answers.letGo(page);
    await dialog.getByText('RF-99').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Panel line 1 east');
  });
});
