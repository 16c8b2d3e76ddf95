import type { Downtime } from '../../domain/machine/records.ts';
import { isListed, type StopLogRow } from '../../domain/production/stop-log.ts';
import type { StopLogPage, StopLogScope } from '../../flows/production/production-ports.ts';
import type { ReasonSearch } from '../../flows/store-ports.ts';
import { Slice } from '../../runtime/slice.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** Machines whose lines are in memory at once. */
const MACHINES_AT_ONCE = 2;

/**
 * The rows of `other` that touch a row of `own`. Rows of one machine do not overlap: of those that began before, only the
 * newest can reach into it.
 */
const touching = (table: string, other: string, own: string, condition: string) => `
  FROM central.${table} AS ${other} WHERE ${other}.machine_id = ${own}.machine_id AND ${condition}
   AND ${other}.started_at < coalesce(${own}.ended_at, $4) AND coalesce(${other}.ended_at, $4) > ${own}.started_at
   AND ${other}.started_at >= coalesce((SELECT max(started_at) FROM central.${table} AS before
     WHERE before.machine_id = ${own}.machine_id AND ${condition.replace(`${other}.`, 'before.')}
       AND before.started_at <= ${own}.started_at), 0)`;
const BEGAN = (own: string) =>
  `${own}.machine_id = ANY ($1::text[]) AND ${own}.started_at >= $2 AND ${own}.started_at < $3`;
const LINES = `
  SELECT downtime_id AS "downtimeId", machine_id AS "machineId", started_at AS "startedAt", ended_at AS "endedAt",
    reason_id AS "reasonId", note, user_name AS "userName", coalesce((
      SELECT sum(least(coalesce(fault.ended_at, $4), coalesce(stop.ended_at, $4))
        - greatest(fault.started_at, stop.started_at))
      ${touching('span', 'fault', 'stop', "fault.activity = 'fault'")}), 0) AS "faultMs"
  FROM central.downtime AS stop WHERE ${BEGAN('stop')}
  UNION ALL
  SELECT NULL, machine_id, started_at, ended_at, NULL, NULL, NULL, coalesce(ended_at, $4) - started_at
  FROM central.span AS fault WHERE ${BEGAN('fault')} AND fault.activity = 'fault'
    AND NOT EXISTS (SELECT 1 ${touching('downtime', 'stop', 'fault', 'TRUE')})`;
/** The part on the machine when it stopped, as far as a work session tells it. */
const PARTS = `
  SELECT place, (SELECT CASE WHEN ended_at IS NULL OR ended_at >= own.at THEN part_id END FROM central.work_session
    WHERE machine_id = own.id AND started_at <= own.at ORDER BY started_at DESC LIMIT 1) AS "partId"
  FROM unnest($1::text[], $2::float8[]) WITH ORDINALITY AS own (id, at, place) ORDER BY place`;
const LONGEST = `
  SELECT downtime_id AS "downtimeId", machine_id AS "machineId", started_at AS "startedAt", ended_at AS "endedAt",
    reason_id AS "reasonId", note, user_name AS "userName"
  FROM central.downtime WHERE machine_id = ANY ($1::text[]) AND started_at >= $2 AND started_at < $3
    AND ($4 OR reason_id IS NOT DISTINCT FROM $5)
  ORDER BY coalesce(ended_at, 1e15) - started_at DESC, downtime_id DESC LIMIT $6`;

/** The stops and faults of gateways' machines. */
export class StopLog {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async read({ machineIds, ranges, filter, limit, nowAt }: StopLogScope): Promise<StopLogPage> {
    const sums = { count: 0, totalMs: 0, faultMs: 0 };
    const slice = new Slice();
    let kept: StopLogRow[] = [];
    for (let at = 0; at < machineIds.length; at += MACHINES_AT_ONCE) {
      for (const { from, to } of ranges) {
        const values = [machineIds.slice(at, at + MACHINES_AT_ONCE), from, to, nowAt];
        for (const row of await this.#postgres.query<StopLogRow>(LINES, values)) {
          await slice.pause();
          if (!isListed(row, filter)) continue;
          sums.count += 1;
          sums.totalMs += (row.endedAt ?? nowAt) - row.startedAt;
          sums.faultMs += row.faultMs;
          kept.push(row);
        }
      }
      kept = kept.sort((one, other) => other.startedAt - one.startedAt).slice(0, limit);
    }
    const parts = await this.#postgres.query<{ readonly partId: string | null }>(PARTS, [
      kept.map(({ machineId }) => machineId),
      kept.map(({ startedAt }) => startedAt),
    ]);
    return { ...sums, rows: kept.map((row, place) => ({ ...row, partId: parts[place]?.partId ?? null })) };
  }

  longest({ machineIds, reasonId, range: { from, to }, limit }: ReasonSearch): Promise<readonly Downtime[]> {
    const values = [machineIds, from, to, reasonId === undefined, reasonId ?? null, limit];
    return this.#postgres.query(LONGEST, values);
  }
}
