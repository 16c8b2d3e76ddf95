import { CodedError, faultText } from '../../domain/error.ts';
import type { ToldPlant, ToldReason } from '../../domain/fleet/told-plant.ts';
import type { ToldJudgement } from '../../domain/production/machine-figures.ts';
import { isBreakdownReason, isPlannedReason } from '../../domain/production/planned-reasons.ts';
import { type PlantJudgement, rateKey } from '../../domain/production/production-sums.ts';
import { createShiftCalendar, type ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { checkWorkPlan, createWorkPlan, type PlannedShift, type WorkPlan } from '../../domain/shift/work-plan.ts';
import { receivedId } from '../../domain/sync/received-id.ts';

/** The plan by which the shifts of a gateway are added up. */
export interface GatewayPlan extends ToldJudgement {
  /** False: the gateway tells nothing, so nothing is known to be planned, and its shifts are taken to be our own. */
  readonly isTold: boolean;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'timeText'>;
  /** The shifts of a date. They are remembered: reading them from the calendar takes long. */
  readonly shiftsOf: (date: string) => readonly PlannedShift[];
  readonly reasons: ReadonlyMap<string, ToldReason>;
}

/** Days of a gateway whose shifts are remembered. */
const REMEMBERED_DAYS = 500;

/** Throws `invalid-input`. */
export function planOf(gatewayId: string, told: ToldPlant): GatewayPlan {
  const made = createShiftCalendar(told);
  const faults = made.ok ? checkWorkPlan(told) : made.faults;
  if (!made.ok || faults.length > 0) {
    throw new CodedError('invalid-input', faults.map(faultText).join('; '), faults);
  }
  return {
    isTold: true,
    calendar: made.calendar,
    shiftsOf: remembered(made.calendar, createWorkPlan(told)),
    machines: new Map(told.machines.map((machine) => [receivedId(gatewayId, machine.machineId), machine])),
    reasons: new Map(told.reasons.map((reason) => [reason.id, reason])),
    judgement: judgementOf(gatewayId, told),
  };
}

function remembered(calendar: Pick<ShiftCalendar, 'shiftsOfDate'>, plan: WorkPlan): GatewayPlan['shiftsOf'] {
  const known = new Map<string, readonly PlannedShift[]>();
  return (date) => {
    const shifts = known.get(date) ?? calendar.shiftsOfDate(date).map(plan);
    if (known.size >= REMEMBERED_DAYS) known.clear();
    known.set(date, shifts);
    return shifts;
  };
}

function judgementOf(gatewayId: string, { reasons, rates }: ToldPlant): PlantJudgement {
  const kinds = reasons.map(({ id, group, planned }) => ({ id, group, ...(planned !== null && { planned }) }));
  const partRates = new Map<string, number>();
  const machinePartRates = new Map<string, number>();
  for (const { partId, machineId, idealPartsPerMinute } of rates) {
    if (machineId === null) partRates.set(partId, idealPartsPerMinute);
    else machinePartRates.set(rateKey(partId, receivedId(gatewayId, machineId)), idealPartsPerMinute);
  }
  return {
    plannedReasons: new Set(kinds.filter(isPlannedReason).map(({ id }) => id)),
    breakdownReasons: new Set(kinds.filter(isBreakdownReason).map(({ id }) => id)),
    partRates,
    machinePartRates,
  };
}

/** The plan of a gateway that tells nothing: shifts as our own, and none of them planned. */
export function untoldPlan(calendar: Pick<ShiftCalendar, 'shiftAt' | 'shiftsOfDate' | 'timeText'>): GatewayPlan {
  return {
    isTold: false,
    calendar,
    shiftsOf: remembered(calendar, (shift) => ({ ...shift, isPlanned: false, breaks: [] })),
    machines: new Map(),
    reasons: new Map(),
    judgement: {
      plannedReasons: new Set(),
      breakdownReasons: new Set(),
      partRates: new Map(),
      machinePartRates: new Map(),
    },
  };
}
