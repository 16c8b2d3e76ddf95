import {
  type Report,
  type Split,
  type StopRow,
  type StopSplit,
  type SumsRow,
  stopsReport,
  sumsReport,
  type WorkRow,
  type WorkSplit,
  workReport,
} from '../../../../domain/production/production-report.ts';
import type { ShiftOutcome } from '../../../../domain/production/production-sums.ts';
import type { ProductionScope, ReportRows } from '../../../../flows/production/production-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { ShiftSummaries } from './shift-summaries.ts';

/** Answers questions about production machine by machine, in slices, so that commits get their turn. */
export class ProductionReports {
  readonly #summaries: ShiftSummaries;

  constructor(summaries: ShiftSummaries) {
    this.#summaries = summaries;
  }

  sums(by: Split, scope: ProductionScope): Promise<ReportRows<SumsRow>> {
    return this.#filled(sumsReport(by, scope.judgement, scope.nowAt), scope);
  }

  work(by: WorkSplit, scope: ProductionScope): Promise<ReportRows<WorkRow>> {
    return this.#filled(workReport(by, scope.judgement), scope);
  }

  stops(by: StopSplit, scope: ProductionScope): Promise<ReportRows<StopRow>> {
    return this.#filled(stopsReport(by, scope.judgement), scope);
  }

  async summarise(scope: Pick<ProductionScope, 'machines' | 'shifts' | 'nowAt'>): Promise<void> {
    await this.#each({ ...scope, shiftName: null, live: [] }, () => undefined);
  }

  async #filled<Row>(report: Report<Row>, scope: ProductionScope): Promise<ReportRows<Row>> {
    await this.#each(scope, report.add);
    return { total: report.total(), rows: report.rows() };
  }

  async #each(
    { machines, shifts, shiftName, live, nowAt }: Omit<ProductionScope, 'judgement'>,
    take: (outcome: ShiftOutcome) => void,
  ): Promise<void> {
    const liveOf = new Map(live.map((record) => [String(record.machineId), record]));
    const slice = new Slice();
    for (const machine of machines) {
      const range = { shifts, shiftName, live: liveOf.get(machine.machineId) ?? null, nowAt };
      const work = this.#summaries.outcomes(machine, range);
      let step = work.next();
      for (; step.done !== true; step = work.next()) await slice.pause();
      for (const outcome of step.value) take(outcome);
      await slice.pause();
    }
  }
}
