import { afterEach, expect, it } from 'vitest';
import type { ProgramOptions } from '../end-to-end/program.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let gate: PageUnderTest;

afterEach(() => gate.end());

const cut = () => gate.page.getByText('No connection to the gateway since');
const paused = () => gate.page.getByText(/^Nobody is signed in, so this is as of \d\d:\d\d$/);
const ended = () => gate.page.getByText('Your session has ended.');

async function start(options: ProgramOptions = {}): Promise<void> {
  gate = await PageUnderTest.start(options);
  await gate.plantAtWork();
}

async function away(): Promise<void> {
  await gate.program.kill();
  await cut().first().waitFor();
}

/** The gateway serves again at the same address. It knows no session any more. */
async function back(): Promise<void> {
  gate.endSessions();
  await gate.startAgain();
}

it('D-96 F26 a restart signs nobody out: the outage ends by itself, and acts go on', async () => {
  await start();
  await gate.open('/');
  await gate.expectHeadline('3 machines need a person');
  await gate.program.untilStored();
  await away();
  await gate.startAgain();
  await expect.poll(() => cut().count()).toBe(0);
  expect([await ended().count(), await paused().count()]).toEqual([0, 0]);
  await gate.follow('/stops');
  await gate.page.locator('.reason:not([aria-disabled=true])', { hasText: 'Coil change' }).click();
  await gate.expectHeadline('Every stop has its reason');
  expect(await gate.page.getByRole('dialog').count()).toBe(0);
});

/** The time for which the shown machine is held. */
async function heldMs(): Promise<number> {
  const text = await gate.page.locator('.stage').textContent();
  const [, number, unit] = /Held for (\d+) (s|min)\./.exec(text ?? '') ?? [];
  return Number(number) * (unit === 'min' ? 60_000 : 1_000);
}

it('D-95 F26 a machine that an earlier stop holds is held since before a restart, not from 0', async () => {
  // No machine falls silent meanwhile, which would be another rule that holds it.
  await start({ settings: 'devices: { timeoutSeconds: 3600 }\n' });
  await gate.say('RF-01', { partId: 'P-210', running: true });
  await gate.open('/machine/RF-01');
  // The gateway saves a machine within seconds.
  await expect.poll(heldMs, { timeout: 20_000 }).toBeGreaterThanOrEqual(8_000);
  await away();
  const before = await heldMs();
  await gate.startAgain();
  await expect.poll(() => cut().count()).toBe(0);
  expect(await heldMs()).toBeGreaterThanOrEqual(before);
  await gate.say('RF-01', { partId: 'P-210', running: true });
  await gate.page.reload();
  await expect.poll(heldMs).toBeGreaterThanOrEqual(before);
});

it('D-64 a session that ended in an outage hides no outage, and the outage is over once the gateway answers', async () => {
  await start();
  await gate.open('/');
  await gate.expectHeadline('3 machines need a person');
  await away();
  expect(await ended().count()).toBe(0);
  await back();
  await ended().waitFor();
  expect(await cut().count()).toBe(0);
  await paused().waitFor();
  // On a slow computer the fourth machine is silent by then, and has a tile as well.
  expect(await gate.page.locator('.tile.old').count()).toBeGreaterThanOrEqual(3);
  expect(await gate.page.locator('.tile:not(.old)').count()).toBe(0);
  await expectAccessible(gate.page);
  await shoot(gate.page, 'signed-out-by-an-outage');
  await gate.signIn();
  await expect.poll(() => paused().count()).toBe(0);
  expect([await cut().count(), await ended().count()]).toEqual([0, 0]);
  await expect.poll(() => gate.page.locator('.tile.old').count()).toBe(0);
});

it('D-64 a second outage after the session has ended is told as soon as a person has signed in', async () => {
  await start();
  await gate.open('/');
  await gate.expectHeadline('3 machines need a person');
  await away();
  await back();
  await paused().waitFor();
  await gate.program.kill();
  await gate.page.getByLabel(/^Name$/).fill('pat');
  await gate.page.getByLabel('Password').fill('rolls and coils');
  await gate.page.keyboard.press('Enter');
  await gate.page.getByText('The gateway did not answer.').first().waitFor();
  await back();
  await gate.page.keyboard.press('Enter');
  await ended().waitFor({ state: 'detached' });
  await expect.poll(async () => (await cut().count()) + (await paused().count())).toBe(0);
  await away();
  await back();
});

it('D-64 a session that an administrator ended leaves data that is marked as old, without a word of an outage', async () => {
  await start();
  await gate.open('/');
  await gate.expectHeadline('3 machines need a person');
  await gate.program.api('DELETE', '/people/pat/sessions');
  await gate.follow('/orders');
  await ended().waitFor();
  await paused().waitFor();
  expect(await cut().count()).toBe(0);
  await gate.page.keyboard.press('Escape');
  await gate.expectHeadline('Who is there?');
  expect(await paused().count()).toBe(0);
});

it.each(['/', '/?tv'])('D-64 where nobody has to sign in (%s), the outage ends by itself', async (place) => {
  await start({ settings: 'page: { openAndon: true }\n' });
  await gate.visit(place);
  await gate.page.locator('.stage, .tv').waitFor();
  await away();
  await back();
  await expect.poll(() => cut().count(), { timeout: 15_000 }).toBe(0);
  expect([await paused().count(), await ended().count()]).toEqual([0, 0]);
});

it('D-64 a wall of a person whose session ended in an outage says so too', async () => {
  await start();
  await gate.open('/?tv');
  await away();
  await back();
  await ended().waitFor();
  await paused().waitFor();
  expect(await cut().count()).toBe(0);
  await shoot(gate.page, 'wall-signed-out-by-an-outage');
});

it('D-64 the page of sign-in waits for the gateway, and is there once it is back', async () => {
  await start();
  await gate.visit('/stops');
  await gate.expectHeadline('Who is there?');
  await gate.program.kill();
  await gate.page.getByLabel(/^Name$/).fill('pat');
  await gate.page.getByLabel('Password').fill('rolls and coils');
  await gate.page.keyboard.press('Enter');
  await gate.page.getByText('The gateway did not answer.').waitFor();
  await back();
  await gate.page.keyboard.press('Enter');
  await gate.page.locator('.stage').waitFor();
  expect([await cut().count(), await gate.page.getByText('did not answer').count()]).toEqual([0, 0]);
});
