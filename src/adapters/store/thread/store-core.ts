import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { StoredState } from '../../../flows/store-ports.ts';
import type { StoreThreadData } from '../protocol.ts';
import type { AlertRows } from './alerts/alert-rows.ts';
import type { AuditTrail } from './audit-trail.ts';
import { ClockEpochs } from './clock-epochs.ts';
import { backUp } from './database/back-up.ts';
import { Checkpoints } from './database/checkpoints.ts';
import type { Connection } from './database/connection.ts';
import { openDatabase } from './database/open-database.ts';
import type { DoneRequests } from './done-requests.ts';
import { type ForwardingParts, openForwarding } from './forwarding/forwarding.ts';
import { PointQueue } from './forwarding/queue/point-queue.ts';
import type { GroupRows } from './group-rows.ts';
import { HistoryQueries } from './history-queries.ts';
import type { JournalCopy } from './journal-copy.ts';
import type { MachineHistoryRows } from './machine-history.ts';
import { type Mirror, openMirror } from './mirror/mirror.ts';
import { OrderQueries } from './orders/order-queries.ts';
import { OrderSearches } from './orders/order-search.ts';
import { OrderSeedRows } from './orders/order-seeds.ts';
import { OwnOrders } from './orders/own-orders.ts';
import { ProductionReports } from './production/production-reports.ts';
import { StopLog } from './production/stop-log.ts';
import { DeliveryQueries } from './profiles/delivery-queries.ts';
import { ProfileQueries } from './profiles/profile-queries.ts';
import { openReceived, type Received } from './received/received.ts';
import { BatchApplier, RecordWriter } from './record-writer.ts';
import { appliedNumber, restoreState } from './restore.ts';
import { RetentionRun } from './retention.ts';
import { BlockPacker } from './variables/block-packer.ts';
import { PointJournal } from './variables/point-journal.ts';
import { PublicationReceipts } from './variables/publication-receipts.ts';
import { RecentPoints } from './variables/recent-points.ts';
import { VariableQueries } from './variables/variable-queries.ts';
import { VariableSeries } from './variables/variable-series.ts';
import { PlantQueries } from './warehouse/plant-queries.ts';
import { openWarehouseTables, type Warehouse } from './warehouse/warehouse.ts';

/** The parts of an open store, put together. */
export interface StoreCore {
  readonly connection: Connection;
  readonly lock: Connection;
  readonly applier: BatchApplier;
  readonly packer: BlockPacker;
  readonly recent: RecentPoints;
  readonly receipts: PublicationReceipts;
  readonly checkpoints: Checkpoints;
  readonly history: HistoryQueries;
  readonly machineHistory: MachineHistoryRows;
  readonly production: ProductionReports;
  readonly stopLog: StopLog;
  readonly variables: VariableQueries;
  readonly warehouse: Warehouse;
  readonly plant: PlantQueries;
  readonly forwarding: ForwardingParts;
  readonly mirror: Mirror;
  readonly received: Received;
  readonly retention: RetentionRun;
  readonly alerts: AlertRows;
  readonly groups: GroupRows;
  readonly audit: AuditTrail;
  readonly journal: JournalCopy;
  readonly profiles: ProfileQueries;
  readonly deliveries: DeliveryQueries;
  readonly orders: OrderQueries;
  readonly orderSearches: OrderSearches;
  readonly orderSeeds: OrderSeedRows;
  readonly requests: DoneRequests;
  readonly appliedNumber: number;
  /** Copies the database into a file. */
  backUp(file: string): Promise<void>;
  readonly restored: StoredState;
}

/** Opens what lies in the data directory; throws StoreOpenError. */
export function openCore(data: StoreThreadData): StoreCore {
  const { dataDir, suspect } = data;
  const { loaded, connection, lock, setAside } = openDatabase(dataDir, suspect, (opened) => build(opened, data));
  return { ...loaded, connection, lock, restored: { ...loaded.restored, setAside } };
}

function build(connection: Connection, { runId, series: names, retention, forwarding: settings }: StoreThreadData) {
  const isForwarding = settings !== null;
  const database = drizzle(connection);
  const restored = restoreState(database);
  const epochs = new ClockEpochs(connection, runId);
  const series = new VariableSeries(connection, names);
  const pointQueue = new PointQueue(connection);
  const journal = new PointJournal(connection, pointQueue, isForwarding);
  const recent = new RecentPoints();
  const receipts = new PublicationReceipts(connection);
  const warehouse = openWarehouseTables(connection, isForwarding);
  const forwarding = openForwarding(connection, { epochs, journal, pointQueue, recent, settings });
  const ownOrders = new OwnOrders(connection, isForwarding);
  const writer = new RecordWriter(connection, warehouse, forwarding.queue, ownOrders);
  const variables = new VariableQueries(connection, series, recent, epochs);
  const profiles = new ProfileQueries(connection);
  return {
    applier: new BatchApplier({
      connection,
      runId,
      epochs,
      series,
      journal,
      recent,
      receipts,
      writer,
      statuses: forwarding.statuses,
    }),
    packer: new BlockPacker(connection, journal, recent),
    recent,
    receipts,
    checkpoints: new Checkpoints(connection),
    history: new HistoryQueries(database),
    machineHistory: writer.machineHistory,
    production: new ProductionReports(writer.shiftSummaries),
    stopLog: new StopLog(connection),
    variables,
    warehouse,
    plant: new PlantQueries(warehouse),
    forwarding,
    received: openReceived({ connection, series, journal, recent, writer, variables }),
    retention: new RetentionRun(connection, retention, {
      epochs,
      expired: forwarding.expired,
      changeFeed: warehouse.changeFeed,
      lastWrittenAt: restored.lastWrittenAt,
    }),
    orders: new OrderQueries(connection, writer.orders),
    orderSearches: new OrderSearches(connection),
    orderSeeds: new OrderSeedRows(connection),
    requests: writer.requests,
    alerts: writer.alerts,
    groups: writer.groups,
    audit: writer.audit,
    journal: writer.journal,
    profiles,
    mirror: openMirror({
      ...{ connection, warehouse, profiles, ownOrders, isForwarding },
      orderWriter: writer.orders,
      upstreamNames: forwarding.upstreamNames,
    }),
    deliveries: new DeliveryQueries(connection),
    backUp: (file: string) => backUp(connection, file),
    appliedNumber: appliedNumber(database, runId),
    restored,
  };
}
