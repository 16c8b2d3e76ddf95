import { describe, expect, it } from 'vitest';
import { dialog, plant, press, undo } from './acts.ts';
import { expectAccessible } from './browser.ts';
import { HeldAnswers } from './calls.ts';
import { type PageUnderTest, usePage } from './page-under-test.ts';

/** The fields by their labels, typed into the open form, which is then sent. */
async function fillAndSend({ page }: PageUnderTest, fields: Readonly<Record<string, string>>, submit: string) {
  for (const [label, text] of Object.entries(fields)) await dialog(page).getByLabel(label, { exact: true }).fill(text);
  await dialog(page).getByRole('button', { name: submit, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

async function recordOf(gate: PageUnderTest, kind: string, field: string, id: string): Promise<unknown> {
  const records: readonly Record<string, unknown>[] = await plant(gate, kind);
  return records.find((record) => record[field] === id);
}

describe('F16: a reason for stops', () => {
  const gate = usePage('rest');
  const reason = (id: string) => recordOf(gate, 'downtimeReasons', 'id', id);

  it('can be changed: text, group, icon, and whether its stops are planned', async () => {
    const page = await gate.openAgain('/admin?tab=reasons', 'admin');
    await press(page, 'Change Tooling adjustment');
    await dialog(page).getByLabel('Its stops count as').selectOption('unplanned');
    await dialog(page).getByText('Wrench').locator('..').click();
    await expectAccessible(page);
    await fillAndSend(gate, { Reason: 'Tool change', Group: 'Tools' }, 'Save');
    await page.getByRole('row', { name: /Tool change Tools unplanned DT-02/ }).waitFor();
    const changed = { id: 'DT-02', reason: 'Tool change', group: 'Tools', planned: false };
    expect(await reason('DT-02')).toEqual({ ...changed, icon: 'wrench' });
    await press(page, 'Change Tool change');
    await dialog(page).getByLabel('Its stops count as').selectOption('As its group');
    await dialog(page).getByText('By its words').click();
    await fillAndSend(gate, { Group: 'Setup' }, 'Save');
    expect(await reason('DT-02')).toEqual({ id: 'DT-02', reason: 'Tool change', group: 'Setup' });
    await page.getByRole('row', { name: /Tool change Setup planned DT-02/ }).waitFor();
  });

  it('is not offered any more once it is archived, and past stops and their table keep its text', async () => {
    for (const running of [true, false]) await gate.say('RF-01', { partId: 'P-210', running });
    const [stop] = (await gate.program.api('GET', '/downtimes')).body;
    const given = { reasonId: 'DT-03' };
    await gate.program.api('PUT', `/downtimes/${stop.downtimeId}/category`, given);
    const page = await gate.openAgain('/admin?tab=reasons', 'admin');
    await press(page, 'Archive Drive fault');
    await page.getByRole('row', { name: /Drive fault archived/ }).waitFor();
    for (const running of [true, false]) await gate.say('RF-04', { partId: 'P-210', running });
    await gate.follow('/stops');
    await page.getByRole('button', { name: /^Coil change/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Drive fault/ }).count()).toBe(0);
    await page.getByText('Drive fault').first().waitFor();
    const csv = await page.request.get(`${gate.origin}/api/local/downtimes.csv`);
    expect(await csv.text()).toContain('DT-03,Drive fault,Breakdown');
    await gate.follow('/admin?tab=reasons');
    await press(page, 'Use again Drive fault');
    await press(page, 'Archive Drive fault');
    await undo(page);
    await page.getByRole('button', { name: 'Archive Drive fault' }).waitFor();
    const inUse = { id: 'DT-03', reason: 'Drive fault', group: 'Breakdown' };
    await expect.poll(() => reason('DT-03')).toEqual(inUse);
  });

  it('is archived, used again and archived once more while the first answer is awaited', async () => {
    const page = await gate.openAgain('/admin?tab=reasons', 'admin');
    const answers = await HeldAnswers.of(page, '**/plant/downtimeReasons/DT-03');
    const archived = { id: 'DT-03', reason: 'Drive fault', group: 'Breakdown', archived: true };
    await press(page, 'Archive Drive fault');
    await press(page, 'Use again Drive fault');
    await press(page, 'Archive Drive fault');
    await expect.poll(() => reason('DT-03')).toEqual(archived);
    while (answers.count > 0) await answers.letGo(page);
    await press(page, 'Use again Drive fault');
    await answers.letGo(page);
  });
});

describe('F17: plant data at the page', () => {
  const gate = usePage('rest');

  it('a machine gets its place, claims, variables, catalogs, area, rate and target', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await press(page, 'Change RF-02');
    await expectAccessible(page);
    const fields = {
      Area: 'Hall A',
      Location: 'WH-A2',
      'Ideal rate': '1,5',
      Target: '600',
      Claims: 'service.machine.warehouse',
      Variables: 'lineSpeed\nmotorTemp',
      'How people read them': 'lineSpeed; Line speed; ft/min\nmotorTemp; Motor',
      Catalogs: '1\n2',
    };
    await fillAndSend(
      gate,
      Object.fromEntries(Object.entries(fields).map(([label, text]) => [`${label} (optional)`, text])),
      'Save',
    );
    expect(await recordOf(gate, 'machines', 'machineId', 'RF-02')).toEqual({
      machineId: 'RF-02',
      name: 'Panel line 1',
      topicRoot: 'plant1/rollformer-2',
      location: 'WH-A2',
      serialNumber: 'SN-02',
      claims: ['service.machine.warehouse'],
      variables: ['lineSpeed', 'motorTemp'],
      variableDetails: [
        { name: 'lineSpeed', label: 'Line speed', unit: 'ft/min' },
        { name: 'motorTemp', label: 'Motor' },
      ],
      catalogs: [1, 2],
      state: 'active',
      area: 'Hall A',
      idealPartsPerMinute: 1.5,
      targetPartsPerShift: 600,
    });
  });

  it('a wrong number is refused beside its field, and stays typed', async () => {
    const page = await gate.openAgain('/admin?form=RF-02', 'admin');
    await dialog(page).getByLabel('Ideal rate (optional)').fill('fast');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Found "fast", expected a number above 0/).waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Leave');
    await dialog(page).waitFor({ state: 'detached' });
    gate.forgive('400 (Bad Request)');
  });

  it('tab and form stand in the address: a reload keeps them, closing the form takes it away', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await press(page, 'Locations');
    await press(page, 'Change Rack A1');
    expect(new URL(page.url()).search).toBe('?tab=locations&form=WH-A1');
    await page.reload();
    await dialog(page).getByRole('heading', { name: 'Change Rack A1' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=locations');
  });

  it('locations, parts and reason codes are added there', async () => {
    const page = await gate.openAgain('/admin?tab=locations', 'admin');
    await press(page, 'Add location');
    await dialog(page).getByLabel('Kind').selectOption('Staging bay');
    await fillAndSend(gate, { Id: 'ST-1', Name: 'Bay 1' }, 'Add location');
    expect(await recordOf(gate, 'locations', 'code', 'ST-1')).toEqual({
      code: 'ST-1',
      name: 'Bay 1',
      category: 'StagingBay',
    });
    await press(page, 'Reason codes');
    await press(page, 'Add reason code');
    await dialog(page).getByLabel('Given for').selectOption('a task that cannot be done');
    await fillAndSend(gate, { Id: 'UR-2', Reason: 'Aisle is blocked' }, 'Add reason code');
    expect(await recordOf(gate, 'reasonCodes', 'id', 'UR-2')).toMatchObject({ codeSet: 'UnattainableReasons' });
    await press(page, 'Parts');
    await press(page, 'Add part');
    await fillAndSend(
      gate,
      {
        Id: 'P-600',
        Name: 'Purlin 600',
        'Ideal rate (optional)': '2',
        'Rates at single machines (optional)': 'RF-01 1,4',
      },
      'Add part',
    );
    expect(await recordOf(gate, 'parts', 'partId', 'P-600')).toEqual({
      partId: 'P-600',
      partName: 'Purlin 600',
      isNew: false,
      idealPartsPerMinute: 2,
      machineRates: [{ machineId: 'RF-01', idealPartsPerMinute: 1.4 }],
    });
    await expectAccessible(page);
  });

  it('an unknown part is named where it is seen', async () => {
    await gate.say('RF-04', { partId: 'P-777-NEW', running: true });
    const page = await gate.openAgain('/machine/RF-04', 'admin');
    await page.getByRole('link', { name: 'Name this part' }).click();
    await fillAndSend(gate, { Name: 'Fascia' }, 'Save');
    expect(await recordOf(gate, 'parts', 'partId', 'P-777-NEW')).toMatchObject({ partName: 'Fascia', isNew: false });
  });
});

describe('F17: the settings of shifts', () => {
  const KEEP = 'Keep it';
  const gate = usePage('rest');

  it('keep their weekdays, breaks and days off, which can be changed there', async () => {
    const shifts = [
      { name: 'Early', start: '06:00', breaks: [{ start: '09:00', minutes: 15 }] },
      { name: 'Late', start: '14:00', days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] },
    ];
    const daysOff = [{ date: '2026-12-25', name: 'Christmas Day' }];
    await gate.program.api('PUT', '/settings', { shifts: { timeZone: 'America/Chicago', shifts, daysOff } });
    const page = await gate.openAgain('/admin?tab=shifts', 'admin');
    await page.getByLabel('Shift 1', { exact: true }).fill('Dawn');
    await press(page, KEEP);
    const settings = async () => (await gate.program.api('GET', '/settings')).body;
    const dawn = { ...shifts[0], name: 'Dawn' };
    await expect.poll(settings).toMatchObject({ shifts: [dawn, shifts[1]], daysOff });
    await expectAccessible(page);
    await page.getByLabel('Breaks of shift 2').fill('18:00 30, 20:00 10');
    await page.getByRole('group', { name: 'Weekdays of shift 2' }).getByRole('button', { name: 'Fri' }).click();
    await page.getByLabel('Days off').fill('2026-12-25 Christmas Day\n2027-01-01');
    await press(page, KEEP);
    const breaks = [
      { start: '18:00', minutes: 30 },
      { start: '20:00', minutes: 10 },
    ];
    await expect.poll(settings).toMatchObject({
      shifts: [dawn, { name: 'Late', days: ['Mon', 'Tue', 'Wed', 'Thu'], breaks }],
      daysOff: [...daysOff, { date: '2027-01-01', name: '2027-01-01' }],
    });
    await page.getByLabel('Breaks of shift 1').fill('noon');
    await press(page, KEEP);
    await page.getByText(/found "noon"/i).waitFor();
    gate.forgive('400 (Bad Request)');
    await page.getByLabel('Breaks of shift 1').fill('09:00 15');
  });
});
