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
    const ids = await this.#idsOf(gatewayId, runs);
    const rows = runs.flatMap((run) => {
      const seriesId = ids.get(keyOf(receivedMachineId(gatewayId, run.machineId), run.name));
      if (seriesId === undefined) throw new Error(`series ${run.name} was not entered`);
      return byHour(run).map(({ at, value }) => ({ seriesId, day: run.day, at, value }));
    });
    await insertPoints(this.#postgres, 'point_run', rows);
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
function byHour({ at, value }: PointRun): readonly Pick<PointRow, 'at' | 'value'>[] {
  const hourOf = (index: number) => Math.floor((at[index] ?? 0) / HOUR_MS);
  const stretches: Pick<PointRow, 'at' | 'value'>[] = [];
  let from = 0;
  for (let index = 1; index <= at.length; index += 1) {
    if (index < at.length && hourOf(index) === hourOf(from)) continue;
    stretches.push({ at: at.subarray(from, index), value: value.subarray(from, index) });
    from = index;
  }
  return stretches;
}

function keyOf(machineId: string, name: string): string {
  return `${machineId}\n${name}`;
}
