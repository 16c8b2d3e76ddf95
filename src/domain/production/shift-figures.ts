import { type StopRow, type SumsRow, stopRow, type WorkRow } from './production-report.ts';
import { type PlantJudgement, type ProductionSums, type ShiftOutcome, sumsOf, workSumsOf } from './production-sums.ts';

/** The figures of one shift of one machine, judged by its plant: sums of them are sums of columns. */
export interface ShiftFigures {
  readonly shiftDate: string;
  readonly shiftName: string;
  readonly sums: ProductionSums;
  /** By reason; null: without one yet. */
  readonly stops: readonly StopRow[];
  readonly work: readonly WorkFigures[];
}

/** The pieces of one part for one job by one operator; null: not known. */
export interface WorkFigures extends Omit<WorkRow, 'key'> {
  readonly partId: string | null;
  readonly jobNumber: string | null;
  readonly userId: string | null;
}

export type TopStop = SumsRow['topStop'];

export function shiftFigures(outcome: ShiftOutcome, judgement: PlantJudgement, nowAt: number): ShiftFigures {
  const { machine, shift, summary } = outcome;
  return {
    shiftDate: shift.shiftDate,
    shiftName: shift.shiftName,
    sums: sumsOf(outcome, judgement, nowAt),
    stops: summary.stops.map((stop) => stopRow(stop.reasonId, stop, shift.isPlanned, judgement)),
    work: summary.work.map((work) => ({ ...work, ...workSumsOf(work, machine, judgement) })),
  };
}
