import { profileEntity } from '../../../domain/sync/operation.ts';
import type { ProfileRecord } from '../../../flows/library/profile-ports.ts';
import type { ClockChange, PlantRow, StoreRecord } from '../../../flows/store-ports.ts';
import { AuditTrail } from './audit-trail.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Connection } from './database/connection.ts';
import { DamagedRecords } from './database/damaged-records.ts';
import { insertInto } from './database/insert-into.ts';
import {
  anomaly,
  downtime,
  machinePart,
  machineState,
  shiftTotals,
  span,
  workSession,
} from './database/schema/machines.ts';
import { brokerRow } from './database/schema/store.ts';
import { plant } from './database/schema/warehouse.ts';
import { DoneRequests } from './done-requests.ts';
import type { RecordQueue, WrittenAt } from './forwarding/queue/record-queue.ts';
import { MachineHistory } from './machine-history.ts';
import type { LocalChanges } from './mirror/local-changes.ts';
import { OrderQueries } from './orders/order-queries.ts';
import { OrderWriter } from './orders/order-writer.ts';
import type { OwnOrders } from './orders/own-orders.ts';
import { ProfileQueries } from './profiles/profile-queries.ts';
import { ProfileWriter } from './profiles/profile-writer.ts';
import { Subscriptions } from './profiles/subscriptions.ts';
import { NameHolders } from './received/name-holders.ts';
import { ReceivedOperations } from './received/received-operations.ts';
import type { Warehouse } from './warehouse/warehouse.ts';
import { WarehouseWriter } from './warehouse/warehouse-writer.ts';

type Stored = Exclude<StoreRecord, { kind: 'variables' }>;
type Fact = Extract<
  Stored,
  { kind: 'part' | 'shift' | 'downtime' | 'downtimeRemoved' | 'span' | 'workSession' | 'anomaly' }
>;
type Statement = { run(...values: readonly unknown[]): unknown };

/** Writes the absolute facts: each replaces the one under its key. To be called within a transaction. */
export class RecordWriter {
  readonly #connection: Connection;
  readonly #warehouse: WarehouseWriter;
  readonly orders: OrderWriter;
  readonly #profiles: ProfileWriter;
  readonly #subscriptions: Subscriptions;
  readonly #queue: RecordQueue;
  readonly #localChanges: LocalChanges;
  readonly #changeFeed: ChangeFeed;
  readonly #receivedOperations: ReceivedOperations;
  readonly #names: NameHolders;
  readonly #damaged: DamagedRecords;
  readonly requests: DoneRequests;
  readonly audit: AuditTrail;
  readonly machineHistory: MachineHistory;
  readonly #into: ReturnType<typeof replacements>;
  readonly #statements = new Map<string, Statement>();

  constructor(connection: Connection, warehouse: Warehouse, queue: RecordQueue, ownOrders: OwnOrders) {
    this.#connection = connection;
    this.#into = replacements(connection);
    this.#warehouse = new WarehouseWriter(warehouse);
    this.#localChanges = warehouse.localChanges;
    this.#changeFeed = warehouse.changeFeed;
    this.#profiles = new ProfileWriter(connection);
    this.#subscriptions = new Subscriptions(connection);
    this.orders = new OrderWriter(connection, ownOrders, warehouse.changeFeed);
    this.#queue = queue;
    this.#receivedOperations = new ReceivedOperations(connection);
    this.#names = new NameHolders(connection);
    this.audit = new AuditTrail(connection);
    this.machineHistory = new MachineHistory(connection);
    this.#damaged = new DamagedRecords(connection);
    this.requests = new DoneRequests({
      connection,
      orders: new OrderQueries(connection, this.orders),
      profiles: new ProfileQueries(connection),
    });
  }

  write(record: Stored, written: WrittenAt): void {
    switch (record.kind) {
      case 'machineState':
        this.#into.machineState(record);
        return;
      case 'damaged':
        this.#damaged.keep(record.record, written.wallMs);
        return;
      case 'plant':
        this.#subscriptions.note(record.row);
        this.#writePlant(record.row);
        return;
      case 'brokerPut':
      case 'brokerDelete':
      case 'brokerDeletePrefix':
        this.#writeBroker(record);
        return;
      case 'orderPut':
      case 'orderRemoved':
        this.orders.write(record);
        return;
      case 'profile':
        this.#writeProfile(record);
        return;
      case 'part':
      case 'shift':
      case 'downtime':
      case 'downtimeRemoved':
      case 'span':
      case 'workSession':
      case 'anomaly':
      case 'catchUp':
        if (record.kind !== 'catchUp') this.#writeFact(record, written);
        this.#queue.noteFact(record, written);
        return;
      case 'audit':
        this.audit.write(record.entry);
        return;
      case 'receivedOperation':
        this.#receivedOperations.note(record);
        return;
      case 'nameTaken':
      case 'nameRefused':
      case 'nameGranted':
        this.#names.write(record);
        return;
      case 'requestDone':
        this.requests.note(record);
        return;
      case 'act':
      case 'statusSample':
      case 'batchAcknowledged':
      case 'batchTooLarge':
      case 'streamRestarted':
      case 'rowsSent':
      case 'rowSetAside':
      case 'statusesCondensed':
      case 'pointsSent':
      case 'pointsHeld':
      case 'sendBegun':
      case 'profileNamed':
      case 'setAsideRetried':
      case 'setAsideDiscarded':
        this.#queue.write(record, written);
        return;
      default:
        if (record.kind === 'override') this.machineHistory.noteOverride(record.override, written.epoch);
        else this.#warehouse.write(record);
    }
  }

  /** The clock was corrected (clock-epochs.ts): moves production, and forwards anew what changed. */
  correctClock(change: ClockChange, bootId: string, written: WrittenAt): void {
    for (const shift of this.machineHistory.production.move(bootId, change)) {
      this.#queue.noteFact({ kind: 'shift', shift }, written);
    }
    if (change.shifts.length > 0) this.#queue.noteCorrected(bootId, written);
  }

  #writeFact(record: Fact, { epoch, wallMs }: WrittenAt): void {
    switch (record.kind) {
      case 'part': {
        const json = record.part === null ? null : JSON.stringify(record.part);
        if (record.part !== null) this.machineHistory.noteSelection(record.machineId, record.part);
        this.#into.machinePart({ machineId: record.machineId, json, at: record.at });
        return;
      }
      case 'downtimeRemoved':
        this.#run('DELETE FROM downtime WHERE downtime_id = ?', record.downtimeId);
        return;
      case 'shift': {
        this.machineHistory.production.note(record.shift, record.at ?? wallMs, epoch);
        const { totals, reading, ...key } = record.shift;
        const json = reading === undefined ? null : JSON.stringify(reading);
        this.#into.shiftTotals({ ...key, ...totals, reading: json });
        return;
      }
      case 'downtime':
        this.#into.downtime({ ...record.downtime, epoch });
        return;
      case 'span':
        this.#into.span({ ...record.span, epoch });
        return;
      case 'workSession':
        this.#into.workSession({ ...record.session, epoch });
        return;
      case 'anomaly': {
        const { from, to, ...rest } = record.anomaly;
        this.#into.anomaly({ ...rest, fromCount: from, toCount: to, epoch });
      }
    }
  }

  #writePlant({ kind, id, json }: PlantRow): void {
    if (json === null) this.#run('DELETE FROM plant WHERE kind = ? AND id = ?', kind, id);
    else this.#into.plant({ kind, id, json });
  }

  #writeProfile(record: ProfileRecord): void {
    this.#profiles.write(record);
    const { profileId, archived } = record.profile;
    this.#localChanges.note(profileEntity(profileId));
    this.#changeFeed.note('profile', profileId, archived);
  }

  #writeBroker(record: Extract<Stored, { kind: 'brokerPut' | 'brokerDelete' | 'brokerDeletePrefix' }>): void {
    if (record.kind === 'brokerPut') this.#into.brokerRow({ ...record.row, tableName: record.row.table });
    else if (record.kind === 'brokerDeletePrefix') this.#deletePrefix(record.table, record.prefix);
    else this.#run('DELETE FROM broker_row WHERE table_name = ? AND key = ?', record.table, record.key);
  }

  #deletePrefix(table: string, prefix: string): void {
    const end = prefixEnd(prefix);
    if (end === null) this.#run('DELETE FROM broker_row WHERE table_name = ? AND key >= ?', table, prefix);
    else this.#run('DELETE FROM broker_row WHERE table_name = ? AND key >= ? AND key < ?', table, prefix, end);
  }

  #run(sql: string, ...values: readonly unknown[]): void {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare<unknown[]>(sql);
      this.#statements.set(sql, statement);
    }
    statement.run(...values);
  }
}

/** The tables whose rows are replaced as a whole. */
function replacements(connection: Connection) {
  const or = 'REPLACE';
  return {
    machineState: insertInto(connection, machineState, { or }),
    machinePart: insertInto(connection, machinePart, { or }),
    shiftTotals: insertInto(connection, shiftTotals, { or }),
    downtime: insertInto(connection, downtime, { or }),
    span: insertInto(connection, span, { or }),
    workSession: insertInto(connection, workSession, { or }),
    anomaly: insertInto(connection, anomaly, { or }),
    plant: insertInto(connection, plant, { or }),
    brokerRow: insertInto(connection, brokerRow, { or }),
  };
}

const LAST_CODE_POINT = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** The first text after all that begin with `prefix`, in the order of code points; null if there is no such text. */
function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
  return String.fromCodePoint(...points, next);
}
