import { profileEntity } from '../../../domain/sync/operation.ts';
import type { AlertRecord } from '../../../flows/alert/alert-ports.ts';
import type { ProfileRecord } from '../../../flows/library/profile-ports.ts';
import type { SessionRecord } from '../../../flows/people/people-ports.ts';
import type { ClockChange, JournalPosition, PlantRow, StoreRecord } from '../../../flows/store-ports.ts';
import type { Batch, EntryRefusal, WireRecord } from '../protocol.ts';
import { AlertRows, isAlertRecord } from './alerts/alert-rows.ts';
import { AuditTrail } from './audit-trail.ts';
import { BrokerRows } from './broker-rows.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ClockEpochs } from './clock-epochs.ts';
import { type Connection, transact } from './database/connection.ts';
import { DamagedRecords } from './database/damaged-records.ts';
import { diskFault, errorText } from './database/disk-fault.ts';
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
import { personSession } from './database/schema/people.ts';
import { appliedBatch } from './database/schema/store.ts';
import { plant } from './database/schema/warehouse.ts';
import { DoneRequests } from './done-requests.ts';
import type { RecordQueue, WrittenAt } from './forwarding/queue/record-queue.ts';
import type { StatusQueues } from './forwarding/queue/status-queues.ts';
import { type GroupRecord, GroupRows, isGroupRecord } from './group-rows.ts';
import { JournalCopy } from './journal-copy.ts';
import { MachineHistoryRows } from './machine-history.ts';
import type { LocalChanges } from './mirror/local-changes.ts';
import { OrderQueries } from './orders/order-queries.ts';
import { OrderWriter } from './orders/order-writer.ts';
import type { OwnOrders } from './orders/own-orders.ts';
import { ShiftSummaries } from './production/shift-summaries.ts';
import { ProfileQueries } from './profiles/profile-queries.ts';
import { ProfileWriter } from './profiles/profile-writer.ts';
import { Subscriptions } from './profiles/subscriptions.ts';
import { isReceivedRecord, type ReceivedRecord, ReceivedWriter } from './received/received-writer.ts';
import type { PointJournal } from './variables/point-journal.ts';
import type { PublicationReceipts } from './variables/publication-receipts.ts';
import {
  extendSlices,
  type PointGroup,
  type PointSlice,
  pointGroups,
  type RecentPoints,
} from './variables/recent-points.ts';
import type { VariableSeries } from './variables/variable-series.ts';
import type { Warehouse } from './warehouse/warehouse.ts';
import { WarehouseWriter } from './warehouse/warehouse-writer.ts';

export interface ApplierParts {
  readonly connection: Connection;
  readonly runId: string;
  readonly epochs: ClockEpochs;
  readonly series: VariableSeries;
  readonly journal: PointJournal;
  readonly recent: RecentPoints;
  readonly receipts: PublicationReceipts;
  readonly writer: RecordWriter;
  readonly statuses: Pick<StatusQueues, 'rolledBack'>;
}

/** Applies batches, a group of them in one transaction, together with the number of the last: exactly once each. */
export class BatchApplier {
  readonly #parts: ApplierParts;
  readonly #noteApplied;

  constructor(parts: ApplierParts) {
    this.#parts = parts;
    this.#noteApplied = insertInto(parts.connection, appliedBatch, { or: 'REPLACE' });
  }

  /** Throws without applying any batch if the disk or one of the batches is at fault. */
  applyGroup(batches: readonly Batch[]): void {
    const groups = this.#transact(() => {
      const points = batches.flatMap((batch) => this.#applyBatch(batch, (_, apply) => apply()));
      this.#note(batches.at(-1));
      return points;
    });
    for (const group of groups) this.#parts.recent.add(group);
  }

  /**
   * Applies a batch entry by entry and gives the entries that cannot be stored. Throws only if the disk is at fault.
   */
  applySingly(batch: Batch): readonly EntryRefusal[] {
    const refusals: EntryRefusal[] = [];
    const groups = this.#transact(() => {
      const points = this.#applyBatch(batch, (entry, apply) => {
        try {
          return transact(this.#parts.connection, apply);
        } catch (error) {
          if (diskFault(error) !== 'none') throw error;
          this.#forget();
          refusals.push({ entry, reason: errorText(error) });
          return [];
        }
      });
      this.#note(batch);
      return points;
    });
    for (const group of groups) this.#parts.recent.add(group);
    return refusals;
  }

  #transact<T extends readonly PointGroup[]>(work: () => T): readonly PointGroup[] {
    try {
      return transact<readonly PointGroup[]>(this.#parts.connection, work);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#parts.epochs.forget();
    this.#parts.series.forget();
    this.#parts.statuses.rolledBack();
  }

  #applyBatch(
    batch: Batch,
    guard: (entry: number, apply: () => readonly PointSlice[]) => readonly PointSlice[],
  ): readonly PointGroup[] {
    const { points } = batch;
    this.#parts.series.learn(points.seriesFrom, points.newSeries);
    const slices: PointSlice[] = [];
    let offset = 0;
    for (const [index, entry] of batch.entries.entries()) {
      const from = offset;
      for (const slice of guard(index, () => this.#applyEntry(entry, from, batch.at))) extendSlices(slices, slice);
      for (const record of entry) if (record.kind === 'points') offset += record.count;
    }
    const groups = pointGroups(points, slices, this.#parts.series);
    for (const group of groups) this.#parts.journal.append(group);
    return groups;
  }

  #applyEntry(entry: readonly WireRecord[], firstPoint: number, wallMs: number): readonly PointSlice[] {
    const { epochs, receipts, writer } = this.#parts;
    const slices: PointSlice[] = [];
    let from = firstPoint;
    for (const record of entry) {
      if (record.kind === 'clockCorrected') {
        const bootId = epochs.correct(record, wallMs);
        writer.correctClock(record, bootId, { epoch: epochs.current(wallMs), wallMs });
      } else if (record.kind === 'points') {
        const isNew = record.receipt === null || receipts.admit(record.receipt, wallMs);
        const to = from + record.count;
        if (isNew && record.count > 0) slices.push({ from, to, epoch: epochs.current(wallMs) });
        from = to;
      } else {
        writer.write(record, { epoch: epochs.current(wallMs), wallMs });
      }
    }
    return slices;
  }

  #note(last: Batch | undefined): void {
    if (last === undefined) return;
    this.#noteApplied({ id: 1, runId: this.#parts.runId, number: last.number, writtenAt: last.at });
  }
}

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
  readonly received: ReceivedWriter;
  readonly #brokerRows: BrokerRows;
  readonly #damaged: DamagedRecords;
  readonly requests: DoneRequests;
  readonly alerts: AlertRows;
  readonly groups: GroupRows;
  readonly audit: AuditTrail;
  readonly journal: JournalCopy;
  readonly machineHistory: MachineHistoryRows;
  readonly shiftSummaries: ShiftSummaries;
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
    this.received = new ReceivedWriter(connection);
    this.#brokerRows = new BrokerRows(connection);
    this.alerts = new AlertRows(connection);
    this.groups = new GroupRows(connection);
    this.audit = new AuditTrail(connection);
    this.journal = new JournalCopy(connection);
    this.machineHistory = new MachineHistoryRows(connection);
    this.shiftSummaries = new ShiftSummaries(connection);
    this.#damaged = new DamagedRecords(connection);
    this.requests = new DoneRequests({
      connection,
      orders: new OrderQueries(connection, this.orders),
      profiles: new ProfileQueries(connection),
    });
  }

  write(record: Stored, written: WrittenAt): void {
    if (isAlertRecord(record)) this.alerts.write(record);
    else if (isReceivedRecord(record)) this.received.write(record);
    else if (isGroupRecord(record)) this.groups.write(record);
    else if (record.kind === 'personSession') this.#into.personSession(record.session);
    else if (record.kind === 'personSessionEnded') {
      this.#run('DELETE FROM person_session WHERE session_id = ?', record.sessionId);
    } else this.#writeOther(record, written);
  }

  #writeOther(
    record: Exclude<Stored, AlertRecord | ReceivedRecord | GroupRecord | SessionRecord>,
    written: WrittenAt,
  ): void {
    switch (record.kind) {
      case 'machineState':
        this.#into.machineState(record);
        return;
      case 'journalPosition':
        this.#followJournal(record);
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
        this.#brokerRows.write(record);
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
    this.shiftSummaries.noteCorrection(Math.min(change.sinceAt, change.sinceAt + change.deltaMs));
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
        this.shiftSummaries.noteDowntime(record.downtimeId, null);
        this.#run('DELETE FROM downtime WHERE downtime_id = ?', record.downtimeId);
        return;
      case 'shift': {
        this.machineHistory.production.note(record.shift, record.at ?? wallMs, epoch);
        const { totals, reading, ...key } = record.shift;
        const json = reading === undefined ? null : JSON.stringify(reading);
        this.#into.shiftTotals({ ...key, ...totals, reading: json });
        this.shiftSummaries.noteTotals(record.shift);
        return;
      }
      case 'downtime':
        this.shiftSummaries.noteDowntime(record.downtime.downtimeId, record.downtime);
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

  /** Every node numbers the same writes likewise, in the same epoch. */
  #followJournal(position: JournalPosition): void {
    const { run, at } = position;
    this.#changeFeed.follow(run, at);
    this.#profiles.follow(run);
    this.#subscriptions.follow(run);
    this.journal.note(position);
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
    personSession: insertInto(connection, personSession, { or }),
  };
}
