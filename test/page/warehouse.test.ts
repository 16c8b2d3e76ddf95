import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LegacyAgentServer } from '../fakes/legacy-agent-server.ts';
import { shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

let gate: PageUnderTest;

describe('a forklift driver', () => {
  beforeEach(async () => {
    gate = await PageUnderTest.start({ settings: 'legacyAgent: { kind: simulated }\n' });
  });
  afterEach(() => gate.end());

  it('TASK-07 TASK-08 TASK-09 does a whole task in three touches and two scans', async () => {
    const page = await gate.open('/', { hasTouch: true });
    await gate.countHands();
    await page.getByRole('link', { name: 'Tasks' }).first().tap();
    await gate.expectHeadline('No task is yours, 2 are ready');
    await shoot(page, 'tasks');
    await page.getByRole('button', { name: 'Take T-1005' }).tap();
    await gate.expectHeadline('T-1005 to RF-01');
    await gate.scan('C-70009');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    await shoot(page, 'task-arrived');
    await gate.scan('RF-01');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).tap();
    await gate.expectHeadline('No task is yours, 1 is ready');
    expect(await gate.hands()).toEqual({ touches: 3, scans: 2 });
    expect(await gate.business('/coils/C-70009')).toMatchObject({ location: 'RF-01' });
  });

  it('TASK-08 is asked why another coil than the preferred one is taken', async () => {
    const page = await gate.open('/tasks');
    await page.getByRole('button', { name: 'Take T-1005' }).click();
    await gate.expectHeadline('T-1005 to RF-01');
    await gate.scan('C-70006');
    await page.getByText('C-70006 is another coil than asked for').waitFor();
    await shoot(page, 'task-other-coil');
    await page.getByRole('button', { name: 'Preferred coil damaged' }).click();
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    expect(await gate.business('/warehouseTasks/T-1005')).toMatchObject({
      taskState: 'InTransit',
      selectedCoilId: 'C-70006',
      overrideReason: 'OR-1',
      userName: 'pat',
    });
  });

  it('TASK-07 is not offered a task that is being prepared, until it is ready', async () => {
    const [task] = PLANT.tasks;
    const pending = { ...task, taskId: 'T-1020', taskState: 'Pending' };
    expect((await gate.program.api('POST', '/plant/tasks', pending)).status).toBe(201);
    const page = await gate.open('/task/T-1020');
    await page.getByText('It is being prepared.').waitFor();
    expect(await page.getByRole('button', { name: 'Take' }).count()).toBe(0);
    const ready = await page.request.post(`${gate.origin}/api/v1/warehouseTasks/T-1020/ready`, { data: {} });
    expect(ready.status()).toBe(202);
    await page.getByRole('button', { name: 'Take' }).click();
    await page.getByText('Scan the label of the coil').waitFor();
  });

  it('TASK-06 releases a task, and gets it back by Undo', async () => {
    const page = await gate.open('/tasks');
    await page.getByRole('button', { name: 'Take T-1011' }).click();
    await page.getByRole('button', { name: 'Release' }).click();
    await gate.expectHeadline('No task is yours, 2 are ready');
    await page.getByRole('button', { name: 'Undo' }).click();
    await gate.expectHeadline('1 task is yours, 1 is ready');
  });
});

describe('a scan', () => {
  beforeAll(async () => {
    gate = await PageUnderTest.start({ settings: 'legacyAgent: { kind: simulated }\n' });
  });
  afterEach(() => gate.rest());
  afterAll(() => gate.end());

  it('of a label with the address of a task opens the task', async () => {
    await gate.openAgain('/coils');
    await gate.scan(`${gate.origin}/task/T-1011`);
    await gate.expectHeadline('T-1011 to RF-01');
  });

  it('COIL-04 a scan of a coil anywhere and one of its new place move the coil, once confirmed', async () => {
    const page = await gate.openAgain('/');
    await gate.scan('C-70006');
    await gate.expectHeadline('C-70006 stands in WH-A1');
    await page.getByRole('button', { name: /RF-01/ }).first().click();
    await page.locator('main .btn-main').focus();
    // Some scanners end in two Enters: the second would press the focused button.
    expect(await gate.scan('WH-A2', ['Enter', 'Enter'])).toBe(true);
    await page.getByRole('button', { name: 'Move to WH-A2, Rack A2' }).waitFor();
    expect(await gate.business('/coils/C-70006')).toMatchObject({ location: 'WH-A1' });
    await shoot(page, 'coil-move');
    await page.getByRole('button', { name: 'Move to WH-A2, Rack A2' }).click();
    await gate.expectHeadline('C-70006 stands in WH-A2');
  });

  it('COIL-04 a coil whose record cannot be loaded cannot be moved, and the coil before is not shown instead', async () => {
    const page = await gate.openAgain('/coil/C-70006');
    const before = await gate.headline();
    await page.route('**/api/v1/coils/C-70009', (route) =>
      route.fulfill({ status: 503, json: { errors: ['the disk is full'] } }),
    );
    await gate.scan('C-70009');
    await page.getByRole('alert').waitFor();
    expect(page.url()).toBe(`${gate.origin}/coil/C-70009`);
    expect(await gate.headline()).not.toContain('stands in');
    expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0);
    await gate.scan('C-70006');
    await gate.expectHeadline(before ?? '');
  });

  it.each([
    ['of 4 kB', 'x'.repeat(4_000), `Unknown code: ${'x'.repeat(200)}`],
    ['of HTML', '<b>bold</b>', 'Unknown code: <b>bold</b>'],
    ['of a part', 'P-100', 'P-100 is a part. It does not belong here.'],
  ])('%s opens nothing and is shown unchanged', async (_, code, text) => {
    await gate.openAgain('/');
    await gate.scan(code);
    await gate.page.getByText(text, { exact: true }).waitFor();
    expect(gate.page.url()).toBe(`${gate.origin}/`);
  });
});

describe('a legacy system that does not answer', () => {
  const agent = new LegacyAgentServer({ 'C-70009': 'WH-A1' });

  beforeEach(async () => {
    agent.behave();
    await agent.start();
    const settings = `legacyAgent: { kind: http, url: "${agent.url}", timeoutSeconds: 0.5 }\n`;
    gate = await PageUnderTest.start({ settings });
  });

  afterEach(async () => {
    await gate.end();
    await agent.stop();
  });

  it('COIL-04 D-16 D-55 has a coil on its way, until it answers; then the page says where the coil stands', async () => {
    agent.manner = 'hangs';
    const page = await gate.open('/coil/C-70009');
    await page.getByRole('button', { name: 'WH-A2' }).click();
    await page.getByRole('button', { name: 'Move to WH-A2, Rack A2' }).click();
    await page.getByText('C-70009 is on its way to WH-A2').waitFor();
    await shoot(page, 'coil-on-its-way');
    // A page that is loaded later knows it too.
    await gate.openAgain('/coils');
    await page.getByText('WH-A1 → WH-A2').waitFor();
    await shoot(page, 'coils-on-their-way');
    await gate.openAgain('/coil/C-70009');
    await page.getByText('C-70009 is on its way to WH-A2').waitFor();
    agent.manner = 'works';
    await page.getByText('C-70009 stands in WH-A2').first().waitFor({ timeout: 40_000 });
    await page.getByText('C-70009 is on its way to WH-A2').waitFor({ state: 'detached' });
    expect(await gate.business('/coils/C-70009')).toMatchObject({ location: 'WH-A2' });
  });

  it('TASK-09 D-16 D-55 has the coil of a task on its way, and then refuses it: the page says so', async () => {
    const page = await gate.open('/tasks');
    await page.getByRole('button', { name: 'Take T-1005' }).click();
    await gate.expectHeadline('T-1005 to RF-01');
    await gate.scan('C-70009');
    agent.manner = 'hangs';
    await page.getByRole('button', { name: 'Arrived at RF-01' }).click();
    await page.getByText('C-70009 is on its way to RF-01').waitFor();
    await shoot(page, 'task-on-its-way');
    agent.manner = 'rejects';
    await page.getByText('The legacy system did not move C-70009 to RF-01').waitFor({ timeout: 40_000 });
    await page.getByText('C-70009 is on its way to RF-01').waitFor({ state: 'detached' });
    await shoot(page, 'task-not-moved');
  });
});

describe('without a legacy system', () => {
  afterEach(() => gate.end());

  it('TASK-09 D-16 is told that nothing was changed, and can try again', async () => {
    gate = await PageUnderTest.start();
    const page = await gate.open('/tasks');
    await page.getByRole('button', { name: 'Take T-1005' }).click();
    await gate.expectHeadline('T-1005 to RF-01');
    await gate.scan('C-70009');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).click();
    await page.getByText('The legacy system is offline. Nothing was changed.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await shoot(page, 'task-legacy-offline');
    expect(await gate.business('/coils/C-70009')).toMatchObject({ location: 'WH-A1' });
  });
});
