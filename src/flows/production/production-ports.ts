import type { ShiftRecord } from '../../domain/machine/records.ts';
import type {
  Split,
  StopRow,
  StopSplit,
  SumsRow,
  WorkRow,
  WorkSplit,
} from '../../domain/production/production-report.ts';
import type { PlantJudgement, ProducingMachine } from '../../domain/production/production-sums.ts';
import type { StopLogFilter, StopLogRow } from '../../domain/production/stop-log.ts';
import type { PlannedShift } from '../../domain/shift/work-plan.ts';
import type { TimeSpan } from '../../domain/time-spans.ts';

/** The machines and shifts of a question about production, and the plant's data with which it is answered. */
export interface ProductionScope {
  readonly machines: readonly ProducingMachine[];
  /** All shifts of the days that are asked for, in order. */
  readonly shifts: readonly PlannedShift[];
  /** Only shifts of this name; null: all. */
  readonly shiftName: string | null;
  /** The present shift of each machine, as the main thread knows it. */
  readonly live: readonly ShiftRecord[];
  readonly judgement: PlantJudgement;
  readonly nowAt: number;
}

/** Rows in no order, and their total. */
export interface ReportRows<Row> {
  readonly total: Row;
  readonly rows: readonly Row[];
}

/** The newest stops and faults of machines that began in these stretches of time, at most `limit`. */
export interface StopLogScope {
  readonly machineIds: readonly string[];
  readonly ranges: readonly TimeSpan[];
  readonly filter: StopLogFilter;
  readonly limit: number;
  readonly nowAt: number;
}

/** `count` and the sums are those of all that were found; `rows` has the newest of them, the newest first. */
export interface StopLogPage {
  readonly count: number;
  readonly totalMs: number;
  readonly faultMs: number;
  readonly rows: readonly (StopLogRow & { readonly partId: string | null })[];
}

export interface ProductionQueries {
  productionSums(by: Split, scope: ProductionScope): Promise<ReportRows<SumsRow>>;
  productionWork(by: WorkSplit, scope: ProductionScope): Promise<ReportRows<WorkRow>>;
  productionStops(by: StopSplit, scope: ProductionScope): Promise<ReportRows<StopRow>>;
  stopLog(scope: StopLogScope): Promise<StopLogPage>;
  /** Adds up those shifts that are over and not added up yet. `shifts`: all of their dates, as for a question. */
  summariseShifts(scope: Pick<ProductionScope, 'machines' | 'shifts' | 'nowAt'>): Promise<void>;
}
