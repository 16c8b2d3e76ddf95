import { FIRST_PLANT } from '../domain/plant/plant-scope.ts';
import { DAY_MS, HOUR_MS } from '../domain/time.ts';
import type { Clock, Log } from '../flows/ports.ts';
import type { Store } from '../flows/store-ports.ts';
import type { CentralDatabase } from '../gateway/gateway-parts.ts';
import { MAX_WAITING_PER_GATEWAY } from '../gateway/receiving.ts';
import { SharedBusiness } from './business/shared-business.ts';
import { mergeHours } from './points/merge-hours.ts';
import { DatabaseClock } from './postgres/database-clock.ts';
import { DatabaseHealth, LOOK_MS } from './postgres/database-health.ts';
import { PostgresLimits } from './postgres/limits.ts';
import { migrate } from './postgres/migrate.ts';
import { Postgres } from './postgres/postgres.ts';
import { PostgresTurns } from './received/gateway-turns.ts';
import { isGatewayRecord } from './received/gateway-writer.ts';
import { PostgresPresence } from './received/presence.ts';
import { openReceivedStore } from './received/received-store.ts';
import { type CentralRetention, preparePartitions, retainCentral } from './retain.ts';
import { PostgresArchives } from './updates/postgres-archives.ts';

export interface CentralOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly maxGateways: number;
  readonly retention: CentralRetention;
  readonly log: Log;
  readonly clock: Clock;
  /** The pause between two looks at the database, which compare the clocks too. */
  readonly lookMs?: number;
}

const UPKEEP_CONNECTIONS = 2;
const JOURNAL_CONNECTIONS = 4;
const ARCHIVE_CONNECTIONS = 2;
/** One for the watch over the database, one for limits. Both ask often, and for little. */
const WATCH_CONNECTIONS = 2;
/** A node that starts on a busy computer needs seconds for its first connection. */
const START_WITHIN_MS = 10_000;
const UPKEEP_WITHIN_MS = HOUR_MS;
const WATCH_WITHIN_MS = 3_000;

/**
 * Opens the database that the nodes of a central server share, and brings it to the newest schema. Rejects with
 * `store-unavailable` if it cannot be reached, with `conflict` if a newer program has changed it.
 */
export async function openCentral({
  url,
  maxConnections,
  maxGateways,
  retention,
  log,
  clock: own,
  lookMs = LOOK_MS,
}: CentralOptions): Promise<CentralDatabase> {
  const postgres = new Postgres({ url, maxConnections, log });
  // Migrations and the nightly work may take long, and nobody waits for them.
  const patience = { answerWithinMs: UPKEEP_WITHIN_MS, connectWithinMs: START_WITHIN_MS };
  const upkeep = new Postgres({ url, maxConnections: UPKEEP_CONNECTIONS, ...patience, log });
  // A batch holds its gateway's turn in a transaction, and its operations are journal writes that are committed before it.
  const journal = new Postgres({ url, maxConnections: JOURNAL_CONNECTIONS, connectWithinMs: START_WITHIN_MS, log });
  // It has connections of its own, so that a node that is busy is not taken for one without a database.
  const watch = new Postgres({ url, maxConnections: WATCH_CONNECTIONS, answerWithinMs: WATCH_WITHIN_MS, log });
  // Gateways that fetch an update take no connection from batches.
  const archives = new Postgres({ url, maxConnections: ARCHIVE_CONNECTIONS, connectWithinMs: START_WITHIN_MS, log });
  const close = async () => {
    for (const one of [postgres, upkeep, journal, watch, archives]) await one.close();
  };
  const clock = new DatabaseClock(own);
  try {
    await migrate(upkeep);
    // The clocks are compared before anything is judged by them.
    await clock.compare(upkeep);
    await preparePartitions(upkeep, retention, clock.now().wallMs);
  } catch (error) {
    await close();
    throw error;
  }
  const health = new DatabaseHealth(watch, { clock, log, lookMs });
  const businessOf = (plantId: string) =>
    new SharedBusiness({ plantId, postgres: journal, upkeep, health, clock: own, log });
  const business = businessOf(FIRST_PLANT);
  return {
    clock,
    business,
    turns: new PostgresTurns(postgres, MAX_WAITING_PER_GATEWAY),
    presence: new PostgresPresence(postgres),
    limits: new PostgresLimits(watch),
    archives: (place) => new PostgresArchives(archives, place),
    over: (own) => sharedStore(own, { postgres, upkeep, health, business, maxGateways, retention, clock }),
    plant: (plantId) => {
      const further = businessOf(plantId);
      void further.lost.then((reason) => business.giveUp(`plant ${plantId}: ${reason}`));
      return { business: further, over: (own) => overlaid(own, further.over(own)) };
    },
    close: () => {
      health.stop();
      return close();
    },
  };
}

/** The node's own store, with what gateways send in PostgreSQL and what people do in the journal. Machines of gateways have
 * a slash in their ids. */
function sharedStore(
  own: Store,
  {
    postgres,
    upkeep,
    health,
    business,
    maxGateways,
    retention,
    clock,
  }: Pick<CentralOptions, 'maxGateways' | 'retention' | 'clock'> & {
    readonly postgres: Postgres;
    readonly upkeep: Postgres;
    readonly health: DatabaseHealth;
    readonly business: SharedBusiness;
  },
): Store {
  const wallMs = () => clock.now().wallMs;
  const received = openReceivedStore({ postgres, maxGateways, wallMs });
  const writing = business.over(own);
  const ofGateway = (id: string) => (id.includes('/') ? received : own);
  const shared: Partial<Store> = {
    ...received,
    downtimes: (machineId, filter) => ofGateway(machineId).downtimes(machineId, filter),
    downtime: (downtimeId) => ofGateway(downtimeId).downtime(downtimeId),
    shifts: (machineId, shiftDate) => ofGateway(machineId).shifts(machineId, shiftDate),
    spans: (machineId, range) => ofGateway(machineId).spans(machineId, range),
    workSessions: (machineId, limit) => ofGateway(machineId).workSessions(machineId, limit),
    stopLog: (scope) => ofGateway(scope.machineIds[0] ?? '').stopLog(scope),
    longestDowntimes: (search) => ofGateway(search.machineIds[0] ?? '').longestDowntimes(search),
    anomalies: (machineId, limit) => ofGateway(machineId).anomalies(machineId, limit),
    activityTotals: (machineId, range) => ofGateway(machineId).activityTotals(machineId, range),
    variablePoints: (machineId, name, range) => ofGateway(machineId).variablePoints(machineId, name, range),
    variableBuckets: (machineId, name, range, buckets) =>
      ofGateway(machineId).variableBuckets(machineId, name, range, buckets),
    newestPoints: (machineId, names) => ofGateway(machineId).newestPoints(machineId, names),
    // The node's own disk comes first: without it nothing works.
    counters: () => {
      const counters = own.counters();
      const shedRecords = counters.shedRecords + business.shedRecords;
      const present = counters.health.state === 'ok' ? health.present : counters.health;
      return { ...counters, shedRecords, health: present, risks: health.risks };
    },
    onHealth: (listener) => {
      own.onHealth((one) => listener(one.state === 'ok' ? health.present : one));
      health.onChange((one) => own.counters().health.state === 'ok' && listener(one));
    },
    // Without a clock that can be trusted nothing is deleted, here or there.
    retain: async () => {
      const here = await own.retain();
      if (here.state === 'refused') return here;
      const { deletedRows } = await retainCentral(upkeep, retention, wallMs());
      await mergeHours(upkeep, wallMs() - retention.variableDays * DAY_MS, wallMs());
      return { ...here, deletedRows: here.deletedRows + deletedRows };
    },
    ...writing,
    write: async (records) => {
      const ofGateways = records.filter(isGatewayRecord);
      if (ofGateways.length > 0) await received.write(ofGateways);
      await writing.write(records.filter((record) => !isGatewayRecord(record)));
    },
  };
  return overlaid(own, shared);
}

/** `base` with some of its methods replaced. */
function overlaid<T extends object>(base: T, replaced: Partial<T>): T {
  return new Proxy(base, {
    get(target, name) {
      if (name in replaced) return Reflect.get(replaced, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
