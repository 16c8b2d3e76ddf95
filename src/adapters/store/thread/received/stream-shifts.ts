import type { ShiftTotals } from '../../../../domain/machine/counters/counters.ts';
import type { ShiftRecord } from '../../../../domain/machine/records.ts';
import type { GatewayStream } from '../../../../domain/sync/name-claim.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedShift } from '../database/schema/received.ts';
import { TOTAL_COLUMNS, totalsSql } from '../shift-columns.ts';
import type { BatchHeader } from './check-batch.ts';

const KEY = 'machine_id, shift_date, shift_name';
const SUMS = totalsSql((name, column) => `coalesce(sum(${column}), 0) AS ${name}`);
const MOST = totalsSql((_, column) => `max(${column}) AS ${column}`);

/**
 * The SQL condition for streams whose totals count: a stream counts unless a person took the name from it. A stream
 * that is refused only because another one took the name still counts, because it held the name before. Totals that
 * other streams continue count in any case.
 */
export const IS_COUNTED = `(stream NOT IN (SELECT stream FROM received_refusal WHERE gateway_id = @gatewayId AND overruled)
  OR stream IN (SELECT former FROM received_catch_up WHERE gateway_id = @gatewayId))`;

/**
 * The highest total of any stream of a data directory. A directory restored from a backup has counted less of the
 * earlier shifts, and continues the known totals in the later ones (catch-ups.ts).
 */
const COUNTED = `SELECT ${KEY}, ${MOST} FROM received_stream CROSS JOIN received_shift USING (gateway_id, stream)
  WHERE gateway_id = @gatewayId AND ${IS_COUNTED}`;
const OF_SHIFT = 'machine_id = @machineId AND shift_date = @shiftDate AND shift_name = @shiftName';

interface ShiftKey {
  readonly gatewayId: string;
  readonly machineId: string;
  readonly shiftDate: string;
  readonly shiftName: string;
}

/**
 * The totals of each shift by stream, and the total that is shown: the sum over the gateway's data directories, because
 * a new one counts from zero. To be called within a transaction.
 */
export class StreamShifts {
  readonly #put;
  readonly #shown;
  readonly #ofOthers;
  readonly #showAnew;
  readonly #forget;

  constructor(connection: Connection) {
    this.#put = insertInto(connection, receivedShift, { or: 'REPLACE' });
    this.#shown = connection.prepare<ShiftKey, ShiftTotals>(
      `SELECT ${SUMS} FROM (${COUNTED} AND ${OF_SHIFT} GROUP BY directory)`,
    );
    this.#ofOthers = connection.prepare<ShiftKey & Pick<BatchHeader, 'stream' | 'directory'>, ShiftTotals>(
      `SELECT ${SUMS} FROM (${COUNTED} AND ${OF_SHIFT} AND directory = @directory AND stream <> @stream)`,
    );
    this.#showAnew = connection.prepare<GatewayStream>(
      `REPLACE INTO shift_totals (${KEY}, ${TOTAL_COLUMNS})
       SELECT ${KEY}, ${SUMS} FROM (${COUNTED}
         AND (${KEY}) IN (SELECT ${KEY} FROM received_shift WHERE gateway_id = @gatewayId AND stream = @stream)
         GROUP BY ${KEY}, directory) GROUP BY ${KEY}`,
    );
    this.#forget = connection.prepare<[string, string]>(
      `DELETE FROM received_shift WHERE gateway_id = ?
         AND stream NOT IN (SELECT stream FROM received_stream WHERE gateway_id = ?)`,
    );
  }

  /** Gives the totals of the shift to show now. `machineId` is the id under which it is kept here. */
  noted({ gatewayId, stream }: BatchHeader, shift: ShiftRecord): ShiftRecord {
    const { machineId, shiftDate, shiftName, totals, reading } = shift;
    const key = { gatewayId, machineId, shiftDate, shiftName };
    this.#put({ ...key, stream, ...totals, reading: reading === undefined ? null : JSON.stringify(reading) });
    return { machineId, shiftDate, shiftName, totals: this.#shown.get(key) ?? totals };
  }

  /**
   * The totals of the shift by the other streams of its data directory. `machineId` is the id under which it is kept
   * here.
   */
  countedByOthers({ gatewayId, stream, directory = '' }: BatchHeader, shift: ShiftRecord): ShiftTotals {
    const { machineId, shiftDate, shiftName, totals } = shift;
    return this.#ofOthers.get({ gatewayId, machineId, shiftDate, shiftName, stream, directory }) ?? totals;
  }

  /** The stream was granted the name: the shown totals of its shifts follow. */
  showAnew(of: GatewayStream): void {
    this.#showAnew.run(of);
  }

  /** Removes the totals of streams that are forgotten. */
  forget(gatewayId: string): void {
    this.#forget.run(gatewayId, gatewayId);
  }
}
