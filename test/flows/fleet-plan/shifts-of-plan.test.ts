import { expect, it } from 'vitest';
import { EMPTY_SEALED, type PlanShifts, type SealedRecord } from '../../../src/domain/fleet/plan/fleet-plan.ts';
import { PlanApplier } from '../../../src/flows/fleet-plan/plan-applier.ts';
import type { PlanMemory } from '../../../src/flows/fleet-plan/plan-work.ts';
import { ShiftsOfPlan } from '../../../src/flows/fleet-plan/shifts-of-plan.ts';
import type { SettingsSection } from '../../../src/flows/settings/settings-ports.ts';
import { openPlant } from '../plant-under-test.ts';
import { openTestSettings, RUNNING } from './test-settings.ts';

const TWO: PlanShifts = {
  shifts: [
    { name: 'Early', start: '06:00', breaks: [{ start: '09:00', minutes: 15 }] },
    { name: 'Late', start: '14:00', days: ['Mon', 'Tue'] },
  ],
  daysOff: [{ date: '2026-12-25', name: 'Christmas' }],
};
const THREE: PlanShifts = { timeZone: 'America/Denver', shifts: [{ name: 'Day', start: '05:00' }] };

class Gateway {
  readonly opened;
  readonly plant = openPlant().plant;
  readonly #applier: PlanApplier;
  #memory: PlanMemory | null = null;
  #version = 0;

  constructor(fixed: readonly SettingsSection[] = []) {
    this.opened = openTestSettings(fixed);
    this.#applier = new PlanApplier(this.plant, new ShiftsOfPlan(this.opened.settings));
  }

  /** Previews a version, applies it, and gives its changes or faults. */
  async apply(
    shifts: PlanShifts | undefined,
    { overwrite = false, downtimeReasons = [] as readonly SealedRecord[] } = {},
  ) {
    this.#version += 1;
    const plan = { ...EMPTY_SEALED, downtimeReasons, ...(shifts && { shifts }) };
    const target = { version: this.#version, overwrite, plan, faults: [] };
    const { changes, faults } = await this.#applier.preview(target, this.#memory);
    const outcome = await this.#applier.apply('north', target, this.#memory, 1);
    if (outcome.kind === 'applied') this.#memory = outcome.memory;
    const applied = outcome.kind === 'applied' ? outcome.changes : outcome.faults;
    expect(applied).toEqual(outcome.kind === 'applied' ? changes : faults);
    return applied;
  }

  deviations() {
    if (this.#memory === null) throw new Error('nothing was applied');
    return this.#applier.deviations(this.#memory);
  }

  get shifts() {
    const { timeZone, shifts, daysOff } = this.opened.settings.view();
    return { timeZone, shifts, ...(daysOff && { daysOff }) };
  }
}

const change = (...fields: readonly string[]) => [{ kind: 'shifts', id: 'shifts', change: 'update', fields }];
const deviation = (why: string, ...fields: readonly string[]) => [{ kind: 'shifts', id: 'shifts', why, fields }];

it('D-112 shifts of a plan are chosen for the next start, in the time zone of the gateway unless the plan says one', async () => {
  const gateway = new Gateway();
  expect(await gateway.apply(TWO)).toEqual(change('shifts', 'daysOff'));
  expect(gateway.shifts).toEqual({ timeZone: RUNNING.timeZone, ...TWO });
  expect(await gateway.deviations()).toEqual(deviation('restart', 'shifts', 'daysOff'));
  expect(await gateway.apply(TWO)).toEqual([]);
  expect(gateway.opened.kept).toHaveLength(1);
  expect(await gateway.apply(THREE)).toEqual(change('timeZone', 'shifts', 'daysOff'));
  expect(gateway.shifts).toEqual(THREE);
});

it('D-112 a plan without shifts leaves those of the gateway', async () => {
  const gateway = new Gateway();
  await gateway.apply(TWO);
  expect(await gateway.apply(undefined)).toEqual([]);
  expect(gateway.shifts).toMatchObject(TWO);
  expect(await gateway.deviations()).toEqual([]);
});

it('D-112 shifts that were edited at the gateway stay, unless the version overwrites', async () => {
  const gateway = new Gateway();
  await gateway.apply(TWO);
  await gateway.opened.settings.change({ shifts: RUNNING });
  expect(await gateway.deviations()).toEqual(deviation('edited', 'shifts', 'daysOff'));
  expect(await gateway.apply(THREE)).toEqual([]);
  expect(gateway.shifts).toEqual(RUNNING);
  expect(await gateway.deviations()).toEqual(deviation('edited', 'timeZone', 'shifts'));
  expect(await gateway.apply(THREE, { overwrite: true })).toEqual(change('timeZone', 'shifts'));
  expect(gateway.shifts).toEqual(THREE);
});

it('D-112 shifts that the configuration of a gateway says stay, and are shown', async () => {
  const gateway = new Gateway(['shifts']);
  expect(await gateway.apply(TWO, { overwrite: true })).toEqual([]);
  expect(gateway.opened.kept).toEqual([]);
  expect(await gateway.deviations()).toEqual(deviation('fixed', 'shifts', 'daysOff'));
});

it.each([
  ['its shifts', { ...THREE, timeZone: 'Mars/Olympus' }, 1, 'shifts.timeZone'],
  ['its records', THREE, 1_001, 'downtimeReasons'],
])('D-112 a plan that is refused for %s changes no shifts and no records', async (_, shifts, count, path) => {
  const gateway = new Gateway();
  const downtimeReasons = Array.from({ length: count }, (_, place) => ({ id: `DT-${place}`, reason: 'Flood' }));
  expect(await gateway.apply(shifts, { downtimeReasons })).toEqual([expect.stringContaining(path)]);
  expect(gateway.shifts).toEqual(RUNNING);
  expect(gateway.plant.downtimeReasons().some(({ reason }) => reason === 'Flood')).toBe(false);
});
