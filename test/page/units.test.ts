import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

const [first, ...others] = PLANT.machines;
const variableDetails = [{ name: 'lineSpeed', label: 'Line speed', unit: 'ft/min' }];
const plant = JSON.stringify({
  ...PLANT,
  machines: [{ ...first, variables: ['lineSpeed'], variableDetails }, ...others],
});

describe.each([
  {
    units: 'imperial',
    coil: ['41.5625 in', '5,960', 'ft left, of 6,000'],
    task: '2,200 ft',
    speed: '118.5 ft/min',
    hint: 'in feet and pounds',
  },
  {
    units: 'metric',
    coil: ['1,055.7 mm', '1,816.6', 'm left, of 1,828.8'],
    task: '670.6 m',
    speed: '36.1 m/min',
    hint: 'in metres and kilograms',
  },
])('D-45 page.units: $units', ({ units, coil, task, speed, hint }) => {
  let gate: PageUnderTest;
  beforeAll(async () => {
    gate = await PageUnderTest.start({ plant, settings: `page: { units: ${units} }\n` });
    await gate.say('RF-01', { running: true });
    await gate.program.device('vars', { machineId: 'RF-01', lineSpeed: 118.5 });
  });
  afterAll(() => gate.end());

  it('shows coils, tasks and variables in these units; the answers to programs do not change', async () => {
    const page = await gate.open('/coil/C-70009');
    for (const text of coil) await page.getByText(text, { exact: true }).waitFor();
    await expectAccessible(page);
    await shoot(page, `coil-${units}`);
    await gate.follow('/tasks');
    await page.getByText(task, { exact: true }).first().waitFor();
    await gate.follow('/machine/RF-01');
    await expect.poll(() => page.locator('.curve').textContent()).toContain(`Line speed${speed}`);
    expect(await gate.business('/coils/C-70009')).toMatchObject({ widthIn: 41.5625, lengthRemainingFt: 5_960 });
  });

  it('is shown to administrators', async () => {
    await gate.open('/admin', { as: 'admin' });
    await gate.page.getByRole('button', { name: 'Shifts and server' }).click();
    await gate.page.getByText(hint).waitFor();
    await shoot(gate.page, `units-${units}`);
  });
});
