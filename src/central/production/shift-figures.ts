import {
  ADDED_STOPS,
  ADDED_SUMS,
  ADDED_WORK,
  ALL_MACHINES,
  addUpMachines,
  FIGURE_TABLES,
  WORK_KEYS,
} from '../../adapters/store/thread/received/production/figure-columns.ts';
import { totalsSql } from '../../adapters/store/thread/shift-columns.ts';
import type { ShiftTotals } from '../../domain/machine/counters/counters.ts';
import type { StopRow, WorkRow, WorkSplit } from '../../domain/production/production-report.ts';
import type { TopStop } from '../../domain/production/shift-figures.ts';
import type {
  AddedUp,
  FleetScope,
  FleetSums,
  FleetTotals,
  ReasonStops,
  StoredSplit,
} from '../../flows/fleet-production/fleet-production-ports.ts';
import type { Postgres, Value } from '../postgres/postgres.ts';
import { shiftFigures, stopFigures, workFigures } from '../postgres/schema/fleet-production.ts';
import { storableJson, upsertInto } from '../postgres/upsert-rows.ts';

/** A week is named by its Monday. */
const KEYS: Readonly<Record<StoredSplit, string>> = {
  gateway: 'gateway_id',
  machine: 'machine_id',
  shift: 'shift_name',
  turn: "shift_date || ' ' || shift_name",
  day: 'shift_date',
  week: "to_char(date_trunc('week', shift_date::date), 'YYYY-MM-DD')",
  month: 'substr(shift_date, 1, 7)',
};
const CHANGED_SHIFTS = `(gateway_id, shift_date, shift_name) IN (SELECT "gatewayId", "shiftDate", "shiftName"
  FROM jsonb_to_recordset($1::jsonb) AS row ("gatewayId" text, "shiftDate" text, "shiftName" text))`;
const ADD_UP_MACHINES = FIGURE_TABLES.flatMap((figures) => [
  `DELETE FROM central.${figures.table} WHERE machine_id = '${ALL_MACHINES}' AND ${CHANGED_SHIFTS}`,
  addUpMachines(figures, 'central.', CHANGED_SHIFTS),
]);
const removal = (table: string) => `
  DELETE FROM central.${table} AS old USING jsonb_to_recordset($1::jsonb)
    AS row ("gatewayId" text, "shiftDate" text, "machineId" text, "shiftName" text)
  WHERE old.gateway_id = row."gatewayId" AND old.shift_date = row."shiftDate" AND old.machine_id = row."machineId"
    AND old.shift_name = row."shiftName"`;
const REMOVE_STOPS = removal('stop_figures');
const REMOVE_WORK = removal('work_figures');
const SETTLE = `
  DELETE FROM central.changed_machine AS change USING jsonb_to_recordset($1::jsonb) AS row ("machineId" text, mark float8)
  WHERE change.machine_id = row."machineId" AND change.mark = row.mark`;
const reasonsOf = (where: string) => `
  SELECT gateway_id AS "gatewayId", nullif(reason_id, '') AS key, ${ADDED_STOPS}
  FROM central.stop_figures ${where} GROUP BY gateway_id, reason_id`;
const TOTALS = `
  SELECT totals.machine_id AS "machineId", shift_date AS "shiftDate", shift_name AS "shiftName",
    ${totalsSql((name, column) => `${column} AS "${name}"`)}
  FROM central.machine AS own JOIN central.shift_totals AS totals
    ON totals.machine_id = own.gateway_id || '/' || own.machine_id
  WHERE own.gateway_id = $1 AND shift_date = $2 ORDER BY own.machine_id, shift_name`;
const topStops = (key: string, where: string) => `
  SELECT DISTINCT ON (key) key, reason AS "reasonId", ms FROM (
    SELECT ${key} AS key, nullif(reason_id, '') AS reason, sum(ms - planned_ms) AS ms
    FROM central.stop_figures ${where} GROUP BY 1, 2) AS own
  WHERE ms > 0 ORDER BY key, ms DESC, reason NULLS LAST`;

const putShifts = upsertInto(shiftFigures);
const putStops = upsertInto(stopFigures);
const putWork = upsertInto(workFigures);

/** Keeps and adds up the figures of shifts. */
export class ShiftFigureRows {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** In one transaction. */
  put(added: readonly AddedUp[]): Promise<void> {
    const postgres = this.#postgres;
    const shifts = added.flatMap(({ machine, shifts: own }) =>
      own.map((figures) => {
        const { shiftDate, shiftName } = figures;
        const { gatewayId, machineId } = machine;
        return { key: { gatewayId, shiftDate, machineId, shiftName }, figures };
      }),
    );
    const stops = shifts.flatMap(({ key, figures }) =>
      figures.stops.map(({ key: reasonId, ...own }) => ({ ...key, reasonId: reasonId ?? '', ...own })),
    );
    const work = shifts.flatMap(({ key, figures }) =>
      figures.work.map(({ partId, jobNumber, userId, ...own }) => {
        return { ...key, partId: partId ?? '', jobNumber: jobNumber ?? '', userId: userId ?? '', ...own };
      }),
    );
    const settled = added.flatMap(({ machine: { machineId }, mark }) => (mark === null ? [] : [{ machineId, mark }]));
    return postgres.transact(async () => {
      // Of two nodes the later one adds up what the earlier one wrote.
      for (const gatewayId of new Set(added.map(({ machine }) => machine.gatewayId)))
        await postgres.lock('figures', gatewayId);
      const keys = storableJson(shifts.map(({ key }) => key));
      await postgres.run(REMOVE_STOPS, [keys]);
      await postgres.run(REMOVE_WORK, [keys]);
      await putShifts(
        postgres,
        shifts.map(({ key, figures }) => ({ ...key, ...figures.sums })),
      );
      await putStops(postgres, stops);
      await putWork(postgres, work);
      if (shifts.length > 0) for (const text of ADD_UP_MACHINES) await postgres.run(text, [keys]);
      await postgres.run(SETTLE, [storableJson(settled)]);
    });
  }

  async sums(by: StoredSplit, scope: FleetScope): Promise<readonly FleetSums[]> {
    const { where, terms } = conditionOf(scope, by);
    const sums = `SELECT ${KEYS[by]} AS key, ${ADDED_SUMS} FROM central.shift_figures ${where} GROUP BY 1`;
    const rows = await this.#postgres.query<Omit<FleetSums, 'topStop'>>(sums, terms);
    const tops = await this.#postgres.query<NonNullable<TopStop> & { readonly key: string }>(
      topStops(KEYS[by], where),
      terms,
    );
    const topOf = new Map(tops.map(({ key, ...top }) => [key, top]));
    return rows.map((row) => ({ ...row, topStop: topOf.get(row.key) ?? null }));
  }

  stops(by: StoredSplit, scope: FleetScope): Promise<readonly StopRow[]> {
    const { where, terms } = conditionOf(scope, by);
    return this.#postgres.query(
      `SELECT ${KEYS[by]} AS key, ${ADDED_STOPS} FROM central.stop_figures ${where} GROUP BY 1`,
      terms,
    );
  }

  reasons(scope: FleetScope): Promise<readonly ReasonStops[]> {
    const { where, terms } = conditionOf(scope, 'reason');
    return this.#postgres.query(reasonsOf(where), terms);
  }

  work(by: WorkSplit, scope: FleetScope): Promise<readonly WorkRow[]> {
    const column = WORK_KEYS[by];
    const { where, terms } = conditionOf(scope, by);
    const work = `SELECT nullif(${column}, '') AS key, ${ADDED_WORK} FROM central.work_figures ${where} GROUP BY ${column}`;
    return this.#postgres.query(work, terms);
  }

  async totals(gatewayId: string, date: string): Promise<readonly FleetTotals[]> {
    type Row = ShiftTotals & Omit<FleetTotals, 'totals'>;
    const rows = await this.#postgres.query<Row>(TOTALS, [gatewayId, date]);
    return rows.map(({ machineId, shiftDate, shiftName, ...totals }) => ({ machineId, shiftDate, shiftName, totals }));
  }
}

/** The rows of all machines together, of each, or of some, and the terms of the condition. */
function conditionOf({ days, machineIds, shiftName }: FleetScope, by: string) {
  const terms: Value[] = [];
  const term = (value: Value) => `$${terms.push(value)}`;
  const onDays = days.map(({ gatewayIds, dates }) => {
    return `gateway_id = ANY (${term(gatewayIds)}::text[]) AND shift_date = ANY (${term(dates)}::text[])`;
  });
  const conditions = [onDays.length === 0 ? 'false' : `(${onDays.join(' OR ')})`];
  if (shiftName !== null) conditions.push(`shift_name = ${term(shiftName)}`);
  if (machineIds !== null) conditions.push(`machine_id = ANY (${term(machineIds)}::text[])`);
  else conditions.push(`machine_id ${by === 'machine' ? '<>' : '='} '${ALL_MACHINES}'`);
  return { where: `WHERE ${conditions.join(' AND ')}`, terms };
}
