import type { PointRun } from '../../adapters/store/thread/received/read-batch.ts';
import { BoundedCache } from '../../domain/bounded-cache.ts';
import { receivedMachineId } from '../../domain/sync/received-id.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { float8Array, int4Array } from '../postgres/binary-arrays.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** The numbers of series that a node remembers. */
const MAX_KNOWN_SERIES = 200_000;
/** Rows of one statement. Few sizes keep the number of prepared statements small. */
const ROWS_AT_ONCE = [64, 16, 4, 1] as const;
const COLUMNS = 5;

const ENTER_SERIES = `
  INSERT INTO central.series (machine_id, name) SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT DO NOTHING`;
const FIND_SERIES = `
  SELECT series_id AS id, machine_id AS "machineId", name FROM central.series
  JOIN unnest($1::text[], $2::text[]) AS wanted (machine_id, name) USING (machine_id, name)`;
const INSERTS = new Map(ROWS_AT_ONCE.map((rows) => [rows, insertOf(rows)]));

/** Points of one series, one shift date and one hour. */
interface StoredRun {
  readonly seriesId: number;
  readonly day: number;
  readonly at: Float64Array;
  readonly value: Float64Array;
}

/** Writes the points of batches, a row for each series and hour of a batch. */
export class PointWriter {
  readonly #postgres: Postgres;
  readonly #seriesIds = new BoundedCache<string, number>(MAX_KNOWN_SERIES);

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async add(gatewayId: string, runs: readonly PointRun[]): Promise<void> {
    const ids = await this.#idsOf(gatewayId, runs);
    const stored = runs.flatMap((run) => {
      const seriesId = ids.get(keyOf(receivedMachineId(gatewayId, run.machineId), run.name));
      if (seriesId === undefined) throw new Error(`series ${run.name} was not entered`);
      return byHour(run).map(({ at, value }) => ({ seriesId, day: run.day, at, value }));
    });
    let from = 0;
    for (const rows of ROWS_AT_ONCE) {
      for (; stored.length - from >= rows; from += rows) await this.#insert(rows, stored.slice(from, from + rows));
    }
  }

  async #insert(rows: (typeof ROWS_AT_ONCE)[number], runs: readonly StoredRun[]): Promise<void> {
    const values = runs.flatMap(({ seriesId, day, at, value }) => {
      return [seriesId, day, at[0] ?? 0, int4Array(stepsOf(at)), float8Array(value)];
    });
    await this.#postgres.run(INSERTS.get(rows) ?? insertOf(rows), values);
  }

  /** Series that are new are entered in the transaction of their points, and remembered once it is committed. */
  async #idsOf(gatewayId: string, runs: readonly PointRun[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const unknown = new Map<string, { readonly machineId: string; readonly name: string }>();
    for (const { machineId: ownId, name } of runs) {
      const machineId = receivedMachineId(gatewayId, ownId);
      const key = keyOf(machineId, name);
      const id = this.#seriesIds.get(key);
      if (id === undefined) unknown.set(key, { machineId, name });
      else found.set(key, id);
    }
    if (unknown.size === 0) return found;
    const wanted = [...unknown.values()];
    const columns = [wanted.map(({ machineId }) => machineId), wanted.map(({ name }) => name)];
    await this.#postgres.run(ENTER_SERIES, columns);
    const entered = await this.#postgres.query<{ id: number; machineId: string; name: string }>(FIND_SERIES, columns);
    for (const { id, machineId, name } of entered) found.set(keyOf(machineId, name), id);
    this.#postgres.afterCommit(() => {
      for (const { id, machineId, name } of entered) this.#seriesIds.set(keyOf(machineId, name), id);
    });
    return found;
  }
}

/** Stretches of a run that lie in one hour each, in their order. */
function byHour({ at, value }: PointRun): readonly Pick<StoredRun, 'at' | 'value'>[] {
  const hourOf = (index: number) => Math.floor((at[index] ?? 0) / HOUR_MS);
  const stretches: Pick<StoredRun, 'at' | 'value'>[] = [];
  let from = 0;
  for (let index = 1; index <= at.length; index += 1) {
    if (index < at.length && hourOf(index) === hourOf(from)) continue;
    stretches.push({ at: at.subarray(from, index), value: value.subarray(from, index) });
    from = index;
  }
  return stretches;
}

/** The time from each point to the next. All lie in one hour, so a step fits into 32 bits. */
function stepsOf(at: Float64Array): Int32Array {
  const steps = new Int32Array(Math.max(0, at.length - 1));
  for (let index = 0; index < steps.length; index += 1) steps[index] = (at[index + 1] ?? 0) - (at[index] ?? 0);
  return steps;
}

function keyOf(machineId: string, name: string): string {
  return `${machineId}\n${name}`;
}

function insertOf(rows: number): string {
  const marks = Array.from({ length: rows }, (_, row) => {
    const mark = (column: number) => `$${row * COLUMNS + column + 1}`;
    return `(${mark(0)}::int8, ${mark(1)}::int4, ${mark(2)}::int8, ${mark(3)}::int4[], ${mark(4)}::float8[])`;
  });
  return `INSERT INTO central.point_run (series_id, day, start_at, step_ms, value) VALUES ${marks.join(', ')}`;
}
