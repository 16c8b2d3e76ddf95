import type { BatchHeader } from '../../adapters/store/thread/received/check-batch.ts';
import {
  eachCount,
  eachTotal,
  type MachineReading,
  NOTHING_MADE,
  type Production,
  plus,
} from '../../domain/machine/counters/counters.ts';
import type { CatchUp, ShiftRecord, WorkSession } from '../../domain/machine/records.ts';
import { type CatchUpOffsets, catchUpOffsets } from '../../domain/sync/catch-up.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { catchUp as catchUpTable } from '../postgres/schema/received.ts';
import { upsertInto } from '../postgres/upsert-rows.ts';
import { IS_COUNTED, type StreamTotals } from './stream-totals.ts';

const FORMER = `
  SELECT stream AS former, reading FROM central.stream JOIN central.stream_shift USING (gateway_id, stream)
  WHERE gateway_id = $1 AND machine_id = $2 AND directory = $3 AND stream <> $4 AND reading IS NOT NULL AND ${IS_COUNTED}
  ORDER BY read_at DESC LIMIT 1`;
const LAST_READ_AT = `
  SELECT max(read_at) AS at FROM central.stream_shift WHERE gateway_id = $1 AND stream = $2 AND machine_id = $3`;
// A copy that is older than the catch-up has not counted its production.
const offset = (column: string, condition: string) => `
  SELECT ${column} AS json FROM central.catch_up JOIN central.stream USING (gateway_id, stream)
  WHERE gateway_id = $1 AND machine_id = $2 AND directory = $3 AND (stream = $4 OR at <= $5 AND ${IS_COUNTED})
    AND ${condition} ORDER BY stream = $4 DESC, at DESC LIMIT 1`;
const SHIFT_OFFSET = offset('shift_offset', 'shift_date = $6 AND shift_name = $7');
const SESSION_OFFSET = offset('session_offset', 'session_id = $6');

const put = upsertInto(catchUpTable);

/**
 * The amounts to raise or lower totals of data directories that were restored from a backup (domain/sync/catch-up.ts).
 * An amount counts for a stream, and for streams that began later with a copy of it. Machine and session ids are those
 * under which the records are kept here.
 */
export class CatchUps {
  readonly #postgres: Postgres;
  readonly #totals: StreamTotals;

  constructor(postgres: Postgres, totals: StreamTotals) {
    this.#postgres = postgres;
    this.#totals = totals;
  }

  /** Whether there was something to catch up with. */
  async note(header: BatchHeader, catchUp: CatchUp): Promise<boolean> {
    const { since, at, shift, session } = catchUp;
    const { gatewayId, stream, directory = '' } = header;
    const [known] = await this.#postgres.query<{ former: string; reading: string }>(FORMER, [
      ...[gatewayId, shift.machineId, directory, stream],
    ]);
    const [last] = await this.#postgres.query<{ at: number | null }>(LAST_READ_AT, [
      gatewayId,
      stream,
      shift.machineId,
    ]);
    const lastReadAt = last?.at ?? null;
    // If this very stream has heard the machine since, its gateway has forgotten that, and was not restored.
    if (known === undefined || (lastReadAt !== null && (since === null || lastReadAt > since))) return false;
    const offsets = catchUpOffsets(catchUp, JSON.parse(known.reading) as MachineReading, {
      shift: await this.#totals.shiftByOthers(header, shift),
      session: session === null ? NOTHING_MADE : await this.#totals.sessionByOthers(header, session),
    });
    if (offsets === null) return false;
    const { machineId, shiftDate, shiftName } = shift;
    const amounts = { shiftOffset: JSON.stringify(offsets.shift), sessionOffset: JSON.stringify(offsets.session) };
    const key = { gatewayId, machineId, stream, at, shiftDate, shiftName, sessionId: session?.sessionId ?? null };
    await put(this.#postgres, [{ ...key, ...amounts, former: known.former }]);
    return true;
  }

  /** The shift with its totals continued from those before the restore. */
  async countedOn({ gatewayId, stream, directory = '' }: BatchHeader, shift: ShiftRecord): Promise<ShiftRecord> {
    const { machineId, shiftDate, shiftName, totals, reading } = shift;
    if (reading === undefined) return shift;
    const values = [gatewayId, machineId, directory, stream, reading.at, shiftDate, shiftName];
    const [found] = await this.#postgres.query<{ json: string }>(SHIFT_OFFSET, values);
    if (found === undefined) return shift;
    return { ...shift, totals: eachTotal(totals, JSON.parse(found.json) as CatchUpOffsets['shift'], plus) };
  }

  /** The work session with its counts continued from those before the restore. */
  async workedOn({ gatewayId, stream, directory = '' }: BatchHeader, session: WorkSession): Promise<WorkSession> {
    const { machineId, sessionId, lastActiveAt } = session;
    const values = [gatewayId, machineId, directory, stream, lastActiveAt, sessionId];
    const [found] = await this.#postgres.query<{ json: string }>(SESSION_OFFSET, values);
    if (found === undefined) return session;
    return { ...session, ...eachCount(session, JSON.parse(found.json) as Production, plus) };
  }
}
