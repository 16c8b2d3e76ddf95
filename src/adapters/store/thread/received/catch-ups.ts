import { type MachineReading, NOTHING_MADE, type Production } from '../../../../domain/machine/counters.ts';
import type { CatchUp, ShiftRecord, WorkSession } from '../../../../domain/machine/records.ts';
import { type CatchUpOffsets, catchUpOffsets, eachCount, eachTotal, plus } from '../../../../domain/sync/catch-up.ts';
import type { Connection } from '../connection.ts';
import type { BatchHeader } from './check-batch.ts';
import { IS_COUNTED, type StreamShifts } from './stream-shifts.ts';

interface Key {
  readonly gatewayId: string;
  readonly machineId: string;
  readonly directory: string;
  readonly stream: string;
}

/**
 * What totals of data directories that were restored from a backup have to be raised or lowered by (domain/sync/catch-up.ts).
 * It holds for a stream, and for those that began later with a copy of it. To be called within a transaction.
 */
export class CatchUps {
  readonly #shifts: StreamShifts;
  readonly #former;
  readonly #sessionCounts;
  readonly #put;
  readonly #shiftOffset;
  readonly #sessionOffset;

  constructor(connection: Connection, shifts: StreamShifts) {
    this.#shifts = shifts;
    // CROSS JOIN: stream by stream, and of each the machine's shifts alone.
    this.#former = connection
      .prepare<Key, string>(
        `SELECT reading FROM received_stream CROSS JOIN received_shift USING (gateway_id, stream)
         WHERE gateway_id = @gatewayId AND directory = @directory AND stream <> @stream AND machine_id = @machineId
           AND reading IS NOT NULL AND ${IS_COUNTED} ORDER BY reading ->> 'at' DESC LIMIT 1`,
      )
      .pluck();
    this.#sessionCounts = connection.prepare<[string], Production>(
      'SELECT good_parts AS goodParts, bad_parts AS badParts, cycles FROM work_session WHERE session_id = ?',
    );
    this.#put = connection.prepare(
      `REPLACE INTO received_catch_up VALUES (@gatewayId, @machineId, @stream, @at, @shiftDate, @shiftName, @shiftOffset,
         @sessionId, @sessionOffset)`,
    );
    // A copy that is older than the catch-up has not counted what it speaks of.
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

  /** `machineId` and `sessionId`, here and below: as they are kept here. */
  note(header: BatchHeader, catchUp: CatchUp): void {
    const { at, shift, session } = catchUp;
    const key = keyOf(header, shift.machineId);
    const former = this.#former.get(key);
    if (former === undefined) return;
    const offsets = catchUpOffsets(catchUp, JSON.parse(former) as MachineReading, {
      shift: this.#shifts.countedByOthers(header, shift),
      session: this.#sessionCounts.get(session?.sessionId ?? '') ?? NOTHING_MADE,
    });
    if (offsets === null) return;
    const { shiftDate, shiftName } = shift;
    const sessionId = session?.sessionId ?? null;
    const [shiftOffset, sessionOffset] = [JSON.stringify(offsets.shift), JSON.stringify(offsets.session)];
    this.#put.run({ ...key, at, shiftDate, shiftName, shiftOffset, sessionId, sessionOffset });
  }

  /** The shift with its totals as they go on from what was counted before the restore. */
  countedOn(header: BatchHeader, shift: ShiftRecord): ShiftRecord {
    const { machineId, shiftDate, shiftName, totals, reading } = shift;
    if (reading === undefined) return shift;
    const json = this.#shiftOffset.get({ ...keyOf(header, machineId), shiftDate, shiftName, at: reading.at });
    if (json === undefined) return shift;
    return { ...shift, totals: eachTotal(totals, JSON.parse(json) as CatchUpOffsets['shift'], plus) };
  }

  /** The same of a work session. Of one that it knows from before it shows no less than it did. */
  workedOn(header: BatchHeader, session: WorkSession): WorkSession {
    const { machineId, sessionId, lastActiveAt } = session;
    const json = this.#sessionOffset.get({ ...keyOf(header, machineId), sessionId, at: lastActiveAt });
    const counted = json === undefined ? session : eachCount(session, JSON.parse(json) as Production, plus);
    const known = this.#sessionCounts.get(sessionId) ?? NOTHING_MADE;
    return { ...session, ...eachCount(counted, known, Math.max) };
  }
}

function keyOf({ gatewayId, stream, directory = '' }: BatchHeader, machineId: string): Key {
  return { gatewayId, machineId, directory, stream };
}
