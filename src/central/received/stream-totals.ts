import type { BatchHeader } from '../../adapters/store/thread/received/check-batch.ts';
import { totalsSql } from '../../adapters/store/thread/shift-columns.ts';
import type { Production, ShiftTotals } from '../../domain/machine/counters/counters.ts';
import type { ShiftRecord, WorkSession } from '../../domain/machine/records.ts';
import type { GatewayStream } from '../../domain/sync/name-claim.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { streamSession, streamShift } from '../postgres/schema/received.ts';
import { storableJson, upsertInto } from '../postgres/upsert-rows.ts';

/**
 * The SQL condition for streams whose totals count: a stream counts unless a person took the name from it. A stream
 * that is refused only because another one took the name still counts, because it held the name before. Totals that
 * other streams continue count in any case.
 */
export const IS_COUNTED = `(stream NOT IN (SELECT stream FROM central.refusal WHERE gateway_id = $1 AND overruled)
  OR stream IN (SELECT former FROM central.catch_up WHERE gateway_id = $1))`;

const KEY = 'machine_id, shift_date, shift_name';
const SUMS = totalsSql((name, column) => `coalesce(sum(${column}), 0) AS "${name}"`);
const MOST = totalsSql((_, column) => `max(${column}) AS ${column}`);
const COLUMNS = totalsSql((_, column) => column);
const CHANGES = totalsSql((_, column) => `${column} = excluded.${column}`);
/**
 * The highest total of any stream of a data directory. A directory restored from a backup has counted less of the
 * earlier shifts, and continues the known totals in the later ones (catch-ups.ts).
 */
const COUNTED = `SELECT ${KEY}, ${MOST} FROM central.stream JOIN central.stream_shift USING (gateway_id, stream)
  WHERE gateway_id = $1 AND ${IS_COUNTED}`;

/** The sum over the gateway's data directories, because a new one counts from zero. */
const showShifts = (keys: string) => `
  INSERT INTO central.shift_totals (${KEY}, ${COLUMNS})
  SELECT ${KEY}, ${totalsSql((_, column) => `sum(${column})`)}
  FROM (${COUNTED} AND (${KEY}) IN (${keys}) GROUP BY ${KEY}, directory) AS own GROUP BY ${KEY}
  ON CONFLICT (${KEY}) DO UPDATE SET ${CHANGES}`;
const SHOW_SHIFTS = showShifts(
  `SELECT "machineId", "shiftDate", "shiftName"
   FROM jsonb_to_recordset($2::jsonb) AS row ("machineId" text, "shiftDate" text, "shiftName" text)`,
);
const SHOW_ANEW = showShifts(`SELECT ${KEY} FROM central.stream_shift WHERE gateway_id = $1 AND stream = $2`);
const OTHERS_SHIFT = `
  SELECT ${SUMS} FROM (${COUNTED} AND machine_id = $2 AND shift_date = $3 AND shift_name = $4 AND directory = $5
    AND stream <> $6 GROUP BY ${KEY}) AS own`;

const MOST_MADE = `coalesce(max(good_parts), 0) AS "goodParts", coalesce(max(bad_parts), 0) AS "badParts",
  coalesce(max(cycles), 0) AS cycles`;
const MADE = `SELECT session_id AS "sessionId", ${MOST_MADE} FROM central.stream_session
  WHERE gateway_id = $1 AND session_id = ANY ($2::text[]) AND ${IS_COUNTED} GROUP BY session_id`;
const OTHERS_MADE = `SELECT ${MOST_MADE} FROM central.stream_session
  WHERE gateway_id = $1 AND session_id = $2 AND ${IS_COUNTED} AND stream <> $3`;

const putShifts = upsertInto(streamShift);
const putSessions = upsertInto(streamSession);

/**
 * The totals of shifts and of work sessions by stream, and those that are shown. Machine and session ids are those under
 * which the records are kept here.
 */
export class StreamTotals {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** Shows the totals of these shifts, each named once. */
  async noteShifts({ gatewayId, stream }: BatchHeader, shifts: readonly ShiftRecord[]): Promise<void> {
    if (shifts.length === 0) return;
    const rows = shifts.map(({ totals, reading, ...key }) => {
      const read = { reading: reading === undefined ? null : JSON.stringify(reading), readAt: reading?.at ?? null };
      return { gatewayId, stream, ...key, ...totals, ...read };
    });
    await putShifts(this.#postgres, rows);
    const keys = shifts.map(({ machineId, shiftDate, shiftName }) => ({ machineId, shiftDate, shiftName }));
    await this.#postgres.run(SHOW_SHIFTS, [gatewayId, storableJson(keys)]);
  }

  /** Gives these sessions, each named once, with the counts to show: the highest of any stream. */
  async noteSessions(
    { gatewayId, stream }: GatewayStream,
    sessions: readonly WorkSession[],
  ): Promise<readonly WorkSession[]> {
    if (sessions.length === 0) return [];
    const rows = sessions.map(({ sessionId, lastActiveAt, goodParts, badParts, cycles }) => {
      return { gatewayId, sessionId, stream, lastActiveAt, goodParts, badParts, cycles };
    });
    await putSessions(this.#postgres, rows);
    const ids = sessions.map(({ sessionId }) => sessionId);
    const made = await this.#postgres.query<Production & { sessionId: string }>(MADE, [gatewayId, ids]);
    const byId = new Map(made.map((one) => [one.sessionId, one]));
    return sessions.map((session) => ({ ...session, ...byId.get(session.sessionId) }));
  }

  /** The totals of the shift by the other streams of its data directory. */
  async shiftByOthers({ gatewayId, stream, directory = '' }: BatchHeader, shift: ShiftRecord): Promise<ShiftTotals> {
    const { machineId, shiftDate, shiftName, totals } = shift;
    const values = [gatewayId, machineId, shiftDate, shiftName, directory, stream];
    const [found] = await this.#postgres.query<ShiftTotals>(OTHERS_SHIFT, values);
    return found ?? totals;
  }

  /** The counts of the session by other streams. */
  async sessionByOthers({ gatewayId, stream }: GatewayStream, session: WorkSession): Promise<Production> {
    const [found] = await this.#postgres.query<Production>(OTHERS_MADE, [gatewayId, session.sessionId, stream]);
    return found ?? session;
  }

  /** The stream was granted the name: the shown totals of its shifts follow. */
  async showAnew({ gatewayId, stream }: GatewayStream): Promise<void> {
    await this.#postgres.run(SHOW_ANEW, [gatewayId, stream]);
  }
}
