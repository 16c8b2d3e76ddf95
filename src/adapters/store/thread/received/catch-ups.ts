import {
  eachCount,
  eachTotal,
  type MachineReading,
  NOTHING_MADE,
  type Production,
  plus,
} from '../../../../domain/machine/counters/counters.ts';
import type { CatchUp, ShiftRecord, WorkSession } from '../../../../domain/machine/records.ts';
import { type CatchUpOffsets, catchUpOffsets } from '../../../../domain/sync/catch-up.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedCatchUp } from '../database/schema/received.ts';
import type { BatchHeader } from './check-batch.ts';
import type { StreamSessions } from './stream-sessions.ts';
import { IS_COUNTED, type StreamShifts } from './stream-shifts.ts';

interface Key {
  readonly gatewayId: string;
  readonly machineId: string;
  readonly directory: string;
  readonly stream: string;
}

/**
 * The amounts to raise or lower totals of data directories that were restored from a backup (domain/sync/catch-up.ts).
 * An amount counts for a stream, and for streams that began later with a copy of it. To be called within a transaction.
 */
export class CatchUps {
  readonly #shifts: StreamShifts;
  readonly #sessions: StreamSessions;
  readonly #former;
  readonly #lastReadAt;
  readonly #put;
  readonly #shiftOffset;
  readonly #sessionOffset;

  constructor(connection: Connection, counted: { shifts: StreamShifts; sessions: StreamSessions }) {
    this.#shifts = counted.shifts;
    this.#sessions = counted.sessions;
    // CROSS JOIN makes SQLite go stream by stream, and read only the machine's shifts of each.
    this.#former = connection.prepare<Key, { readonly former: string; readonly reading: string }>(
      `SELECT stream AS former, reading FROM received_stream CROSS JOIN received_shift USING (gateway_id, stream)
       WHERE gateway_id = @gatewayId AND directory = @directory AND stream <> @stream AND machine_id = @machineId
         AND reading IS NOT NULL AND ${IS_COUNTED} ORDER BY reading ->> 'at' DESC LIMIT 1`,
    );
    this.#lastReadAt = connection
      .prepare<Key, number | null>(
        `SELECT max(reading ->> 'at') FROM received_shift
         WHERE gateway_id = @gatewayId AND stream = @stream AND machine_id = @machineId`,
      )
      .pluck();
    this.#put = insertInto(connection, receivedCatchUp, { or: 'REPLACE' });
    // A copy that is older than the catch-up has not counted its production.
    const offset = (column: string, condition: string) =>
      `SELECT ${column} FROM received_catch_up JOIN received_stream USING (gateway_id, stream)
       WHERE gateway_id = @gatewayId AND machine_id = @machineId AND directory = @directory AND ${condition}
         AND (stream = @stream OR at <= @at AND ${IS_COUNTED}) ORDER BY stream = @stream DESC, at DESC LIMIT 1`;
    this.#shiftOffset = connection
      .prepare<Key & { readonly shiftDate: string; readonly shiftName: string; readonly at: number }, string>(
        offset('shift_offset', 'shift_date = @shiftDate AND shift_name = @shiftName'),
      )
      .pluck();
    this.#sessionOffset = connection
      .prepare<Key & { readonly sessionId: string; readonly at: number }, string>(
        offset('session_offset', 'session_id = @sessionId'),
      )
      .pluck();
  }

  /** `machineId` and `sessionId`, here and below, are the ids under which the records are kept here. */
  note(header: BatchHeader, catchUp: CatchUp): void {
    const { since, at, shift, session } = catchUp;
    const key = keyOf(header, shift.machineId);
    const known = this.#former.get(key);
    // If this very stream has heard the machine since, its gateway has forgotten that, and was not restored.
    const lastReadAt = this.#lastReadAt.get(key) ?? null;
    if (known === undefined || (lastReadAt !== null && (since === null || lastReadAt > since))) return;
    const offsets = catchUpOffsets(catchUp, JSON.parse(known.reading) as MachineReading, {
      shift: this.#shifts.countedByOthers(header, shift),
      session: session === null ? NOTHING_MADE : this.#sessions.countedByOthers(header, session),
    });
    if (offsets === null) return;
    const { shiftDate, shiftName } = shift;
    const sessionId = session?.sessionId ?? null;
    const [shiftOffset, sessionOffset] = [JSON.stringify(offsets.shift), JSON.stringify(offsets.session)];
    this.#put({ ...key, at, shiftDate, shiftName, shiftOffset, sessionId, sessionOffset, former: known.former });
  }

  /** The shift with its totals continued from those before the restore. */
  countedOn(header: BatchHeader, shift: ShiftRecord): ShiftRecord {
    const { machineId, shiftDate, shiftName, totals, reading } = shift;
    if (reading === undefined) return shift;
    const json = this.#shiftOffset.get({ ...keyOf(header, machineId), shiftDate, shiftName, at: reading.at });
    if (json === undefined) return shift;
    return { ...shift, totals: eachTotal(totals, JSON.parse(json) as CatchUpOffsets['shift'], plus) };
  }

  /** The work session with its counts continued from those before the restore. */
  workedOn(header: BatchHeader, session: WorkSession): WorkSession {
    const { machineId, sessionId, lastActiveAt } = session;
    const json = this.#sessionOffset.get({ ...keyOf(header, machineId), sessionId, at: lastActiveAt });
    if (json === undefined) return session;
    return { ...session, ...eachCount(session, JSON.parse(json) as Production, plus) };
  }
}

function keyOf({ gatewayId, stream, directory = '' }: BatchHeader, machineId: string): Key {
  return { gatewayId, machineId, directory, stream };
}
