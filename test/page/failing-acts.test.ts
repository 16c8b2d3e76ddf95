import { describe, expect, it } from 'vitest';
import {
  type Act,
  dialog,
  expectAlert,
  expectFailuresTold,
  expectText,
  expectValue,
  failCalls,
  press,
  STOPS_AND_PARTS,
  stop,
  undo,
} from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { type PageUnderTest, PLANT, usePage } from './page-under-test.ts';

const PROFILE_ID = PLANT.profiles[0]?.profileId ?? '';
const PROFILE = `/profile/${PROFILE_ID}`;
const NAMES = ['take', 'typed', 'cannot', 'release', 'arrive', 'elsewhere', 'cancel'] as const;
type Name = (typeof NAMES)[number];

/** The plant with a task and its coil for each act. */
const PLANT_OF_ACTS = {
  ...PLANT,
  tasks: NAMES.map((name) => ({ ...PLANT.tasks[0], taskId: `T-${name}`, preferredCoilIds: [`C-${name}`] })),
  coils: [...NAMES, 'move'].map((name) => ({ ...PLANT.coils[0], coilId: `C-${name}` })),
};

async function step({ origin }: PageUnderTest, name: Name, what: string, body: object): Promise<void> {
  const headers = { authorization: 'ApiKey shop-key-01234567890', 'content-type': 'application/json' };
  const url = `${origin}/api/v1/warehouseTasks/T-${name}/${what}`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ userName: 'pat', ...body }) });
  expect([answer.status, await answer.text()]).toEqual([202, '']);
}
const take = (name: Name) => (gate: PageUnderTest) => step(gate, name, 'inProcess', {});
const pickUp = (name: Name) => async (gate: PageUnderTest) => {
  await take(name)(gate);
  await step(gate, name, 'inTransit', { coilId: `C-${name}` });
};
const stateOf = (name: Name) => (gate: PageUnderTest) => gate.business(`/warehouseTasks/T-${name}`);
const of = (name: Name, what: string) => ({
  place: `/task/T-${name}`,
  method: 'POST' as const,
  path: `/v1/warehouseTasks/T-${name}/${what}`,
  stored: stateOf(name),
});
const storedProfile = (gate: PageUnderTest) => gate.business(`/profiles/${PROFILE_ID}`);

const FIRST_LENGTH = '1 length';
async function lengthen({ page }: PageUnderTest): Promise<void> {
  const field = page.getByLabel(FIRST_LENGTH);
  await field.fill(String(Number(await field.inputValue()) + 1));
}
const OF_PROFILE = {
  place: PROFILE,
  method: 'PUT',
  path: `/v1/profiles/${PROFILE_ID}`,
  stored: storedProfile,
} as const;

const WAREHOUSE_AND_PROFILES: readonly Act[] = [
  {
    name: 'a task taken',
    ...of('take', 'inProcess'),
    place: '/tasks',
    touch: (page) => press(page, 'Take T-take'),
    seen: (_, gate) => gate.expectHeadline('T-take to RF-01'),
  },
  {
    name: 'a coil picked up by its typed number',
    ...of('typed', 'inTransit'),
    prepare: take('typed'),
    steps: async ({ page }) => {
      await press(page, 'Type the number');
      await page.getByLabel('Coil number').fill('C-typed');
    },
    touch: (page) => press(page, 'Go on'),
    kept: (page) => expectValue(page, 'Coil number', 'C-typed'),
    seen: (page) => page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor(),
  },
  {
    name: 'a task that cannot be done',
    ...of('cannot', 'unattainable'),
    prepare: take('cannot'),
    steps: ({ page }) => press(page, "Can't do it"),
    touch: (page) => press(page, 'Coil not found'),
    seen: (page) => expectText(page, 'The office knows of T-cannot'),
  },
  {
    name: 'a task released',
    ...of('release', 'ready'),
    prepare: take('release'),
    touch: (page) => press(page, 'Release'),
    seen: (page) => expectText(page, 'T-release is free again'),
  },
  {
    name: 'a coil that arrived',
    ...of('arrive', 'complete'),
    prepare: pickUp('arrive'),
    touch: (page) => press(page, /Arrived at RF-01|Try again/),
    seen: (page) => expectText(page, 'C-arrive stands in RF-01'),
  },
  {
    name: 'a coil set down elsewhere',
    ...of('elsewhere', 'complete'),
    prepare: pickUp('elsewhere'),
    steps: ({ page }) => press(page, 'Set down elsewhere'),
    touch: (page) => dialog(page).getByRole('button', { name: 'WH-A2' }).click(),
    seen: (page) => expectText(page, 'C-elsewhere stands in WH-A2'),
  },
  {
    name: 'a task cancelled',
    ...of('cancel', 'cancel'),
    prepare: pickUp('cancel'),
    steps: ({ page }) => press(page, 'Cancel the task'),
    touch: (page) => dialog(page).getByRole('button', { name: 'WH-A2' }).click(),
    seen: (page) => expectText(page, 'T-cancel is cancelled, its coil stands in WH-A2'),
  },
  {
    name: 'a coil moved',
    place: '/coil/C-move',
    steps: ({ page }) => page.getByRole('button', { name: /WH-A2/ }).first().click(),
    touch: (page) => press(page, 'Move to WH-A2, Rack A2'),
    kept: (page) => page.getByRole('button', { name: /WH-A2/, pressed: true }).waitFor(),
    method: 'POST',
    path: '/v1/coils/C-move/location',
    seen: (_, gate) => gate.expectHeadline('C-move stands in WH-A2'),
    stored: (gate) => gate.business('/coils/C-move'),
  },
  {
    name: 'a new revision of a profile',
    ...OF_PROFILE,
    steps: async (gate) => {
      await gate.page.getByLabel(FIRST_LENGTH).fill('6.5');
    },
    touch: (page) => press(page, 'Save a new revision'),
    kept: (page) => expectValue(page, FIRST_LENGTH, '6.5'),
    seen: (page) => expectText(page, 'Revision 2 is saved'),
  },
  {
    name: 'a revision taken back',
    ...OF_PROFILE,
    steps: async (gate) => {
      await lengthen(gate);
      await press(gate.page, 'Save a new revision');
      await gate.page.getByRole('button', { name: 'Undo' }).waitFor();
    },
    touch: undo,
    seen: (page) => expectText(page, /^Revision 4, by pat/),
  },
];

const plant = JSON.stringify(PLANT_OF_ACTS);
const gate = usePage('rest', { plant, settings: 'legacyAgent: { kind: simulated }\n' });

/** The gateway refuses each act, then does not answer, then does it. */
describe('a technician learns the outcome of', () => {
  it.each([...STOPS_AND_PARTS, ...WAREHOUSE_AND_PROFILES])('$name', (act) => expectFailuresTold(gate, act));
});

it('a technician with a telephone is told the outcome of a reason for a stop in German', async () => {
  await stop(gate, 'RF-01');
  const page = await gate.open('/stops', { locale: 'de-DE', viewport: { width: 390, height: 844 } });
  const fails = await failCalls(page, 'POST', '/local/downtimes/category');
  const touch = () => page.locator('button.reason', { hasText: 'Coil change' }).click();
  await touch();
  await expectAlert(page, 'Das Gateway kann das jetzt nicht speichern. Nichts wurde geändert.', 'the disk is full');
  await expectAccessible(page);
  await shoot(page, 'refusal-390-de');
  const told = await page.getByRole('alert').locator('span').boundingBox();
  expect(told?.width).toBeGreaterThan(300);
  fails.with = 'no answer';
  await touch();
  await expectAlert(page, 'Das Gateway hat nicht geantwortet. Ob es getan wurde, ist nicht bekannt.', '');
  fails.with = 'nothing';
  await touch();
  await gate.expectHeadline('Jeder Stillstand hat seinen Grund');
  gate.forgive('ERR_FAILED');
});
