import type { ShiftTotals } from '../../../../../domain/machine/counters/counters.ts';
import {
  NO_STOPS,
  NO_WORK,
  plusStops,
  plusWork,
  type StopRow,
  type WorkRow,
  type WorkSplit,
} from '../../../../../domain/production/production-report.ts';
import { type ProductionSums, plusSums } from '../../../../../domain/production/production-sums.ts';
import type { TopStop } from '../../../../../domain/production/shift-figures.ts';
import type {
  AddedUp,
  FleetScope,
  FleetSums,
  FleetTotals,
  ReasonStops,
  StoredSplit,
} from '../../../../../flows/fleet-production/fleet-production-ports.ts';
import { Slice } from '../../../../../runtime/slice.ts';
import { type Connection, transact } from '../../database/connection.ts';
import { insertInto } from '../../database/insert-into.ts';
import {
  receivedShiftFigures,
  receivedStopFigures,
  receivedWorkFigures,
} from '../../database/schema/fleet-production.ts';
import { NAMED_TOTALS } from '../../shift-columns.ts';
import {
  ADDED_STOPS,
  ADDED_SUMS,
  ADDED_WORK,
  ALL_MACHINES,
  addUpMachines,
  FIGURE_TABLES,
  WORK_KEYS,
} from './figure-columns.ts';

/** A week is named by its Monday. */
const KEYS: Readonly<Record<StoredSplit, string>> = {
  gateway: 'gateway_id',
  machine: 'machine_id',
  shift: 'shift_name',
  turn: "shift_date || ' ' || shift_name",
  day: 'shift_date',
  week: "date(shift_date, 'weekday 0', '-6 days')",
  month: 'substr(shift_date, 1, 7)',
};
const OF_GATEWAY = `WHERE gateway_id = @gatewayId AND shift_date IN (SELECT value FROM json_each(@dates))
  AND (@shiftName IS NULL OR shift_name = @shiftName)`;
/** Of all machines together, of each, or of some. */
const OF_ALL = `${OF_GATEWAY} AND machine_id = '${ALL_MACHINES}'`;
const OF_EACH = `${OF_GATEWAY} AND machine_id <> '${ALL_MACHINES}'`;
const OF_SOME = `${OF_GATEWAY} AND machine_id IN (SELECT value FROM json_each(@machines))`;
const OF_SHIFT =
  'WHERE gateway_id = @gatewayId AND shift_date = @shiftDate AND machine_id = @machineId AND shift_name = @shiftName';

interface Asked {
  readonly gatewayId: string;
  readonly dates: string;
  readonly shiftName: string | null;
  readonly machines: string | null;
}

/** Keeps and adds up the figures of shifts, gateway by gateway, so that commits get their turn. */
export class ShiftFigureRows {
  readonly #connection: Connection;
  readonly #putShift;
  readonly #putStop;
  readonly #putWork;
  readonly #removeStops;
  readonly #removeWork;
  readonly #settle;
  readonly #addUpAll;
  readonly #totals;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#putShift = insertInto(connection, receivedShiftFigures, { or: 'REPLACE' });
    this.#putStop = insertInto(connection, receivedStopFigures, { or: 'REPLACE' });
    this.#putWork = insertInto(connection, receivedWorkFigures, { or: 'REPLACE' });
    this.#removeStops = connection.prepare(`DELETE FROM received_stop_figures ${OF_SHIFT}`);
    this.#removeWork = connection.prepare(`DELETE FROM received_work_figures ${OF_SHIFT}`);
    this.#settle = connection.prepare<[string, number]>(
      'DELETE FROM received_change WHERE machine_id = ? AND mark = ?',
    );
    this.#addUpAll = FIGURE_TABLES.flatMap((figures) => {
      const shifts = 'gateway_id = @gatewayId AND shift_date = @shiftDate AND shift_name = @shiftName';
      return [
        `DELETE FROM received_${figures.table} WHERE ${shifts} AND machine_id = '${ALL_MACHINES}'`,
        addUpMachines(figures, 'received_', shifts),
      ].map((sql) => connection.prepare<OfShift>(sql));
    });
    this.#totals = connection.prepare<
      [string, string],
      ShiftTotals & { readonly machineId: string; readonly shiftDate: string; readonly shiftName: string }
    >(
      `SELECT totals.machine_id AS machineId, shift_date AS shiftDate, shift_name AS shiftName, ${NAMED_TOTALS}
       FROM received_machine AS own JOIN shift_totals AS totals ON totals.machine_id = gateway_id || '/' || own.machine_id
       WHERE gateway_id = ? AND shift_date = ? ORDER BY own.machine_id, shift_name`,
    );
  }

  /** The machines, then their shifts with all machines together. */
  async put(added: readonly AddedUp[]): Promise<void> {
    await this.#inSlices(added, (one) => this.#putMachine(one));
    await this.#inSlices(shiftsOf(added), (shift) => this.#addUp(shift));
    // A crash before here adds the machines up again.
    transact(this.#connection, () => {
      for (const { machine, mark } of added) if (mark !== null) this.#settle.run(machine.machineId, mark);
    });
  }

  async sums(by: StoredSplit, scope: FleetScope): Promise<readonly FleetSums[]> {
    const rows = new Map<string, ProductionSums>();
    const sums = this.#connection.prepare<Asked, ProductionSums & { readonly key: string }>(
      `SELECT ${KEYS[by]} AS key, ${ADDED_SUMS} FROM received_shift_figures ${whereOf(scope, by)} GROUP BY 1`,
    );
    await this.#each(scope, (asked) => {
      for (const { key, ...own } of sums.all(asked)) {
        const before = rows.get(key);
        rows.set(key, before === undefined ? own : plusSums(before, own));
      }
    });
    const tops = await this.#topStops(by, scope);
    return [...rows].map(([key, own]) => ({ key, ...own, topStop: tops.get(key) ?? null }));
  }

  async stops(by: StoredSplit, scope: FleetScope): Promise<readonly StopRow[]> {
    const rows = new Map<string | null, StopRow>();
    const stops = this.#connection.prepare<Asked, StopRow>(
      `SELECT ${KEYS[by]} AS key, ${ADDED_STOPS} FROM received_stop_figures ${whereOf(scope, by)} GROUP BY 1`,
    );
    await this.#each(scope, (asked) => {
      for (const row of stops.all(asked))
        rows.set(row.key, plusStops(rows.get(row.key) ?? { ...NO_STOPS, key: row.key }, row));
    });
    return [...rows.values()];
  }

  async reasons(scope: FleetScope): Promise<readonly ReasonStops[]> {
    const rows: ReasonStops[] = [];
    const stops = this.#connection.prepare<Asked, ReasonStops>(
      `SELECT gateway_id AS gatewayId, nullif(reason_id, '') AS key, ${ADDED_STOPS}
       FROM received_stop_figures ${whereOf(scope, 'reason')} GROUP BY reason_id`,
    );
    await this.#each(scope, (asked) => rows.push(...stops.all(asked)));
    return rows;
  }

  async work(by: WorkSplit, scope: FleetScope): Promise<readonly WorkRow[]> {
    const rows = new Map<string | null, WorkRow>();
    const work = this.#connection.prepare<Asked, WorkRow>(
      `SELECT nullif(${WORK_KEYS[by]}, '') AS key, ${ADDED_WORK} FROM received_work_figures ${whereOf(scope, by)} GROUP BY 1`,
    );
    await this.#each(scope, (asked) => {
      for (const row of work.all(asked))
        rows.set(row.key, plusWork(rows.get(row.key) ?? { ...NO_WORK, key: row.key }, row));
    });
    return [...rows.values()];
  }

  totals(gatewayId: string, shiftDate: string): readonly FleetTotals[] {
    return this.#totals.all(gatewayId, shiftDate).map(({ machineId, shiftDate: date, shiftName, ...totals }) => {
      return { machineId, shiftDate: date, shiftName, totals };
    });
  }

  /** Works on as many as a slice of time holds in each transaction, because each costs one sync of the disk. */
  async #inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
    const left = items.values();
    let step = left.next();
    while (step.done !== true) {
      const slice = new Slice();
      transact(this.#connection, () => {
        for (; step.done !== true && !slice.isOver; step = left.next()) work(step.value);
      });
      await slice.next();
    }
  }

  #addUp(shift: OfShift): void {
    for (const statement of this.#addUpAll) statement.run(shift);
  }

  #putMachine({ machine: { gatewayId, machineId }, shifts }: AddedUp): void {
    for (const { shiftDate, shiftName, sums, stops, work } of shifts) {
      const key = { gatewayId, shiftDate, machineId, shiftName };
      this.#putShift({ ...key, ...sums });
      this.#removeStops.run(key);
      for (const { key: reasonId, ...figures } of stops)
        this.#putStop({ ...key, reasonId: reasonId ?? '', ...figures });
      this.#removeWork.run(key);
      for (const { partId, jobNumber, userId, ...figures } of work)
        this.#putWork({ ...key, partId: partId ?? '', jobNumber: jobNumber ?? '', userId: userId ?? '', ...figures });
    }
  }

  async #topStops(by: StoredSplit, scope: FleetScope): Promise<ReadonlyMap<string, TopStop>> {
    const spent = new Map<string, Map<string | null, number>>();
    const stops = this.#connection.prepare<
      Asked,
      { readonly key: string; readonly reasonId: string | null; readonly ms: number }
    >(
      `SELECT ${KEYS[by]} AS key, nullif(reason_id, '') AS reasonId, sum(ms - planned_ms) AS ms
       FROM received_stop_figures ${whereOf(scope, by)} GROUP BY 1, 2`,
    );
    await this.#each(scope, (asked) => {
      for (const { key, reasonId, ms } of stops.all(asked)) {
        const ofKey = spent.get(key) ?? new Map<string | null, number>();
        spent.set(key, ofKey.set(reasonId, (ofKey.get(reasonId) ?? 0) + ms));
      }
    });
    return new Map([...spent].map(([key, ofKey]) => [key, topOf(ofKey)]));
  }

  async #each({ days, machineIds, shiftName }: FleetScope, ask: (asked: Asked) => void): Promise<void> {
    const slice = new Slice();
    const machines = machineIds === null ? null : JSON.stringify(machineIds);
    for (const { gatewayIds, dates } of days) {
      const json = JSON.stringify(dates);
      for (const gatewayId of gatewayIds) {
        ask({ gatewayId, machines, dates: json, shiftName });
        await slice.pause();
      }
    }
  }
}

type OfShift = Readonly<Record<'gatewayId' | 'shiftDate' | 'shiftName', string>>;

/** The shifts that were changed, each once. */
function shiftsOf(added: readonly AddedUp[]): readonly OfShift[] {
  const all = added.flatMap(({ machine: { gatewayId }, shifts }) =>
    shifts.map(({ shiftDate, shiftName }) => ({ gatewayId, shiftDate, shiftName })),
  );
  return [...new Map(all.map((shift) => [JSON.stringify(shift), shift])).values()];
}

function whereOf({ machineIds }: FleetScope, by: string): string {
  if (machineIds !== null) return OF_SOME;
  return by === 'machine' ? OF_EACH : OF_ALL;
}

/** The reason without one comes last of those with the same time, then by its id. */
function topOf(spent: ReadonlyMap<string | null, number>): TopStop {
  let top: TopStop = null;
  for (const [reasonId, ms] of spent) {
    if (ms <= 0 || ms < (top?.ms ?? 0)) continue;
    if (top === null || ms > top.ms || (reasonId ?? '~') < (top.reasonId ?? '~')) top = { reasonId, ms };
  }
  return top;
}
