import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { HeldAnswers } from './calls.ts';
import { PLANT, usePage } from './page-under-test.ts';

const USERS = [
  { name: 'pat', role: 'technician', password: 'rolls and coils', badge: '4739', pin: '2468' },
  { name: 'crew', role: 'technician', password: 'rolls and coils', badge: '4725' },
  { name: 'admin', role: 'admin', password: 'rolls and coils' },
];

const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, users: USERS }) });
beforeEach(enrol);
afterEach(() => gate.leave());

/** An administrator makes a panel of this browser; nobody is signed in there afterwards. */
async function enrol(): Promise<void> {
  const page = await gate.open('/admin', { as: 'admin' });
  await gate.makePanel();
  await page.getByRole('navigation').getByRole('button', { name: 'Sign in' }).first().waitFor();
  await page.goto(`${gate.origin}/`);
  await page.locator('.stage').waitFor();
  // The page tells what a viewer may not ask in its own words.
  gate.forgive('status of 403');
}

const signInButton = () => gate.page.getByRole('navigation').getByRole('button', { name: 'Sign in' }).first();
const expectSignedIn = (name: string) =>
  gate.page
    .getByRole('button', { name: `Signed in as ${name}` })
    .first()
    .waitFor();

it('a technician signs in at a panel by a name and a PIN; a wrong PIN is refused', async () => {
  const { page } = gate;
  await signInButton().click();
  await page.getByRole('dialog').getByText('Hold your badge to the scanner').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'pat' }).click();
  for (const digit of '1111') await page.getByRole('button', { name: digit, exact: true }).click();
  await page.getByText('This is not the PIN.').waitFor();
  await shoot(page, 'panel-pin');
  await expectAccessible(page);
  for (const digit of '2468') await page.getByRole('button', { name: digit, exact: true }).click();
  await expectSignedIn('pat');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it.each([401, 403])(
  'a load that is refused by %i when the browser is a panel by then asks and tells nothing',
  async (status) => {
    await gate.leave();
    const page = await gate.open('/admin', { as: 'admin' });
    const answers = await HeldAnswers.of(page, /local\/(people|plant\/apiKeys)$/, { status, json: {} });
    await gate.makePanel();
    await signInButton().waitFor();
    expect(answers.count).toBeGreaterThan(1);
    while (answers.count > 0) await answers.letGo(page);
    await signInButton().waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    // The page may tell for a moment that it connects again for the panel; a refusal would stay.
    await expect.poll(() => page.getByRole('alert').allTextContents()).toEqual([]);
    // Besides the held calls: the settings may be asked for while the browser becomes a panel.
    gate.forgive('status of 403');
  },
);

it('a PIN that is typed fast on a keyboard is accepted', async () => {
  const { page } = gate;
  await signInButton().click();
  await page.getByRole('button', { name: 'pat' }).click();
  await page.keyboard.type('2468', { delay: 40 });
  await expectSignedIn('pat');
});

it('a PIN that is typed right after the touch of the name is accepted', async () => {
  const { page } = gate;
  await signInButton().click();
  await page.getByRole('button', { name: 'pat' }).focus();
  await page.evaluate(`(async () => {
    document.activeElement.click();
    await new Promise((resolve) => setTimeout(resolve));
    const init = { bubbles: true, cancelable: true };
    for (const key of '2468') document.body.dispatchEvent(new KeyboardEvent('keydown', { key, ...init }));
  })()`);
  await expectSignedIn('pat');
});

it('D-61 a badge with an unreadable key gives no digit to the keypad, and the person is told', async () => {
  const { page } = gate;
  await signInButton().click();
  await page.getByRole('button', { name: 'pat' }).click();
  await page.evaluate(`{
    const init = { bubbles: true, cancelable: true };
    const keys = ['2', '4', 'Dead', '6', '8', '1', 'Enter'];
    for (const key of keys) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, ...init }));
  }`);
  await page.getByRole('alert').filter({ hasText: 'A key could not be read.' }).waitFor();
  await page.getByRole('img', { name: '0 of 4 digits entered' }).waitFor();
  await shoot(page, 'panel-key-not-read');
  await page.keyboard.type('2468', { delay: 40 });
  await expectSignedIn('pat');
});

it('a digit that is taken back at once is no part of the PIN', async () => {
  const { page } = gate;
  await signInButton().click();
  await page.getByRole('button', { name: 'pat' }).click();
  await page.evaluate(`{
    const init = { bubbles: true, cancelable: true };
    for (const key of ['9', 'Backspace']) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, ...init }));
  }`);
  await page.getByRole('img', { name: '0 of 4 digits entered' }).waitFor();
  await page.keyboard.type('2468', { delay: 150 });
  await expectSignedIn('pat');
});

it('a badge signs in at the sign-in dialog, and needs a confirmation while another person is signed in', async () => {
  const { page } = gate;
  await signInButton().click();
  await page.getByText('Hold your badge to the scanner').waitFor();
  await gate.scan('4739');
  await expectSignedIn('pat');
  await page.getByRole('link', { name: 'Stops' }).first().click();
  await gate.scan('4725');
  await page.getByRole('dialog').getByText('You are signed in as pat. Nothing was done.').waitFor();
  await shoot(page, 'panel-another');
  await expectSignedIn('pat');
  await page.getByRole('button', { name: 'Go on as crew' }).click();
  await expectSignedIn('crew');
  expect(page.url()).toContain('/stops');
  await gate.scan('4725');
  await page.getByText('This is your own badge').waitFor();
  await gate.scan('no-such-label');
  await page.getByText('no-such-label').waitFor();
});

it('a panel on a wall shows Andon, and nobody is signed in', async () => {
  const { page } = gate;
  await page.goto(`${gate.origin}/?tv`);
  await page.locator('.tv').getByText('Ridge line 1').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

async function signInByPassword(): Promise<void> {
  const { page } = gate;
  await signInButton().click();
  await page.getByRole('button', { name: 'Somebody else' }).click();
  await page.getByLabel('Name', { exact: true }).fill('admin');
  await page.getByLabel('Password').fill('rolls and coils');
  await page.keyboard.press('Enter');
  await expectSignedIn('admin');
}

it.each([
  {
    name: 'signed out',
    leave: () => gate.page.getByRole('button', { name: 'Signed in as admin' }).first().click(),
    left: () => signInButton().waitFor(),
  },
  {
    name: 'gave way to another person',
    leave: async () => {
      await gate.scan('4739');
      await gate.page.getByRole('button', { name: 'Go on as pat' }).click();
    },
    left: () => expectSignedIn('pat'),
  },
])('a panel shows no new key of an administrator who $name', async ({ leave, left }) => {
  const { page } = gate;
  await signInByPassword();
  await gate.follow('/admin');
  await page.getByRole('button', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Add key' }).click();
  await page.getByRole('dialog').getByLabel('For which program').fill('scales');
  await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click();
  const key = page.getByText(/pg_[0-9a-f]{48}/);
  await key.waitFor();
  await leave();
  await left();
  await page.getByRole('button', { name: 'Add machine' }).waitFor();
  expect(await key.count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Keys' }).count()).toBe(0);
  const { body } = await gate.program.api('GET', '/plant/apiKeys');
  const scales = body.find(({ principal }: { readonly principal: string }) => principal === 'scales');
  await gate.program.api('DELETE', `/plant/apiKeys/${scales.id}`);
});

it('says what it means that a panel is revoked', async () => {
  const { page } = gate;
  await signInByPassword();
  await gate.follow('/admin');
  await page.getByRole('button', { name: 'People' }).click();
  const revoke = page.getByRole('region', { name: 'Panels' }).getByRole('button', { name: 'Revoke Panel by line 4' });
  await revoke.first().click();
  await page.getByRole('dialog').getByText('Nobody can sign in by badge or PIN at this browser any more.').waitFor();
});

it('a panel lists the sessions of the person who took over, not those of the one before', async () => {
  const { page } = gate;
  const elsewhere = await gate.newContext();
  const data = { name: 'crew', password: 'rolls and coils' };
  expect((await elsewhere.request.post(`${gate.origin}/api/local/session`, { data })).status()).toBe(200);
  await gate.program.api('DELETE', '/people/pat/sessions');
  await signInButton().click();
  await page.getByText('Hold your badge to the scanner').waitFor();
  await gate.scan('4739');
  await expectSignedIn('pat');
  await gate.follow('/more');
  const sessions = page.getByRole('region', { name: 'Where you are signed in' }).getByRole('row');
  await expect.poll(() => sessions.count()).toBe(1);
  await gate.scan('4725');
  await page.getByRole('button', { name: 'Go on as crew' }).click();
  await expectSignedIn('crew');
  await expect.poll(() => sessions.count()).toBeGreaterThan(1);
  await elsewhere.close();
});

it('a badge signs in at the place of a task too, while the task changes below the dialog', async () => {
  const { page, program } = gate;
  const headers = { authorization: 'ApiKey shop-key-01234567890' };
  const take = `${gate.origin}/api/v1/warehouseTasks/T-1005/inProcess`;
  expect((await fetch(take, { method: 'POST', headers })).status).toBe(202);
  await page.goto(`${gate.origin}/task/T-1005`);
  await page.getByText('Scan the label of the coil').waitFor();
  await signInButton().click();
  await page.getByText('Hold your badge to the scanner').waitFor();
  const { body: task } = await program.api('GET', '/plant/tasks/T-1005');
  const changed = { ...task, destinationLocation: 'WH-A2' };
  expect((await program.api('PUT', '/plant/tasks/T-1005', changed)).status).toBe(200);
  await gate.expectHeadline('T-1005 to WH-A2');
  await gate.scan('4739');
  await expectSignedIn('pat');
});

it('after five minutes without a touch a panel signs the person out, and stays open', async () => {
  const { page } = gate;
  await page.clock.install();
  await page.reload();
  await signInButton().click();
  await page.getByText('Hold your badge to the scanner').waitFor();
  await gate.scan('4739');
  await expectSignedIn('pat');
  await page.clock.fastForward('05:10');
  await signInButton().waitFor();
  expect(await page.locator('.stage').count()).toBe(1);
});
