import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { CentralServer } from '../fakes/central-server.ts';
import {
  expectAlert,
  expectFailuresTold,
  expectText,
  expectValue,
  failCalls,
  NO_ANSWER,
  press,
  REFUSED,
} from './acts.ts';
import { ADMINISTRATION, openTab } from './acts-of-administrators.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

let gate: PageUnderTest;

/** The refusals of the gateway, and what the page says of each. */
const REFUSALS = [
  [403, 'Your role does not permit this. Nothing was changed.'],
  [404, 'It is not there any more. Nothing was changed.'],
  [409, 'It does not fit what is there now. Nothing was changed. Look at it again, then repeat.'],
  [413, 'It is too long. Nothing was changed. Shorten it, then repeat.'],
  [429, 'Too much at once. Nothing was changed. Wait a moment, then repeat.'],
  [500, 'The gateway itself failed here. Look whether it was done before you repeat it.'],
  [503, REFUSED],
] as const;

describe('an administrator learns the outcome of', () => {
  beforeAll(async () => {
    gate = await PageUnderTest.start();
  });
  afterEach(() => gate.rest());
  afterAll(() => gate.end());

  it.each(ADMINISTRATION)('$name', (act) => expectFailuresTold(gate, act));

  it('an act by each refusal: in the words of the page, then in those of the gateway', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await openTab('Backup')(gate);
    let status = 0;
    await page.route('**/api/local/backups', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status, json: { errors: [`code ${status}`] } })
        : route.fallback(),
    );
    for (const [code, text] of REFUSALS) {
      status = code;
      await press(page, 'Back up now');
      await expectAlert(page, text, code === 403 ? 'A supervisor or an administrator may do it.' : `code ${code}`);
    }
    gate.forgive('status of');
  });

  it('the trial of a central server, and repeats it without typing', async () => {
    const central = await Program.start({
      plant: JSON.stringify({ apiKeys: [{ principal: 'plant1', key: 'the-key-of-plant1-012', role: 'gateway' }] }),
    });
    const page = await gate.open('/admin', { as: 'admin' });
    await press(page, 'Shifts and server');
    const fails = await failCalls(page, 'POST', '/local/settings/server');
    await page.getByLabel('Address').fill(`http://127.0.0.1:${central.httpPort}/`);
    await page.getByLabel('Key', { exact: true }).fill('the-key-of-plant1-012');
    await expectAlert(page, REFUSED, 'the disk is full');
    fails.with = 'no answer';
    await press(page, 'Try again');
    await expectAlert(page, NO_ANSWER, '');
    await expectValue(page, 'Key', 'the-key-of-plant1-012');
    fails.with = 'nothing';
    await press(page, 'Try again');
    await expectText(page, /Answers in .* ms/);
    expect(await page.getByRole('alert').count()).toBe(0);
    gate.forgive('ERR_FAILED');
    await central.end();
  });
});

describe('a supervisor learns the outcome of a record that the central server refused', () => {
  const central = new CentralServer();

  beforeAll(async () => {
    await central.start();
    central.manner = (_, path) => (path.includes('orders') ? 'rejects' : 'works');
    const settings = `upstream: { url: "${central.url}", apiKey: central-key, timeoutSeconds: 1, pollSeconds: 60 }\n`;
    gate = await PageUnderTest.start({ settings: `${settings}gatewayId: line-3\n` });
    const headers = { authorization: `ApiKey ${gate.program.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ documentID: 'D-1', products: [] });
    expect((await fetch(`${gate.origin}/api/v1/orders/add`, { method: 'POST', headers, body })).status).toBe(200);
    await vi.waitUntil(async () => (await setAside()) === 1, { timeout: 20_000 });
  });
  afterEach(() => gate.rest());
  afterAll(async () => {
    await gate.end();
    await central.stop();
  });

  const setAside = async () => (await gate.program.api('GET', '/sync')).body.setAside.length;
  const requests = async () => central.writes.filter(({ path }) => path.includes('orders')).length;

  it.each([
    {
      name: 'and that is sent again',
      touch: 'Retry',
      method: 'POST' as const,
      path: '/local/sync/setAside/*/retry',
      told: /goes to the central server again/,
      stored: requests,
    },
    {
      name: 'and that is given up',
      open: /^Discard/,
      touch: 'Discard',
      method: 'DELETE' as const,
      path: '/local/sync/setAside/*',
      told: /is given up/,
      stored: setAside,
    },
  ])('$name', async ({ open, touch, told, ...act }) => {
    await expect.poll(setAside, { timeout: 20_000 }).toBe(1);
    await expectFailuresTold(gate, {
      ...act,
      as: 'admin',
      place: '/sync',
      ...(open !== undefined && { steps: ({ page }: PageUnderTest) => press(page, open) }),
      touch: (page) => page.getByRole('button', { name: touch, exact: true }).last().click(),
      seen: (page) => expectText(page, told),
    });
  });
});

describe('a person who is not signed in yet learns the outcome of', () => {
  afterEach(() => gate.end());

  it('signing in, which is not taken for a wrong password', async () => {
    gate = await PageUnderTest.start();
    const page = await gate.visit('/stops');
    await page.getByLabel('Name').fill('pat');
    await page.getByLabel('Password').fill('rolls and coils');
    const fails = await failCalls(page, 'POST', '/local/session');
    await press(page, 'Sign in');
    await expectAlert(page, REFUSED, 'the disk is full');
    expect(await page.getByRole('alert').textContent()).not.toContain('Sync');
    fails.with = 'no answer';
    await press(page, 'Sign in');
    await expectAlert(page, NO_ANSWER, 'It does no harm to sign in again.');
    await expectValue(page, 'Password', 'rolls and coils');
    fails.with = 'nothing';
    await press(page, 'Sign in');
    await gate.expectHeadline('Every stop has its reason');
    gate.forgive('ERR_FAILED');
  });

  it('the set-up code', async () => {
    gate = await PageUnderTest.start({ plant: 'machines: []' });
    const codeInLog = () => /"setUpCode":"([\w-]+)"/.exec(gate.program.log.join('\n'))?.[1] ?? '';
    // Its line comes behind the one that says that the gateway serves.
    await expect.poll(codeInLog).not.toBe('');
    const code = codeInLog();
    const page = await gate.visit('/');
    await page.getByLabel('Set-up code').fill(code);
    await page.getByLabel('Your name').fill('kim');
    await page.getByLabel('A password of at least 8 characters').fill('rolls and coils');
    const fails = await failCalls(page, 'POST', '/local/setup');
    await press(page, 'Go on');
    await expectAlert(page, REFUSED, 'the disk is full');
    fails.with = 'no answer';
    await press(page, 'Go on');
    await expectAlert(page, NO_ANSWER, 'it asks who is there if it was done');
    await expectValue(page, 'Set-up code', code);
    await expectValue(page, 'Your name', 'kim');
    fails.with = 'nothing';
    await press(page, 'Go on');
    await gate.expectHeadline('Set up plantgate');
    gate.forgive('ERR_FAILED');
  });

  it('a badge at a panel', async () => {
    const users = [...PLANT.users, { name: 'crew', role: 'technician', password: 'rolls and coils', badge: '4725' }];
    gate = await PageUnderTest.start({ plant: JSON.stringify({ ...PLANT, users }) });
    const page = await gate.open('/', { as: 'admin' });
    expect((await page.request.post(`${gate.origin}/api/local/panel`, { data: { name: 'Line 4' } })).ok()).toBe(true);
    await page.goto(`${gate.origin}/`);
    await page.getByRole('navigation').getByRole('button', { name: 'Sign in' }).first().click();
    await expectText(page, 'Hold your badge to the scanner');
    const fails = await failCalls(page, 'POST', '/local/session/panel');
    await gate.scan('4725');
    await expectAlert(page, REFUSED, 'the disk is full');
    fails.with = 'no answer';
    await gate.scan('4725');
    await expectAlert(page, NO_ANSWER, '');
    fails.with = 'nothing';
    await gate.scan('4725');
    await page.getByRole('button', { name: 'Signed in as crew' }).first().waitFor();
    gate.forgive('status of 403');
    gate.forgive('ERR_FAILED');
  });
});
