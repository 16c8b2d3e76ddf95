import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PageUnderTest } from '../page-under-test.ts';
import { type Act, dialog, expectText, expectValue, press, undo } from './act.ts';

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

/** Two stops of RF-01 that follow each other, for longer than a person needs to see it; the newest comes first. */
export async function splitStop(gate: PageUnderTest): Promise<void> {
  await longStop(gate);
  const [{ downtimeId, startedAt } = { downtimeId: '', startedAt: '' }] = await stopsOf(gate);
  const at = new Date(Date.parse(startedAt) + 1_000).toISOString();
  expect((await gate.program.api('POST', `/downtimes/${downtimeId}/split`, { at })).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}

/** The reason to choose: past stops have its name too. */
const choose = (page: Page, reason: string) => page.locator('button.reason', { hasText: reason }).click();
const openNewest = (gate: PageUnderTest) => past(gate).getByRole('button').first().click();
const partOf = async ({ program }: PageUnderTest) => (await program.api('GET', '/machines/RF-02')).body.part;

export const STOPS_AND_PARTS: readonly Act[] = [
  {
    name: 'a reason for a stop',
    prepare: (gate) => stop(gate, 'RF-01'),
    place: '/stops',
    touch: (page) => choose(page, 'Coil change'),
    method: 'POST',
    path: CATEGORY,
    seen: (_, gate) => gate.expectHeadline('Every stop has its reason'),
    stored: waiting,
  },
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
    name: 'two stops out of one',
    prepare: longStop,
    place: '/stops',
    steps: openNewest,
    touch: (page) => press(page, /^Split at/),
    method: 'POST',
    path: '/local/downtimes/*/split',
    seen: (page) => expectText(page, /^Split at/),
    stored: async (gate) => (await stopsOf(gate)).length,
  },
  {
    name: 'a split taken back',
    prepare: longStop,
    place: '/stops',
    steps: async (gate) => {
      await openNewest(gate);
      await press(gate.page, /^Split at/);
      await gate.page.getByRole('button', { name: 'Undo' }).waitFor();
    },
    touch: undo,
    method: 'POST',
    path: '/local/downtimes/merge',
    seen: (_, gate) => gate.expectHeadline('1 stop waits for a reason'),
    stored: async (gate) => (await stopsOf(gate)).length,
  },
  {
    name: 'one stop out of two',
    prepare: splitStop,
    place: '/stops',
    steps: async (gate) => {
      await openNewest(gate);
      await press(gate.page, /^Merge with/);
    },
    touch: (page) =>
      dialog(page)
        .getByRole('button', { name: /^Merge with/ })
        .click(),
    method: 'POST',
    path: '/local/downtimes/merge',
    seen: (page) => expectText(page, 'The two are one stop'),
    stored: async (gate) => (await stopsOf(gate)).length,
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
  {
    name: 'a part taken from a machine',
    prepare: (gate) => gate.program.api('DELETE', '/machines/RF-02/part'),
    place: '/machine/RF-02/part',
    steps: async ({ page }) => {
      await page.getByRole('button', { name: 'Ridge cap' }).first().click();
      await press(page, 'Select for Panel line 1');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
    touch: undo,
    method: 'DELETE',
    path: '/local/machines/RF-02/part',
    seen: (page) => page.getByRole('link', { name: 'Choose part' }).first().waitFor(),
    stored: partOf,
  },
];
