import type { Fault } from '../../domain/error.ts';
import { type PlanShifts, SHIFTS_PART, type TargetPlan } from '../../domain/fleet/plan/fleet-plan.ts';
import type { PlanDifference } from '../../domain/fleet/plan/plan-difference.ts';
import type { PlanDeviation } from '../../domain/fleet/plan/plan-report.ts';
import { differingShifts } from '../../domain/fleet/plan/plan-shifts.ts';
import type { ChangeSettings } from '../settings/change-settings.ts';
import type { ShiftSettings } from '../settings/settings-ports.ts';
import type { PlanMemory } from './plan-work.ts';

type Settings = Pick<ChangeSettings, 'view' | 'change' | 'faultsOf' | 'runningShifts'>;
type Before = Pick<PlanMemory, 'plan'> | null;

/** The changes that the shifts of a plan make at this gateway. `chosen` null: nothing has to be changed. */
interface ShiftsWork {
  readonly chosen: ShiftSettings | null;
  readonly changes: readonly PlanDifference[];
  readonly faults: readonly Fault[];
}

const NO_WORK: ShiftsWork = { chosen: null, changes: [], faults: [] };

/**
 * The shifts of a plan at this gateway: they are chosen as at its page, and count from its next start on (D-112). Shifts
 * that its configuration says, or that somebody changed since a plan brought them, stay.
 */
export class ShiftsOfPlan {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  work({ shifts }: TargetPlan['plan'], overwrite: boolean, before: Before): ShiftsWork {
    if (shifts === undefined || this.#isFixed() || (!overwrite && this.#isEdited(before))) return NO_WORK;
    const fields = this.#differing(shifts);
    if (fields.length === 0) return NO_WORK;
    const chosen = this.#asSettings(shifts);
    const changes = [{ ...SHIFTS_PART, change: 'update', fields }] as const;
    return { chosen, changes, faults: this.#settings.faultsOf({ shifts: chosen }) };
  }

  /** Keeps them for the next start, and gives a function that takes them back. */
  async choose({ chosen }: ShiftsWork): Promise<() => Promise<void>> {
    if (chosen === null) return async () => undefined;
    const before = this.#present();
    await this.#settings.change({ shifts: chosen });
    return async () => {
      await this.#settings.change({ shifts: before });
    };
  }

  /** How the shifts are not as the plan that was applied says. */
  deviations({ shifts }: TargetPlan['plan']): readonly PlanDeviation[] {
    if (shifts === undefined) return [];
    const fields = this.#differing(shifts);
    if (fields.length > 0) return [{ ...SHIFTS_PART, why: this.#isFixed() ? 'fixed' : 'edited', fields }];
    const due = differingShifts(this.#settings.runningShifts, this.#present());
    return due.length > 0 ? [{ ...SHIFTS_PART, why: 'restart', fields: due }] : [];
  }

  #isEdited(before: Before): boolean {
    const shifts = before?.plan.shifts;
    return shifts !== undefined && this.#differing(shifts).length > 0;
  }

  #isFixed(): boolean {
    return this.#settings.view().fixed.includes('shifts');
  }

  #differing(shifts: PlanShifts): readonly string[] {
    return differingShifts(this.#present(), this.#asSettings(shifts));
  }

  #asSettings({ timeZone, shifts, daysOff }: PlanShifts): ShiftSettings {
    return { timeZone: timeZone ?? this.#present().timeZone, shifts, ...(daysOff && { daysOff }) };
  }

  /** As they are chosen, also if they count from the next start on. */
  #present(): ShiftSettings {
    const { timeZone, shifts, daysOff } = this.#settings.view();
    return { timeZone, shifts, ...(daysOff && { daysOff }) };
  }
}
