import { receivedMachineId } from '../../../../domain/sync/received-id.ts';
import type { VariableQueries } from '../variables/variable-queries.ts';
import type { PointRun } from './read-batch.ts';

/**
 * Leaves out the points that are here already. A data directory that was restored or copied sends the points of an earlier
 * stream of its gateway again, under a new stream: points of the same time and value up to `newestKnownAt`.
 */
export async function newPoints(
  gatewayId: string,
  runs: readonly PointRun[],
  newestKnownAt: number,
  variables: Pick<VariableQueries, 'points'>,
): Promise<readonly PointRun[]> {
  const left: PointRun[] = [];
  for (const run of runs) {
    const from = run.at.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    left.push(from > newestKnownAt ? run : await unknownOf(run, gatewayId, from, variables));
  }
  return left;
}

async function unknownOf(
  run: PointRun,
  gatewayId: string,
  from: number,
  variables: Pick<VariableQueries, 'points'>,
): Promise<PointRun> {
  const to = run.at.reduce((greatest, at) => Math.max(greatest, at), from) + 1;
  const stored = await variables.points(receivedMachineId(gatewayId, run.machineId), run.name, { from, to });
  const known = new Map<number, number[]>();
  for (const [index, at] of stored.at.entries()) {
    const values = known.get(at);
    if (values === undefined) known.set(at, [stored.value[index] ?? Number.NaN]);
    else values.push(stored.value[index] ?? Number.NaN);
  }
  const isNew = (_: number, index: number) => {
    const values = known.get(run.at[index] ?? 0);
    return values === undefined || !values.includes(run.value[index] ?? 0);
  };
  return { ...run, at: run.at.filter(isNew), value: run.value.filter(isNew) };
}
