import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PageUnderTest } from './page-under-test.ts';

/** One act of the page: a person's steps, the call that the last touch makes, and the signs that it was done. */
export interface Act {
  readonly name: string;
  readonly as?: 'admin';
  /** Brings the gateway to where the act can be done. */
  readonly prepare?: (gate: PageUnderTest) => Promise<unknown>;
  readonly place: string;
  /** The steps up to the last touch. */
  readonly steps?: (gate: PageUnderTest) => Promise<unknown>;
  readonly touch: (page: Page, gate: PageUnderTest) => Promise<unknown>;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** The call, below /api. */
  readonly path: string;
  /** The typed text or the choice stays, whatever came of the touch. */
  readonly kept?: (page: Page) => Promise<unknown>;
  /** The page's sign that it was done. */
  readonly seen: (page: Page, gate: PageUnderTest) => Promise<unknown>;
  /** The stored part of it at the gateway: the same after a failure, other after the success. */
  readonly stored: (gate: PageUnderTest) => Promise<unknown>;
}

export const REFUSED = 'The gateway cannot store this now. Nothing was changed. Wait a moment, then repeat.';
export const NO_ANSWER = 'The gateway did not answer. Whether it was done is not known.';

export const dialog = (page: Page) => page.getByRole('dialog').last();
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
export const undo = (page: Page) => press(page, 'Undo');
export const expectText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
export const expectValue = (page: Page, label: string | RegExp, value: string) =>
  expect.poll(() => page.getByLabel(label, { exact: true }).inputValue()).toBe(value);

/** The records of a kind of the plant. */
export const plant = async ({ program }: PageUnderTest, kind: string) =>
  (await program.api('GET', `/plant/${kind}`)).body;

/**
 * The act is refused, then gets no answer, then the same touch does it. The page shows each failure, keeps the typed
 * text, and the record of the gateway does not change.
 */
export async function expectFailuresTold(gate: PageUnderTest, act: Act): Promise<void> {
  await act.prepare?.(gate);
  await gate.openAgain(act.place, act.as);
  await gate.seeAtOnce();
  await act.steps?.(gate);
  try {
    await failThenSucceed(gate, act);
  } finally {
    gate.forgive('ERR_FAILED');
  }
}

async function failThenSucceed(gate: PageUnderTest, act: Act): Promise<void> {
  const { page } = gate;
  const before = await act.stored(gate);
  const fails = await failCalls(page, act.method, act.path);
  await act.touch(page, gate);
  await expectAlert(page, `${REFUSED} Sync says why.`, 'the disk is full');
  await act.kept?.(page);
  fails.with = 'no answer';
  await act.touch(page, gate);
  await expectAlert(page, NO_ANSWER, '');
  await act.kept?.(page);
  expect(fails.calls).toBe(2);
  expect(await act.stored(gate)).toEqual(before);
  fails.with = 'nothing';
  await act.touch(page, gate);
  await act.seen(page, gate);
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await expect.poll(() => act.stored(gate)).not.toEqual(before);
}

interface Failures {
  with: 'refusal' | 'no answer' | 'nothing';
  calls: number;
}

/** Answers these calls instead of the gateway, which does not get them. */
export async function failCalls(page: Page, method: string, path: string): Promise<Failures> {
  const fails: Failures = { with: 'refusal', calls: 0 };
  await page.route(`**/api${path}`, async (route) => {
    if (route.request().method() !== method || fails.with === 'nothing') return route.fallback();
    fails.calls += 1;
    if (fails.with === 'no answer') return route.abort();
    return route.fulfill({ status: 503, json: { errors: ['the disk is full'] } });
  });
  return fails;
}

/** The page shows an alert with these words, and nothing covers it. */
export async function expectAlert(page: Page, text: string, more: string): Promise<void> {
  const alert = page.getByRole('alert').filter({ hasText: text }).filter({ hasText: more });
  await alert.click({ trial: true, position: { x: 4, y: 4 } });
}

interface Stop {
  readonly downtimeId: string;
  readonly machineId: string;
  readonly startedAt: string;
}

const CATEGORY = '/local/downtimes/category';
const past = ({ page }: PageUnderTest) => page.getByRole('region', { name: 'Stops of the last 24 hours' });
const stopsOf = async ({ program }: PageUnderTest, query = '') =>
  (await program.api('GET', `/downtimes${query}`)).body as readonly Stop[];
const waiting = async (gate: PageUnderTest) => (await stopsOf(gate, '?uncategorized=true')).length;

/** These machines stop, each for the first time without a reason. */
export async function stop(gate: PageUnderTest, ...machineIds: readonly string[]): Promise<void> {
  const downtimeIds = (await stopsOf(gate, '?uncategorized=true')).map(({ downtimeId }) => downtimeId);
  if (downtimeIds.length > 0) await gate.program.api('POST', '/downtimes/category', { downtimeIds, reasonId: 'DT-01' });
  for (const machineId of machineIds) {
    await gate.say(machineId, { partId: 'P-210', running: true });
    await gate.say(machineId, { partId: 'P-210', running: false });
  }
}

/** One stop of RF-01 that lasts long enough to be split. */
async function longStop(gate: PageUnderTest): Promise<void> {
  await stop(gate, 'RF-01');
  await new Promise((resolve) => setTimeout(resolve, 2_100));
}

/** Two stops of RF-01 that follow each other; the newest comes first. */
export async function splitStop(gate: PageUnderTest): Promise<void> {
  await longStop(gate);
  const [{ downtimeId, startedAt } = { downtimeId: '', startedAt: '' }] = await stopsOf(gate);
  const at = new Date(Date.parse(startedAt) + 1_000).toISOString();
  expect((await gate.program.api('POST', `/downtimes/${downtimeId}/split`, { at })).status).toBe(200);
}

/** The reason to choose: past stops have its name too. */
const choose = (page: Page, reason: string) => page.locator('button.reason', { hasText: reason }).click();
const openNewest = (gate: PageUnderTest) => past(gate).getByRole('button').first().click();
const partOf = async ({ program }: PageUnderTest) => (await program.api('GET', '/machines/RF-02')).body.part;

export const STOPS_AND_PARTS: readonly Act[] = [
  {
    name: 'a reason taken back',
    prepare: (gate) => stop(gate, 'RF-01'),
    place: '/stops',
    steps: async ({ page }) => {
      await choose(page, 'Coil change');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
    touch: undo,
    method: 'POST',
    path: CATEGORY,
    seen: (_, gate) => gate.expectHeadline('1 stop waits for a reason'),
    stored: waiting,
  },
  {
    name: 'one reason for several stops',
    prepare: (gate) => stop(gate, 'RF-01', 'RF-04'),
    place: '/stops',
    steps: async ({ page }) => {
      await press(page, 'Several at once');
      for (const option of await page.getByRole('checkbox').all()) await option.click();
    },
    touch: (page) => choose(page, 'Drive fault'),
    kept: (page) => expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(2),
    method: 'POST',
    path: CATEGORY,
    seen: (page) => expectText(page, 'Drive fault for 2 stops'),
    stored: waiting,
  },
  {
    name: 'a note of a stop',
    prepare: (gate) => stop(gate, 'RF-01'),
    place: '/stops',
    steps: async (gate) => {
      await openNewest(gate);
      await gate.page.getByLabel('Note, if it needs one').fill('tripped twice');
    },
    touch: (page) => dialog(page).getByRole('button', { name: 'Drive fault' }).click(),
    kept: (page) => expectValue(page, 'Note, if it needs one', 'tripped twice'),
    method: 'POST',
    path: CATEGORY,
    seen: (_, gate) => past(gate).getByText('tripped twice').waitFor(),
    stored: waiting,
  },
  {
    name: 'a part for a machine',
    prepare: (gate) => gate.program.api('DELETE', '/machines/RF-02/part'),
    place: '/machine/RF-02/part',
    steps: ({ page }) => page.getByRole('button', { name: 'Ridge cap' }).first().click(),
    touch: (page) => press(page, 'Select for Panel line 1'),
    method: 'PUT',
    path: '/local/machines/RF-02/part',
    seen: (page) => expectText(page, 'Ridge cap on Panel line 1'),
    stored: partOf,
  },
];
