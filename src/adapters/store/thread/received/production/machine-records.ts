import type { ShiftTotals } from '../../../../../domain/machine/counters/counters.ts';
import type { MachineRecords } from '../../../../../domain/production/machine-figures.ts';
import type { RecordRange } from '../../../../../flows/fleet-production/fleet-production-ports.ts';
import { Slice } from '../../../../../runtime/slice.ts';
import type { Connection } from '../../database/connection.ts';
import type { ShiftSummaries } from '../../production/shift-summaries.ts';
import { NAMED_TOTALS } from '../../shift-columns.ts';

/** Reads what shifts of machines are added up from, in slices, so that commits get their turn. */
export class MachineRecordRows {
  readonly #summaries: Pick<ShiftSummaries, 'touching'>;
  readonly #shifts;

  constructor(connection: Connection, summaries: Pick<ShiftSummaries, 'touching'>) {
    this.#summaries = summaries;
    this.#shifts = connection.prepare<
      [string, string, string],
      ShiftTotals & { readonly shiftDate: string; readonly shiftName: string }
    >(
      `SELECT shift_date AS shiftDate, shift_name AS shiftName, ${NAMED_TOTALS} FROM shift_totals
       WHERE machine_id = ? AND shift_date BETWEEN ? AND ? ORDER BY shift_date, shift_name`,
    );
  }

  async read(machineIds: readonly string[], range: RecordRange): Promise<readonly MachineRecords[]> {
    const { from, to, fromDate, toDate } = range;
    const slice = new Slice();
    const records: MachineRecords[] = [];
    for (const machineId of machineIds) {
      const shifts = this.#shifts
        .all(machineId, fromDate, toDate)
        .map(({ shiftDate, shiftName, ...totals }) => ({ shiftDate, shiftName, totals }));
      records.push({ machineId, shifts, ...this.#summaries.touching({ machineId, from, to }) });
      await slice.pause();
    }
    return records;
  }
}
