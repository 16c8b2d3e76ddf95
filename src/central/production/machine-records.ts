import { totalsSql } from '../../adapters/store/thread/shift-columns.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { ShiftTotals } from '../../domain/machine/counters/counters.ts';
import type { WorkSession } from '../../domain/machine/records.ts';
import type { MachineRecords } from '../../domain/production/machine-figures.ts';
import type { RecordRange } from '../../flows/fleet-production/fleet-production-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';

const SHIFTS = `
  SELECT machine_id AS "machineId", shift_date AS "shiftDate", shift_name AS "shiftName",
    ${totalsSql((name, column) => `${column} AS "${name}"`)}
  FROM central.shift_totals WHERE machine_id = ANY ($1::text[]) AND shift_date BETWEEN $2 AND $3
  ORDER BY machine_id, shift_date, shift_name`;
/** Records of one machine do not overlap: the newest that began before is the only one to reach in. */
const touching = (columns: string, table: string) => `
  SELECT own.id AS "machineId", found.* FROM unnest($1::text[]) AS own (id) CROSS JOIN LATERAL (
    SELECT ${columns}, started_at AS "startedAt", ended_at AS "endedAt" FROM central.${table}
    WHERE machine_id = own.id AND started_at < $3 AND (ended_at IS NULL OR ended_at > $2) AND started_at >= coalesce(
      (SELECT max(started_at) FROM central.${table} WHERE machine_id = own.id AND started_at <= $2), $2)
  ) AS found ORDER BY own.id, "startedAt"`;
const SPANS = touching('activity', 'span');
const DOWNTIMES = touching('reason_id AS "reasonId"', 'downtime');
const SESSIONS = touching(
  `session_id AS "sessionId", job_number AS "jobNumber", part_id AS "partId", user_id AS "userId",
   last_active_at AS "lastActiveAt", good_parts AS "goodParts", bad_parts AS "badParts", cycles`,
  'work_session',
);

type Of<T> = T & { readonly machineId: string };

/** What shifts of machines are added up from. */
export async function readMachineRecords(
  postgres: Postgres,
  machineIds: readonly string[],
  { from, to, fromDate, toDate }: RecordRange,
): Promise<readonly MachineRecords[]> {
  const read = async <Row extends object>(text: string, low: number | string, high: number | string) => {
    const rows = await postgres.query<Of<Row>>(text, [machineIds, low, high]);
    return groupBy(rows, ({ machineId }) => machineId);
  };
  const shifts = await read<ShiftTotals & { readonly shiftDate: string; readonly shiftName: string }>(
    SHIFTS,
    fromDate,
    toDate,
  );
  const spans = await read<MachineRecords['spans'][number]>(SPANS, from, to);
  const downtimes = await read<MachineRecords['downtimes'][number]>(DOWNTIMES, from, to);
  const sessions = await read<WorkSession>(SESSIONS, from, to);
  return machineIds.map((machineId) => ({
    machineId,
    shifts: (shifts.get(machineId) ?? []).map(({ shiftDate, shiftName, machineId: _, ...totals }) => {
      return { shiftDate, shiftName, totals };
    }),
    spans: spans.get(machineId) ?? [],
    downtimes: downtimes.get(machineId) ?? [],
    sessions: sessions.get(machineId) ?? [],
  }));
}
