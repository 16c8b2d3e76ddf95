import type { ShiftRecord, ShiftTotals } from '../../../../domain/machine/records.ts';
import type { GatewayStream } from '../../../../domain/sync/name-claim.ts';
import type { Connection } from '../connection.ts';
import type { BatchHeader } from './check-batch.ts';

const KEY = 'machine_id, shift_date, shift_name';
const TOTALS = [
  ['goodParts', 'good_parts'],
  ['badParts', 'bad_parts'],
  ['cycles', 'cycles'],
  ['runningMs', 'running_ms'],
  ['stoppedMs', 'stopped_ms'],
  ['downMs', 'down_ms'],
  ['faultMs', 'fault_ms'],
  ['overrideMs', 'override_ms'],
  ['offlineMs', 'offline_ms'],
] as const satisfies readonly (readonly [keyof ShiftTotals, string])[];
const COLUMNS = TOTALS.map(([, column]) => column).join(', ');
const PARAMETERS = TOTALS.map(([name]) => `@${name}`).join(', ');
const SUMS = TOTALS.map(([name, column]) => `sum(${column}) AS ${name}`).join(', ');

/**
 * Of every data directory the newest stream that is not refused: what it says of a shift holds all that its directory and
 * the one it was copied from have counted. SQLite takes the other columns from the row that has the maximum.
 */
const COUNTED = `SELECT said.*, max(place) FROM received_stream CROSS JOIN received_shift AS said USING (gateway_id, stream)
  WHERE gateway_id = @gatewayId
    AND stream NOT IN (SELECT stream FROM received_refusal WHERE gateway_id = @gatewayId)`;

interface ShiftKey {
  readonly gatewayId: string;
  readonly machineId: string;
  readonly shiftDate: string;
  readonly shiftName: string;
}

/**
 * What each stream said of each shift, and what is shown of it: the sum over the gateway's data directories, for one that
 * was made anew counts from zero. To be called within a transaction.
 */
export class StreamShifts {
  readonly #put;
  readonly #shown;
  readonly #showAnew;
  readonly #forget;

  constructor(connection: Connection) {
    this.#put = connection.prepare(
      `REPLACE INTO received_shift (gateway_id, stream, ${KEY}, ${COLUMNS})
       VALUES (@gatewayId, @stream, @machineId, @shiftDate, @shiftName, ${PARAMETERS})`,
    );
    this.#shown = connection.prepare<ShiftKey, { readonly [Name in keyof ShiftTotals]: number | null }>(
      `SELECT ${SUMS} FROM (${COUNTED}
         AND machine_id = @machineId AND shift_date = @shiftDate AND shift_name = @shiftName GROUP BY directory)`,
    );
    this.#showAnew = connection.prepare<GatewayStream>(
      `REPLACE INTO shift_totals (${KEY}, ${COLUMNS})
       SELECT ${KEY}, ${SUMS} FROM (${COUNTED}
         AND (${KEY}) IN (SELECT ${KEY} FROM received_shift WHERE gateway_id = @gatewayId AND stream = @stream)
         GROUP BY ${KEY}, directory) GROUP BY ${KEY}`,
    );
    this.#forget = connection.prepare<[string, string]>(
      `DELETE FROM received_shift WHERE gateway_id = ?
         AND stream NOT IN (SELECT stream FROM received_stream WHERE gateway_id = ?)`,
    );
  }

  /** Gives what is to be shown of the shift now. `machineId`: as it is kept here. */
  noted({ gatewayId, stream }: BatchHeader, shift: ShiftRecord): ShiftRecord {
    const { machineId, shiftDate, shiftName, totals } = shift;
    this.#put.run({ gatewayId, stream, machineId, shiftDate, shiftName, ...totals });
    const shown = this.#shown.get({ gatewayId, machineId, shiftDate, shiftName });
    const sums = TOTALS.map(([name]) => [name, shown?.[name] ?? totals[name]] as const);
    return { ...shift, totals: { ...totals, ...Object.fromEntries(sums) } };
  }

  /** The stream was granted the name: of the shifts that it spoke of, what is shown follows. */
  showAnew(of: GatewayStream): void {
    this.#showAnew.run(of);
  }

  /** What streams said that are not known any more. */
  forget(gatewayId: string): void {
    this.#forget.run(gatewayId, gatewayId);
  }
}
