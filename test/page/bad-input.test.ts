import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

const DAY_MS = 24 * 60 * 60_000;

let gate: PageUnderTest;

async function typeNewMachine(): Promise<void> {
  await gate.open('/', { as: 'admin' });
  await gate.follow('/admin');
  const { page } = gate;
  await page.getByRole('button', { name: 'Add machine' }).click();
  await page.getByLabel('Machine id').fill('RF-77');
  await page.getByLabel('Name').fill('Half typed line');
}

/** Neither Escape nor the back button loses the typed text. */
async function goOnTyping(): Promise<void> {
  const { page } = gate;
  await page.getByText('Your session has ended.').waitFor();
  await shoot(page, 'session-ended');
  const signIn = page.getByRole('dialog', { name: 'Who is there?' });
  for (const leave of ['Escape', 'back', 'Escape', 'Escape'] as const) {
    if (leave === 'back') await page.goBack();
    else await page.keyboard.press('Escape');
    await signIn.getByRole('button', { name: 'Leave without saving' }).click({ trial: true });
  }
  await signIn.getByLabel('Name').fill('admin');
  await signIn.getByLabel('Password').fill('rolls and coils');
  await signIn.getByRole('button', { name: 'Sign in' }).click();
  await signIn.waitFor({ state: 'detached' });
  const form = page.getByRole('dialog', { name: 'Add machine' });
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Half typed line');
  await form.getByLabel('Topic root').fill('plant1/rollformer-77');
  await form.getByRole('button', { name: 'Add machine' }).click();
  await gate.expectHeadline('Half typed line may not run');
}

/** The end of the session may have been told by then, and the question who is there may cover the button. */
const add = () => gate.page.getByRole('dialog').getByRole('button', { name: 'Add machine' }).dispatchEvent('click');

describe('with a gateway of its own', () => {
  beforeEach(async () => {
    gate = await PageUnderTest.start();
  });
  afterEach(() => gate.end());

  describe('nothing that was typed is lost', () => {
    it('when the session ends while a sheet is open', async () => {
      await typeNewMachine();
      await gate.program.api('DELETE', '/people/admin/sessions');
      await gate.page.getByLabel('Topic root').fill('plant1/#');
      await add();
      await goOnTyping();
      // The act is sent again once the person is there: the gateway refuses the topic root.
      gate.forgive('status of 400');
    });

    it('before the person agrees to lose it', async () => {
      await typeNewMachine();
      await gate.program.api('DELETE', '/people/admin/sessions');
      await add();
      await gate.page.getByRole('button', { name: 'Leave without saving' }).click();
      await expect.poll(() => gate.page.getByRole('dialog').count()).toBe(0);
      await gate.signIn('admin');
      // The form stands in the address (F17): it is open again, and empty.
      const form = gate.page.getByRole('dialog');
      await form.waitFor();
      expect(await form.getByLabel('Machine id').inputValue()).toBe('');
    });

    it('when the gateway is killed while a person types, and knows no session afterwards', async () => {
      await typeNewMachine();
      await gate.program.kill();
      await gate.page.getByText('No connection to the gateway since').waitFor();
      gate.endSessions();
      await gate.startAgain();
      await goOnTyping();
    });
  });

  it('the page loads everything again after the gateway was restored to an older state', async () => {
    await gate.plantAtWork();
    await gate.open('/');
    await gate.expectHeadline('3 machines need a person');
    const { program, page } = gate;
    await program.kill();
    await page.getByText('No connection to the gateway since').waitFor();
    // A data directory in which no machine was heard yet.
    const older = Program.prepare({ plant: JSON.stringify({ ...PLANT, machines: PLANT.machines.slice(0, 2) }) });
    await gate.startAgain({ dir: older });
    await gate.signIn();
    await gate.expectHeadline('No machine needs a person');
  });
});

describe('with a gateway at work', () => {
  beforeAll(async () => {
    gate = await PageUnderTest.start();
  });
  afterEach(() => gate.leave());
  afterAll(() => gate.end());

  it('a scan of control characters and odd texts is shown as text, and does nothing', async () => {
    const page = await gate.open('/stops');
    for (const code of ['AB\u0007C\u001b[2J', 'AB\u202eCD', '%00%0a', '../../etc', '"><b>x', 'ÄÖÜ', 'x'.repeat(500)]) {
      await gate.scan(code);
      await page.getByRole('alert').waitFor();
      await gate.expectHeadline('Every stop has its reason');
      expect(await page.locator('.toast b b').count()).toBe(0);
      await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    }
    gate.forgive('status of 400');
  });

  it.each([
    ['a day behind', -DAY_MS],
    ['a day ahead', DAY_MS],
  ])('a browser clock that is %s changes no age and no time', async (_, offsetMs) => {
    await gate.plantAtWork();
    const page = await gate.visit('/');
    await page.clock.install({ time: Date.now() + offsetMs });
    await page.reload();
    await gate.signIn();
    await gate.expectHeadline('3 machines need a person');
    await expect.poll(() => page.locator('.tile .t').first().textContent()).toMatch(/^\d+ (s|min)$/);
    const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    // The page knows the gateway's time to a second, and the minute may end meanwhile.
    const minutes = () => [-1_000, 0, 1_000].map((offByMs) => clock.format(Date.now() + offByMs));
    await expect.poll(async () => minutes().includes((await page.locator('.now b').textContent()) ?? '')).toBe(true);
  });
});
