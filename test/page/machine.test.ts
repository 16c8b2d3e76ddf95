import { expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

/** One machine for each cause of a decision, and the sentence of its tile in both languages. */
const CAUSES: readonly (readonly [name: string, fields: object | null, english: string, german: string])[] = [
  ['never heard', null, 'Never heard', 'Nie gehört'],
  ['field missing', { machinePower: undefined }, 'It does not send machinePower', 'Sie sendet kein machinePower'],
  ['power off', { machinePower: false }, 'It is switched off', 'Sie ist ausgeschaltet'],
  [
    'power off, fault',
    { machinePower: false, fault: true },
    'It reports a fault. Machine power is off. It is switched off',
    'Sie meldet eine Störung. Die Maschine ist ausgeschaltet. Sie ist ausgeschaltet',
  ],
  [
    'no part',
    {},
    'Part not selected. Nobody has chosen what it makes next',
    'Kein Teil ist gewählt. Niemand hat gewählt, was sie als Nächstes macht',
  ],
  [
    'no part, overridden',
    { override: true },
    'Runs past the rules: Part not selected. Nobody has chosen what it makes next',
    'Läuft an den Regeln vorbei: Kein Teil ist gewählt. Niemand hat gewählt, was sie als Nächstes macht',
  ],
  [
    'overridden',
    { partId: 'P-100', override: true },
    'Override is on. The rules would allow it, too',
    'Sie entscheidet selbst. Auch die Regeln erlauben es',
  ],
  [
    'stop without reason, fault',
    { partId: 'P-100', running: false, fault: true },
    'Downtime categorization required. Nobody has said why it stopped at TIME. It reports a fault',
    'Der Stillstand braucht einen Grund. Niemand hat gesagt, warum sie um TIME stehen blieb. Sie meldet eine Störung',
  ],
  [
    'earlier stop',
    { partId: 'P-100', running: true, override: true },
    'Runs past the rules: Downtime categorization required. An earlier stop has no reason yet',
    'Läuft an den Regeln vorbei: Der Stillstand braucht einen Grund. Ein früherer Stillstand hat noch keinen Grund',
  ],
];
const REFUSED = [
  'Machine power is off. A message of it was refused: running: found "maybe", expected true, false, 1, 0, on, off, yes or no',
  'Die Maschine ist ausgeschaltet. Eine Nachricht von ihr wurde abgelehnt: running: found "maybe", expected true, false, 1, 0, on, off, yes or no',
] as const;
const SILENT = [
  'Device not responding. Last heard TIME',
  'Die Steuerung meldet sich nicht. Zuletzt gehört TIME',
] as const;

const HELD = [...CAUSES.map(([name]) => name), 'refused', 'silent'].map((name, place) => ({
  machineId: `Q-${place}`,
  name: `Line ${place}: ${name}`,
  topicRoot: `plant1/q-${place}`,
}));

const [first, ...others] = PLANT.machines;
const variableDetails = [{ name: 'lineSpeed', label: 'Line speed', unit: 'ft/min' }];
const machines = [{ ...first, variables: ['lineSpeed'], variableDetails }, ...others, ...HELD];
const gate = usePage('rest', { plant: JSON.stringify({ ...PLANT, machines }) });

it('DEV-14 VAR-02 a machine shows its production, its overrides and its variables with units', async () => {
  await gate.say('RF-01', { partId: 'P-210', running: true, goodPart: 100 });
  await gate.say('RF-01', { partId: 'P-210', running: true, goodPart: 131, badPart: 2, override: true });
  await gate.program.device('vars', { machineId: 'RF-01', lineSpeed: 118.5 });
  const page = await gate.openAgain('/machine/RF-01');
  await page.getByText('31 good, 1 scrap').waitFor();
  await page.locator('.over-span').waitFor();
  const variable = page.locator('.curve');
  await expect.poll(() => variable.textContent()).toContain('Line speed118.5 ft/min');
  await page.getByRole('button', { name: '31 days' }).click();
  await expect.poll(() => page.locator('.bars li').count()).toBe(31);
  await expectAccessible(page);
  await shoot(page, 'machine-production');
});

it('D-36 the place of a machine shows each mistake as it comes, with its remedy', async () => {
  await gate.openAgain('/machine/RF-02');
  const { page, program } = gate;
  const client = await RawClient.connected(program.mqttPort, 'some-plc');
  const told = page.locator('section', { hasText: 'What went wrong on its line' }).last();
  client.publish('plant1/rollformer-2/State', '{}', 1);
  await told.getByText('did you mean plant1/rollformer-2/status?').waitFor();
  await program.device('status', { machineId: 'RF-02', goodParst: 1 });
  await told.getByText('goodParst: did you mean goodPart?').waitFor();
  await program.device('status', '{"machineId":"RF-02",}');
  await told.getByText('a comma too many').waitFor();
  client.end();
});

it('D-36 a message keeps its row, and the focus on it, while newer ones come', async () => {
  // As many as are kept: from then on each new one pushes one out.
  for (let cycle = 1; cycle <= 50; cycle++) await gate.say('RF-04', { running: true, cycle });
  const page = await gate.openAgain('/machine/RF-04');
  await page.locator('.messages button').nth(10).focus();
  await page.evaluate('window.row = document.activeElement.closest("tr")');
  for (let cycle = 51; cycle <= 53; cycle++) await gate.say('RF-04', { running: true, cycle });
  await expect.poll(() => page.evaluate('[...row.parentElement?.children ?? []].indexOf(row)')).toBe(13);
  expect(await page.evaluate('row.contains(document.activeElement)')).toBe(true);
});

it('D-09 the parts that a machine made last come first', async () => {
  await gate.say('RF-02', { partId: 'P-210', jobNumber: 'J-1', running: true });
  await gate.say('RF-02', { partId: 'P-100', jobNumber: 'J-2', running: true });
  const page = await gate.openAgain('/machine/RF-02/part');
  const recent = page.getByRole('region', { name: 'Made here lately' }).getByRole('button');
  await expect.poll(() => recent.allTextContents()).toHaveLength(2);
  expect((await recent.allTextContents())[0]).toContain('P-100 · last');
});

it('D-09 the parts are not shown before the recent ones, which would move them under a finger', async () => {
  const page = await gate.openAgain('/');
  const held = Promise.withResolvers<void>();
  await page.route('**/recentParts', async (route) => {
    await held.promise;
    await route.continue();
  });
  await gate.follow('/machine/RF-02/part');
  await page.getByRole('searchbox').waitFor();
  const parts = page.locator('.reasons').getByRole('button');
  expect(await parts.count()).toBe(0);
  await page.getByRole('searchbox').fill('ridge');
  await expect.poll(() => parts.allTextContents()).toEqual([expect.stringContaining('Ridge cap')]);
  await page.getByRole('searchbox').fill('');
  await expect.poll(() => parts.count()).toBe(0);
  held.resolve();
  await page.getByRole('region', { name: 'Made here lately' }).waitFor();
  expect(await parts.count()).toBeGreaterThan(1);
});

it('D-09 the parts are shown if the recent ones cannot be loaded', async () => {
  const page = await gate.openAgain('/');
  await page.route('**/recentParts', (route) => route.fulfill({ status: 500, json: { errors: ['so it is'] } }));
  await gate.follow('/machine/RF-02/part');
  await page.getByRole('alert').getByText('so it is').waitFor();
  await page.getByRole('button', { name: 'Ridge cap' }).waitFor();
  gate.forgive('status of 500');
});

it('D-10 a machine that sends neither job nor operator shows when its parts were chosen, if any', async () => {
  const page = await gate.openAgain('/machine/RF-03/part');
  await page.getByText('No part was chosen or made here yet.').waitFor();
  await shoot(page, 'part-none-recent');
  await gate.say('RF-03', { partId: 'P-210', running: true });
  await gate.program.api('GET', '/machines/RF-03/recentParts');
  await gate.say('RF-03', { partId: 'P-100', running: true });
  await gate.open('/machine/RF-03/part');
  const recent = gate.page.getByRole('region', { name: 'Made here lately' }).getByRole('button');
  await expect.poll(() => recent.allTextContents()).toHaveLength(2);
  expect((await recent.allTextContents())[0]).toContain('P-100 · chosen');
  await expectAccessible(gate.page);
  await shoot(gate.page, 'part-recent');
});

/** The sentences of the tiles, times left out. Each machine speaks again before, because silence would be another cause. */
async function expectTiles(language: 0 | 1): Promise<void> {
  for (const [place, [, fields, ...sentences]] of CAUSES.entries()) {
    if (fields !== null) await gate.say(`Q-${place}`, { running: false, ...fields });
    await expectTile(place, sentences[language]);
  }
  await expectTile(CAUSES.length, REFUSED[language]);
  await expectTile(CAUSES.length + 1, SILENT[language]);
}

async function expectTile(place: number, sentence: string): Promise<void> {
  const tile = gate.page.locator('.tile, .mini').filter({ hasText: `Line ${place}: ` });
  const text = async () => (await tile.textContent())?.replace(/\d\d:\d\d(:\d\d)?/g, 'TIME');
  await expect.poll(text, { timeout: 15_000 }).toContain(sentence);
}

it('D-35 a tile gives the full reason why its machine may not run, for each cause, in both languages', async () => {
  const silent = CAUSES.length + 1;
  await gate.say(`Q-${silent}`, { partId: 'P-100', running: false });
  await gate.openAgain('/');
  await expectTile(silent, SILENT[0]);
  for (const [place, [name]] of CAUSES.entries()) {
    if (!name.includes('stop')) continue;
    await gate.say(`Q-${place}`, { partId: 'P-100', running: true });
    await gate.say(`Q-${place}`, { partId: 'P-100', running: false });
  }
  await gate.program.device('status', { machineId: `Q-${CAUSES.length}`, running: 'maybe' });
  await expectTiles(0);
  await shoot(gate.page, 'andon-causes');
  await gate.page.getByRole('button', { name: 'Deutsch' }).click();
  await expectTiles(1);
  await expectAccessible(gate.page);
  await shoot(gate.page, 'andon-causes-german');
});

it.each([
  [404, 'It is not there any more. Nothing was changed.'],
  [409, 'It does not fit what is there now. Nothing was changed. Look at it again, then repeat.'],
  [429, 'Too much at once. Nothing was changed. Wait a moment, then repeat.'],
  [500, 'The gateway itself failed here. Look whether it was done before you repeat it.'],
  [503, 'The gateway cannot store this now. Nothing was changed. Wait a moment, then repeat. Sync says why.'],
])(
  'a refusal with %i says why, what is unchanged and what to do, and the gateway’s words below',
  async (status, text) => {
    const page = await gate.openAgain('/machine/RF-02/part');
    await page.route('**/machines/RF-02/part', (route) => route.fulfill({ status, json: { errors: ['so it is'] } }));
    await page.getByRole('button', { name: 'Ridge cap' }).first().click();
    await page.getByRole('button', { name: 'Select for Panel line 1' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(text, { exact: true }).waitFor();
    await alert.getByText('so it is').waitFor();
    await page.getByRole('dialog', { name: 'Ridge cap' }).waitFor();
    gate.forgive(`status of ${status}`);
  },
);

it('F19 a fault that does not hold the machine says what it means and what to do', async () => {
  await gate.say('RF-04', { partId: 'P-100', running: true, fault: true });
  const page = await gate.openAgain('/machine/RF-04');
  await gate.expectHeadline('Trim line 1 may run. It reports a fault');
  await page.getByText(/Clear it there; if it stands, give the stop its reason/).waitFor();
  await expectAccessible(page);
  await gate.say('RF-04', { partId: 'P-100', running: true, fault: false });
  await gate.expectHeadline('Trim line 1 may run');
});

it('F21 in German no sentence is English, and tasks and orders have their own words', async () => {
  await gate.say('RF-02', { running: false });
  const page = await gate.openAgain('/machine/RF-02');
  await page.getByRole('button', { name: 'Deutsch' }).click();
  const ladder = page.locator('.ladder');
  await ladder
    .getByText(/Kein Teil ist gewählt|Der Stillstand braucht einen Grund/)
    .first()
    .waitFor();
  expect(await ladder.textContent()).not.toMatch(/not selected|required|not responding|power is off/);
  for (const [place, headline] of [
    ['/tasks', 'Du hast keinen Fahrauftrag, 2 sind bereit'],
    ['/orders', '2 Aufträge sind offen, 1 ist angehalten'],
  ] as const) {
    await gate.follow(place);
    await gate.expectHeadline(headline);
  }
});
