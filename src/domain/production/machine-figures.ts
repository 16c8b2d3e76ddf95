import type { ToldMachine } from '../fleet/told-plant.ts';
import type { Downtime, ShiftRecord, Span, WorkSession } from '../machine/records.ts';
import type { PlannedShift } from '../shift/work-plan.ts';
import type { PlantJudgement, ShiftOutcome } from './production-sums.ts';
import { type ShiftFigures, shiftFigures } from './shift-figures.ts';
import { summariseShift } from './shift-summary.ts';

/** The records of a machine that touch a stretch of time, each list in the order of time. */
export interface MachineRecords {
  readonly machineId: string;
  readonly shifts: readonly Pick<ShiftRecord, 'shiftDate' | 'shiftName' | 'totals'>[];
  readonly spans: readonly Pick<Span, 'activity' | 'startedAt' | 'endedAt'>[];
  readonly downtimes: readonly Pick<Downtime, 'reasonId' | 'startedAt' | 'endedAt'>[];
  readonly sessions: readonly WorkSession[];
}

/** What a gateway told of its machines, by the ids under which they are kept, and of its plant. */
export interface ToldJudgement {
  readonly machines: ReadonlyMap<string, ToldMachine>;
  readonly judgement: PlantJudgement;
}

/** The shifts of which the gateway sent totals, also those that its plan no longer has. */
export function producedIn(
  { shifts: totals }: MachineRecords,
  planned: readonly PlannedShift[],
): readonly PlannedShift[] {
  const known = planned.filter((shift) => totals.some((one) => isSame(one, shift)));
  const dates = new Set(planned.map(({ shiftDate }) => shiftDate));
  const unknown = totals
    .filter((one) => dates.has(one.shiftDate) && !planned.some((shift) => isSame(one, shift)))
    .map(({ shiftDate, shiftName }) => ({ shiftDate, shiftName, startMs: 0, endMs: 0, isPlanned: false, breaks: [] }));
  return [...known, ...unknown];
}

function isSame(
  one: Pick<PlannedShift, 'shiftDate' | 'shiftName'>,
  other: Pick<PlannedShift, 'shiftDate' | 'shiftName'>,
): boolean {
  return one.shiftDate === other.shiftDate && one.shiftName === other.shiftName;
}

/** The figures of one shift; none without totals. */
export function figuresOf(
  shift: PlannedShift,
  records: MachineRecords,
  { machines, judgement }: ToldJudgement,
  nowAt: number,
): readonly ShiftFigures[] {
  const { machineId } = records;
  const totals = records.shifts.find((one) => isSame(one, shift))?.totals;
  if (totals === undefined) return [];
  const { goodParts, badParts, cycles } = totals;
  const made = { goodParts, badParts, cycles };
  const [from, to] = [shift.startMs, Math.min(shift.endMs, nowAt)];
  const summary = summariseShift(
    shift,
    {
      made,
      spans: touching(records.spans, from, to),
      downtimes: touching(records.downtimes, from, to),
      sessions: touching(records.sessions, from, to),
    },
    nowAt,
  );
  const told = machines.get(machineId);
  const machine = {
    machineId,
    area: told?.area ?? null,
    idealPartsPerMinute: told?.idealPartsPerMinute ?? null,
    targetPartsPerShift: told?.targetPartsPerShift ?? null,
  };
  const outcome: ShiftOutcome = { machine, shift, made, summary, targetParts: machine.targetPartsPerShift };
  return [shiftFigures(outcome, judgement, nowAt)];
}

/** Records of one machine do not overlap: the newest that began before is the only one to reach in. */
function touching<T extends { readonly startedAt: number; readonly endedAt: number | null }>(
  records: readonly T[],
  from: number,
  to: number,
): readonly T[] {
  const before = records.filter(({ startedAt }) => startedAt <= from).at(-1)?.startedAt ?? from;
  return records.filter(
    ({ startedAt, endedAt }) => startedAt >= before && startedAt < to && (endedAt === null || endedAt > from),
  );
}
