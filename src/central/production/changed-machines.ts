import type { ChangedMachine } from '../../flows/fleet-production/fleet-production-ports.ts';
import type { StoreRecord } from '../../flows/store-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { storableJson } from '../postgres/upsert-rows.ts';

const EARLIEST = `ON CONFLICT (machine_id) DO UPDATE SET mark = changed_machine.mark + 1,
  since_at = least(changed_machine.since_at, excluded.since_at),
  since_date = least(changed_machine.since_date, excluded.since_date)`;
/** A stop may have begun earlier before a person changed it. */
const NOTE = `
  INSERT INTO central.changed_machine (machine_id, gateway_id, since_at, since_date, mark)
  SELECT machine_id, $1, min(since_at), min(since_date), 1 FROM (
    SELECT "machineId" AS machine_id, "sinceAt" AS since_at, "sinceDate" AS since_date
    FROM jsonb_to_recordset($2::jsonb) AS row ("machineId" text, "sinceAt" float8, "sinceDate" text)
    UNION ALL
    SELECT machine_id, started_at, NULL FROM central.downtime WHERE downtime_id = ANY ($3::text[])
  ) AS own GROUP BY machine_id ORDER BY machine_id ${EARLIEST}`;
const NOTE_PLAN = `
  INSERT INTO central.changed_machine (machine_id, gateway_id, since_at, since_date, mark)
  SELECT machine_id, $1, NULL, first_date, 1 FROM (
    SELECT gateway_id || '/' || own.machine_id AS machine_id, (SELECT min(shift_date) FROM central.shift_totals AS totals
      WHERE totals.machine_id = gateway_id || '/' || own.machine_id AND shift_date >= $2) AS first_date
    FROM central.machine AS own WHERE gateway_id = $1) AS found
  WHERE first_date IS NOT NULL ORDER BY machine_id ${EARLIEST}`;
const SOME = `
  SELECT machine_id AS "machineId", gateway_id AS "gatewayId", since_at AS "sinceAt", since_date AS "sinceDate", mark
  FROM central.changed_machine WHERE machine_id > $1 ORDER BY machine_id LIMIT $2`;

interface Since {
  sinceAt: number | null;
  sinceDate: string | null;
}

/** Machines of gateways whose records changed since their shifts were added up. */
export class ChangedMachines {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** To be called before the records are written, under the ids under which they are kept. */
  async note(gatewayId: string, records: Iterable<StoreRecord>): Promise<void> {
    const machines = new Map<string, Since>();
    const stops = new Set<string>();
    for (const record of records) noteRecord(record, machines, stops);
    if (machines.size + stops.size === 0) return;
    const rows = [...machines].map(([machineId, since]) => ({ machineId, ...since }));
    await this.#postgres.run(NOTE, [gatewayId, storableJson(rows), [...stops]]);
  }

  async notePlan(gatewayId: string, sinceDate: string): Promise<void> {
    await this.#postgres.run(NOTE_PLAN, [gatewayId, sinceDate]);
  }

  some(after: string, take: number): Promise<readonly ChangedMachine[]> {
    return this.#postgres.query(SOME, [after, take]);
  }
}

function noteRecord(record: StoreRecord, machines: Map<string, Since>, stops: Set<string>): void {
  switch (record.kind) {
    case 'shift':
      earliest(machines, record.shift.machineId, null, record.shift.shiftDate);
      return;
    case 'span':
      earliest(machines, record.span.machineId, record.span.startedAt, null);
      return;
    case 'workSession':
      earliest(machines, record.session.machineId, record.session.startedAt, null);
      return;
    case 'downtime':
      stops.add(record.downtime.downtimeId);
      earliest(machines, record.downtime.machineId, record.downtime.startedAt, null);
      return;
    case 'downtimeRemoved':
      stops.add(record.downtimeId);
  }
}

function earliest(machines: Map<string, Since>, machineId: string, at: number | null, date: string | null): void {
  const since = machines.get(machineId) ?? { sinceAt: null, sinceDate: null };
  if (at !== null) since.sinceAt = Math.min(since.sinceAt ?? at, at);
  if (date !== null && (since.sinceDate === null || date < since.sinceDate)) since.sinceDate = date;
  machines.set(machineId, since);
}
