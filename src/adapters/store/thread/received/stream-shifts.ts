import type { ShiftRecord } from '../../../../domain/machine/records.ts';
import type { Connection } from '../connection.ts';
import type { BatchHeader } from './check-batch.ts';

type Stream = Pick<BatchHeader, 'gatewayId' | 'stream'>;

const KEY = 'machine_id, shift_date, shift_name';
const TOTALS = 'good_parts, bad_parts, cycles, running_ms, stopped_ms, down_ms, fault_ms, override_ms, offline_ms';

/**
 * What each stream said of each shift. What is shown of a shift is what was said last, until a person decides which of two
 * streams was right. To be written within a transaction.
 */
export class StreamShifts {
  readonly #put;
  readonly #show;

  constructor(connection: Connection) {
    this.#put = connection.prepare(
      `REPLACE INTO received_shift (gateway_id, stream, ${KEY}, ${TOTALS}) VALUES (@gatewayId, @stream,
         @machineId, @shiftDate, @shiftName, @goodParts, @badParts, @cycles,
         @runningMs, @stoppedMs, @downMs, @faultMs, @overrideMs, @offlineMs)`,
    );
    this.#show = connection.prepare<Stream & { readonly over: string }>(
      `REPLACE INTO shift_totals (${KEY}, ${TOTALS})
       SELECT ${KEY}, ${TOTALS} FROM received_shift WHERE gateway_id = @gatewayId AND stream = @stream
         AND (${KEY}) IN (SELECT ${KEY} FROM received_shift WHERE gateway_id = @gatewayId AND stream = @over)`,
    );
  }

  /** `machineId`: as it is kept here. */
  note({ gatewayId, stream }: Stream, { machineId, shiftDate, shiftName, totals }: ShiftRecord): void {
    this.#put.run({ gatewayId, stream, machineId, shiftDate, shiftName, ...totals });
  }

  /** Of shifts that both streams spoke of, the first is shown again. */
  showAgain({ gatewayId, stream }: Stream, over: string): void {
    this.#show.run({ gatewayId, stream, over });
  }
}
