import type { PointRun } from '../../adapters/store/thread/received/read-batch.ts';
import { BoundedCache } from '../../domain/bounded-cache.ts';
import { receivedMachineId } from '../../domain/sync/received-id.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { insertPoints, type PointRow } from './point-rows.ts';

/** The numbers of series that a node remembers. */
const MAX_KNOWN_SERIES = 200_000;
const ENTER_SERIES = `
  INSERT INTO central.series (machine_id, name) SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT DO NOTHING`;
const FIND_SERIES = `
  SELECT series_id AS id, machine_id AS "machineId", name FROM central.series
  JOIN unnest($1::text[], $2::text[]) AS wanted (machine_id, name) USING (machine_id, name)`;

/** A variable of a machine. */
interface Series {
  readonly key: string;
  readonly machineId: string;
  readonly name: string;
}

/** Writes the points of batches, a row for each series and hour of a batch. */
export class PointWriter {
  readonly #postgres: Postgres;
  readonly #seriesIds = new BoundedCache<string, number>(MAX_KNOWN_SERIES);

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    // A database that lost its newest transactions may have given the numbers to other series.
    postgres.onBreak(() => this.#seriesIds.clear());
  }

  async add(gatewayId: string, runs: readonly PointRun[]): Promise<void> {
    const series = runs.map(({ machineId, name }) => seriesOf(receivedMachineId(gatewayId, machineId), name));
    const ids = await this.#idsOf(series);
    const rows = runs.flatMap((run, index) => {
      const seriesId = ids.get(series[index]?.key ?? '');
      if (seriesId === undefined) throw new Error(`series ${run.name} was not entered`);
      return byHour(run).map(({ at, value }) => ({ seriesId, day: run.day, at, value }));
    });
    await insertPoints(this.#postgres, 'point_run', rows);
  }

  /** Series that are new are entered in the transaction of their points, and remembered once it is committed. */
  async #idsOf(series: readonly Series[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const unknown = new Map<string, Series>();
    for (const one of series) {
      const id = this.#seriesIds.get(one.key);
      if (id === undefined) unknown.set(one.key, one);
      else found.set(one.key, id);
    }
    if (unknown.size === 0) return found;
    const wanted = [...unknown.values()];
    const columns = [wanted.map(({ machineId }) => machineId), wanted.map(({ name }) => name)];
    await this.#postgres.run(ENTER_SERIES, columns);
    const entered = await this.#postgres.query<{ id: number; machineId: string; name: string }>(FIND_SERIES, columns);
    for (const { id, machineId, name } of entered) found.set(seriesOf(machineId, name).key, id);
    this.#postgres.afterCommit(() => {
      for (const { id, machineId, name } of entered) this.#seriesIds.set(seriesOf(machineId, name).key, id);
    });
    return found;
  }
}

/** Stretches of a run that lie in one hour each, in their order. */
function byHour(run: PointRun): readonly Pick<PointRow, 'at' | 'value'>[] {
  const { at, value } = run;
  const stretches: Pick<PointRow, 'at' | 'value'>[] = [];
  for (let from = 0; from < at.length; ) {
    const hourAt = Math.floor((at[from] ?? 0) / HOUR_MS) * HOUR_MS;
    const isInHour = (time = 0) => time >= hourAt && time < hourAt + HOUR_MS;
    let to = from + 1;
    while (to < at.length && isInHour(at[to])) to += 1;
    // Most runs lie in one hour.
    if (from === 0 && to === at.length) return [run];
    stretches.push({ at: at.subarray(from, to), value: value.subarray(from, to) });
    from = to;
  }
  return stretches;
}

function seriesOf(machineId: string, name: string): Series {
  return { key: `${machineId}\n${name}`, machineId, name };
}
