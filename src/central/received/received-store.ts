import type { PointRun, ReadBatch } from '../../adapters/store/thread/received/read-batch.ts';
import { Receiver } from '../../adapters/store/thread/received/receiver.ts';
import type { FleetProductionQueries } from '../../flows/fleet-production/fleet-production-ports.ts';
import type { ApplyTerms, BatchOutcome, BatchVerdict, ReceiveQueries } from '../../flows/receive/receive-ports.ts';
import type { Store } from '../../flows/store-ports.ts';
import { PointWriter } from '../points/point-writer.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { MachineHistory } from '../questions/machine-history.ts';
import { productionQueries } from '../questions/production-queries.ts';
import { ReceivedQueries } from '../questions/received-queries.ts';
import { VariablePoints } from '../questions/variable-points.ts';
import { FactWriter } from './fact-writer.ts';
import { type GatewayRecord, GatewayWriter } from './gateway-writer.ts';
import { NameHolders } from './name-holders.ts';
import { StreamPositions } from './stream-positions.ts';

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
  | 'stopLog'
  | 'longestDowntimes'
>;

/** The records of gateways, in PostgreSQL. */
export interface ReceivedStore extends Omit<ReceiveQueries, 'knownOperations'>, HistoryQueries, FleetProductionQueries {
  write(records: readonly GatewayRecord[]): Promise<void>;
}

export interface ReceivedStoreParts {
  readonly postgres: Postgres;
  /** Gateways that may send here. */
  readonly maxGateways: number;
  readonly wallMs: () => number;
}

export function openReceivedStore({ postgres, maxGateways, wallMs }: ReceivedStoreParts): ReceivedStore {
  const facts = new FactWriter(postgres);
  const names = new NameHolders(postgres, facts.totals);
  const gateways = new GatewayWriter(postgres, names);
  const positions = new StreamPositions(postgres, maxGateways);
  const receipts = new BatchReceipts({ postgres, positions, facts, points: new PointWriter(postgres) });
  const points = new VariablePoints(postgres);
  const history = new MachineHistory(postgres);
  const queries = new ReceivedQueries(postgres, names);
  const receiver = new Receiver({
    judge: (batch) => receipts.judge(batch),
    newestPointOfOthers: (batch) => receipts.newestPointOfOthers(batch),
    variables: points,
    apply: (batch, runs, terms) => receipts.apply(batch, runs, terms),
  });
  return {
    readBatch: (body) => receiver.read(body),
    judgeBatch: (ticket) => receiver.judge(ticket),
    batchOperations: async (ticket, after) => receiver.operationPage(ticket, after),
    applyBatch: (ticket, terms) => receiver.apply(ticket, terms),
    dropBatch: async (ticket) => receiver.drop(ticket),
    ...productionQueries(postgres, queries),
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
    newestPoints: async (machineId, variables) => {
      const newest: Awaited<ReturnType<VariablePoints['newest']>>[] = [];
      for (const name of variables) newest.push(await points.newest(machineId, name));
      return newest;
    },
    write: (records) => gateways.write(records),
  };
}

interface ReceiptParts {
  readonly postgres: Postgres;
  readonly positions: StreamPositions;
  readonly facts: FactWriter;
  readonly points: PointWriter;
}

/** Applies batches, each in one transaction with the position of its stream, so that it is applied exactly once. */
class BatchReceipts {
  readonly #parts: ReceiptParts;

  constructor(parts: ReceiptParts) {
    this.#parts = parts;
  }

  async judge(batch: ReadBatch): Promise<BatchVerdict> {
    const { positions } = this.#parts;
    return positions.verdict(batch, await positions.standing(batch.header));
  }

  async newestPointOfOthers({ header }: ReadBatch): Promise<number | null> {
    return (await this.#parts.positions.standing(header)).newestPointOfOthers;
  }

  /** Joins the transaction of the gateway's turn, or takes the turn. */
  apply(batch: ReadBatch, runs: readonly PointRun[], terms: ApplyTerms): Promise<BatchOutcome> {
    return this.#parts.postgres.inTurn('gateway', batch.header.gatewayId, () => this.#applied(batch, runs, terms));
  }

  async #applied(batch: ReadBatch, runs: readonly PointRun[], terms: ApplyTerms): Promise<BatchOutcome> {
    const { positions, facts, points } = this.#parts;
    const { header, records, digest, count } = batch;
    const standing = await positions.standing(header);
    const verdict = await positions.verdict(batch, standing);
    if (verdict.kind !== 'next') return verdict;
    await positions.begin(batch, terms, standing);
    await facts.write(header, records, standing, new Set(runs.map(({ machineId }) => machineId)));
    if (runs.length > 0) await points.add(header.gatewayId, runs);
    const refused = [...batch.refused, ...terms.refused].sort((one, other) => one.seq - other.seq);
    await positions.noteApplied(batch, terms, refused);
    return { kind: 'applied', answer: { position: digest, isRepeated: false, refused }, records: count };
  }
}
