import { Receiver } from '../adapters/store/thread/received/receiver.ts';
import type { NameRecord } from '../domain/sync/name-claim.ts';
import type { ReceiveQueries } from '../flows/receive/receive-ports.ts';
import type { Store } from '../flows/store-ports.ts';
import { MachineHistory } from './history/machine-history.ts';
import { VariablePoints } from './history/variable-points.ts';
import type { Postgres } from './postgres/postgres.ts';
import { BatchReceipts } from './received/batch-receipts.ts';
import { FactWriter } from './received/fact-writer.ts';
import { NameHolders } from './received/name-holders.ts';
import { PointWriter } from './received/point-writer.ts';
import { ReceivedQueries } from './received/received-queries.ts';
import { StreamPositions } from './received/stream-positions.ts';

/** The history of machines, as the views of other gateways' machines ask for it. */
type HistoryQueries = Pick<
  Store,
  | 'downtimes'
  | 'downtime'
  | 'shifts'
  | 'spans'
  | 'workSessions'
  | 'anomalies'
  | 'variablePoints'
  | 'variableBuckets'
  | 'newestPoints'
  | 'activityTotals'
>;

/** What gateways send here, kept in PostgreSQL. */
export interface ReceivedStore extends ReceiveQueries, HistoryQueries {
  writeNames(records: readonly NameRecord[]): Promise<void>;
}

export interface ReceivedStoreParts {
  readonly postgres: Postgres;
  /** Gateways that may send here. */
  readonly maxGateways: number;
  /** The operations among these that were carried out before. */
  readonly knownOperations: (operationIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly wallMs: () => number;
}

export function openReceivedStore({
  postgres,
  maxGateways,
  knownOperations,
  wallMs,
}: ReceivedStoreParts): ReceivedStore {
  const facts = new FactWriter(postgres);
  const names = new NameHolders(postgres, facts.totals);
  const positions = new StreamPositions(postgres, maxGateways);
  const receipts = new BatchReceipts({ postgres, positions, facts, points: new PointWriter(postgres) });
  const points = new VariablePoints(postgres);
  const history = new MachineHistory(postgres);
  const queries = new ReceivedQueries(postgres, names);
  const receiver = new Receiver({
    judge: (batch) => receipts.judge(batch),
    knownOperations,
    newestPointOfOthers: (batch) => receipts.newestPointOfOthers(batch),
    variables: points,
    apply: (batch, runs, terms) => receipts.apply(batch, runs, terms),
  });
  return {
    readBatch: (body) => receiver.read(body),
    judgeBatch: (ticket) => receiver.judge(ticket),
    batchOperations: (ticket, after) => receiver.operationPage(ticket, after),
    applyBatch: (ticket, terms) => receiver.apply(ticket, terms),
    dropBatch: async (ticket) => receiver.drop(ticket),
    receivedGateways: () => queries.gateways(),
    receivedMachines: (page) => queries.machines(page),
    receivedMachine: (gatewayId, machineId) => queries.machine(gatewayId, machineId),
    downtimes: (machineId, filter) => history.downtimes(machineId, filter),
    downtime: (downtimeId) => history.downtime(downtimeId),
    shifts: (machineId, shiftDate) => history.shifts(machineId, shiftDate),
    spans: (machineId, range) => history.spans(machineId, range),
    workSessions: (machineId, limit) => history.workSessions(machineId, limit),
    anomalies: (machineId, limit) => history.anomalies(machineId, limit),
    activityTotals: (machineId, { from, to }) =>
      history.activityTotals(machineId, { from, to: Math.min(to, wallMs()) }),
    variablePoints: async (machineId, name, range) => {
      const { at, value, truncated } = await points.points(machineId, name, range);
      return { points: Array.from(at, (time, index) => ({ at: time, value: value[index] ?? Number.NaN })), truncated };
    },
    variableBuckets: (machineId, name, range, buckets) => points.buckets(machineId, name, range, buckets),
    newestPoints: (machineId, variables) => Promise.all(variables.map((name) => points.newest(machineId, name))),
    writeNames: (records) =>
      postgres.transact(async () => {
        for (const record of records) await names.write(record);
      }),
  };
}
