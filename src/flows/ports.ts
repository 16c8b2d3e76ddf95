import type { CodedError } from '../domain/error.ts';
import type { Decision } from '../domain/machine/decision.ts';
import type { DowntimeCategory } from '../domain/machine/downtime/downtime-edits.ts';
import type { MachineId } from '../domain/machine/machine-id.ts';
import type {
  Activity,
  CatchUp,
  CounterAnomaly,
  Downtime,
  PartSelection,
  ShiftRecord,
  Span,
  WorkSession,
} from '../domain/machine/records.ts';
import type { Role } from '../domain/plant/plant.ts';
import type { PlantKind } from '../domain/plant/plant-entry.ts';
import type { RequestReceipt } from '../domain/request-receipt.ts';
import type { NameRecord } from '../domain/sync/name-claim.ts';
import type { OperationReceipt } from '../domain/sync/operation-receipt.ts';
import type { Now } from '../domain/time.ts';
import type { SettleQueries } from './forward/settle-ports.ts';
import type { ForwardRecord, SyncQueries } from './forward/sync-ports.ts';
import type { SyncApi } from './forward/sync-status-ports.ts';
import type { ProfileQueries, ProfileRecord } from './library/profile-ports.ts';
import type { DowntimeExport, DowntimeRow } from './local-api/downtime-export-ports.ts';
import type { downtimeView, MachineView, productionView, spanView } from './local-api/machine-view.ts';
import type { MirrorQueries } from './mirror/mirror-ports.ts';
import type { OrderQueries, OrderRecord } from './orders/order-ports.ts';
import type { PagedKind, PlantRecords, ResidentKind } from './plant/plant-record-ports.ts';
import type { ReceiveQueries } from './receive/receive-ports.ts';
import type { RequestQueries } from './request-ports.ts';
import type { StoreCounters, StoreHealth } from './store-health-ports.ts';
import type {
  WarehousePlantQueries,
  WarehousePlantRecord,
  WarehouseQueries,
  WarehouseRecord,
} from './warehouse/warehouse-ports.ts';

export type { Now, PagedKind, PlantKind, PlantRecords, ResidentKind, StoreCounters, StoreHealth };

export interface Clock {
  now(): Now;
}

/** One measurement of one tracked variable (VAR-01 to VAR-03). `at` is wall-clock milliseconds since 1970. */
export interface VariablePoint {
  readonly machineId: MachineId;
  readonly name: string;
  readonly at: number;
  readonly shiftDate: string;
  readonly value: number;
}

/**
 * Which MQTT publication brought a batch of variables. A publisher that lost the PUBACK sends it again with the same
 * packet id and payload: the store then keeps the first and acknowledges the second.
 */
export interface PublicationReceipt {
  readonly clientId: string;
  readonly messageId: number;
  readonly payloadHash: number;
  readonly duplicate: boolean;
}

/** Rows of the broker's persistence, keyed by what the adapter chooses; `value` is opaque to the store. */
export type BrokerTable = 'session' | 'retained' | 'will' | 'outgoing' | 'incoming';
export interface BrokerRow {
  readonly table: BrokerTable;
  readonly key: string;
  readonly value: Uint8Array;
}

export interface PlantRow {
  readonly kind: PlantKind;
  readonly id: string;
  /** The record as JSON; null removes it. */
  readonly json: string | null;
}

/**
 * Events as absolute facts: writing one twice changes nothing, so a batch whose acknowledgement was lost can be
 * sent again. Records of one `write` are committed together, in order.
 */
export type StoreRecord =
  | { readonly kind: 'machineState'; readonly machineId: MachineId; readonly json: string }
  | { readonly kind: 'shift'; readonly shift: ShiftRecord }
  | { readonly kind: 'downtime'; readonly downtime: Downtime }
  | { readonly kind: 'downtimeRemoved'; readonly downtimeId: string }
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'workSession'; readonly session: WorkSession }
  | { readonly kind: 'anomaly'; readonly anomaly: CounterAnomaly }
  /** Nothing of the history: the central server alone wants to know. */
  | { readonly kind: 'catchUp'; readonly catchUp: CatchUp }
  | { readonly kind: 'part'; readonly machineId: MachineId; readonly part: PartSelection | null; readonly at: number }
  | { readonly kind: 'plant'; readonly row: PlantRow }
  /** Keeps a copy of it, and lets `/readyz` and diagnostics name it until it is written again. */
  | { readonly kind: 'damaged'; readonly record: DamagedRecord }
  | {
      readonly kind: 'variables';
      readonly points: readonly VariablePoint[];
      readonly receipt: PublicationReceipt | null;
    }
  | { readonly kind: 'brokerPut'; readonly row: BrokerRow }
  | { readonly kind: 'brokerDelete'; readonly table: BrokerTable; readonly key: string }
  | { readonly kind: 'brokerDeletePrefix'; readonly table: BrokerTable; readonly prefix: string }
  | OrderRecord
  | ProfileRecord
  | OperationReceipt
  | NameRecord
  | RequestReceipt
  | ForwardRecord
  | WarehouseRecord
  | WarehousePlantRecord;

/** A stored record that cannot be read: where it was, and as it was stored. */
export interface DamagedRecord {
  readonly table: string;
  readonly key: string;
  readonly content: string;
  readonly reason: string;
}

/** What the gateway needs to go on where it stopped (D-03). */
export interface StoredState {
  readonly machineStates: readonly { readonly machineId: MachineId; readonly json: string }[];
  readonly parts: readonly {
    readonly machineId: MachineId;
    readonly part: PartSelection | null;
    readonly at: number;
  }[];
  readonly openDowntimes: readonly Downtime[];
  readonly plant: readonly PlantRow[];
  readonly broker: readonly BrokerRow[];
  /** Records that could not be read and are left out of the rest. */
  readonly damaged: readonly DamagedRecord[];
  /** When the last record before this start was written; null on a fresh data directory. */
  readonly lastWrittenAt: number | null;
  /** Where a damaged database was put, and that the store began afresh with what could be saved of it; null: it was sound. */
  readonly setAsideFile: string | null;
}

/** What one retention run did; `refused` says why it deleted nothing (a clock that cannot be trusted). */
export type RetentionResult =
  | {
      readonly state: 'done';
      readonly deletedBlocks: number;
      readonly deletedPoints: number;
      readonly deletedRows: number;
    }
  | { readonly state: 'refused'; readonly reason: string };

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface VariableBucket {
  readonly at: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly count: number;
}

export interface DowntimeFilter {
  readonly uncategorizedOnly: boolean;
  readonly limit: number;
  /** Only what comes behind it in a list, where the newest is first. */
  readonly behind?: Pick<Downtime, 'downtimeId' | 'startedAt'> | null;
}

type VariablePoints = Promise<{
  readonly points: readonly { readonly at: number; readonly value: number }[];
  readonly truncated: boolean;
}>;

/** Questions the store thread answers; none of them runs on the main thread. */
export interface StoreQueries
  extends OrderQueries,
    ProfileQueries,
    RequestQueries,
    SyncQueries,
    WarehouseQueries,
    WarehousePlantQueries {
  downtimes(machineId: MachineId, filter: DowntimeFilter): Promise<readonly Downtime[]>;
  downtime(downtimeId: string): Promise<Downtime | null>;
  shifts(machineId: MachineId, shiftDate: string): Promise<readonly ShiftRecord[]>;
  spans(machineId: MachineId, range: TimeRange): Promise<readonly Span[]>;
  workSessions(machineId: MachineId, limit: number): Promise<readonly WorkSession[]>;
  anomalies(machineId: MachineId, limit: number): Promise<readonly CounterAnomaly[]>;
  /** Newest 100,000 points of the range at most, oldest first; `truncated` says that there were more. */
  variablePoints(machineId: MachineId, name: string, range: TimeRange | { readonly shiftDate: string }): VariablePoints;
  variableBuckets(
    machineId: MachineId,
    name: string,
    range: TimeRange,
    buckets: number,
  ): Promise<readonly VariableBucket[]>;
  activityTotals(machineId: MachineId, range: TimeRange): Promise<Readonly<Record<Activity, number>>>;
}

/** The store as the main thread sees it: nothing here waits for a disk. */
export interface Store extends StoreQueries {
  /** The mirror of the central server. */
  readonly mirror: MirrorQueries;
  /** Settles lost answers by reading at the central server. */
  readonly settling: SettleQueries;
  /** Batches of other gateways, and what is known of those. */
  readonly received: ReceiveQueries;
  /** Hands records over, to be committed with the next batch. The outcome is not reported. */
  record(records: readonly StoreRecord[]): void;
  /** Resolves once the records are synced to disk; rejects with CodedError `store-unavailable` when they were given up. */
  write(records: readonly StoreRecord[]): Promise<void>;
  counters(): StoreCounters;
  onHealth(listener: (health: StoreHealth) => void): void;
  /** Calls the listener for each damaged record, also for those found before. */
  onDamage(listener: (record: DamagedRecord) => void): void;
  /** The wall clock was corrected by `deltaMs`: times written since the machine booted are corrected with it (D-04). */
  clockCorrected(deltaMs: number): void;
  /** Deletes what is older than the retention allows, in slices that hold nothing up. */
  retain(): Promise<RetentionResult>;
  /** Settles what was handed over, then closes; resolves when the thread has ended. */
  close(): Promise<void>;
}

/** Where a device's message came from. `duplicate` is MQTT's DUP flag: an older message may be sent again. */
export interface MessageOrigin {
  readonly transport: 'mqtt' | 'http';
  readonly duplicate: boolean;
}

/**
 * What becomes of a status: `command` is answered at once; `held` came faster than the device may send and is answered
 * when its turn comes (D-12); `refused` changed nothing and says why; `failed` is a fault of ours (DEV-17).
 */
export type StatusAnswer =
  | { readonly kind: 'command'; readonly decision: Decision }
  | { readonly kind: 'held'; readonly decision: Decision }
  | { readonly kind: 'failed'; readonly decision: Decision }
  | { readonly kind: 'refused'; readonly error: CodedError };

/** What devices say, as the adapters hand it in. Texts are payloads as they came. */
export interface DeviceInbox {
  status(machineId: MachineId, text: string, origin: MessageOrigin): StatusAnswer;
  /** A status that names its machine itself (HTTP-01, HTTP-02). Rejects what no machine can be found for. */
  namedStatus(text: string): { readonly machineId: MachineId; readonly answer: StatusAnswer } | CodedError;
  /** The same for variables (HTTP-03). */
  namedVariables(text: string): Promise<void>;
  statusField(machineId: MachineId, fieldName: string, text: string, origin: MessageOrigin): void;
  /** Resolves when every tracked value is on disk (VAR-04); what is not stored is no error (VAR-01, VAR-02). */
  variables(machineId: MachineId, text: string, receipt: PublicationReceipt | null): Promise<void>;
  variable(machineId: MachineId, name: string, text: string, receipt: PublicationReceipt | null): Promise<void>;
  /** `online` and `lwt` of the topic table: `true` or `false` (MQTT-06, MQTT-07). */
  presence(machineId: MachineId, topic: 'online' | 'lwt', text: string): void;
  /** The present decision, for a device that comes back and may have missed some. */
  decision(machineId: MachineId): Decision | null;
}

/** Something wrong that a person should be able to read in diagnostics; the newest of a kind and subject stands for all. */
export interface Incident {
  readonly kind:
    | 'malformed'
    | 'unknownDevice'
    | 'rateLimited'
    | 'forbiddenPublish'
    | 'protocolViolation'
    | 'packetTooLarge'
    | 'duplicateClientId'
    | 'accessRefused'
    | 'slowReader'
    | 'limitReached'
    | 'clockJump'
    | 'heldUp'
    | 'plantFile'
    | 'store'
    | 'legacyAgent'
    | 'sendingGateway'
    | 'upstream'
    | 'internal';
  /** Whom it is about: a machine id, a client id, an address. */
  readonly subject: string;
  readonly detail: string;
}

export interface Incidents {
  report(incident: Incident): void;
}

/** One machine as the broker needs to know it. */
export interface DeviceRoute {
  readonly machineId: MachineId;
  readonly topicRoot: string;
  readonly mqttPasswordHash: string | null;
}

/** Tells devices what was decided. `all`: every command topic; `bits`: the 0/1 topics alone (D-05). */
export interface CommandSender {
  send(machineId: MachineId, decision: Decision, topics: 'all' | 'bits'): void;
}

/** Compares a secret with the hash kept of it, off the main thread, in constant time (AUTH-02). */
export type SecretVerifier = (hash: string, secret: string) => Promise<boolean>;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The principal of an API key, or a user's name. */
export interface Actor {
  readonly principal: string;
  readonly role: Role;
}

export type { MachineView };
export type DowntimeView = ReturnType<typeof downtimeView>;
export type SpanView = ReturnType<typeof spanView>;
export type ProductionView = ReturnType<typeof productionView>;

/** A downtime that merging took away. */
export interface RemovedDowntime {
  readonly downtimeId: string;
  readonly removed: true;
}

/**
 * A change for watchers. A machine is only named, because it may change a hundred times before it is
 * shown; `urgent`: more than its counters and times. Everything else comes with the changed record.
 */
export type LiveChange =
  | { readonly event: 'machine'; readonly machineId: string; readonly urgent: boolean }
  | { readonly event: 'downtime'; readonly key: string; readonly record: DowntimeView | RemovedDowntime }
  | {
      readonly event: 'task' | 'coil' | 'sync' | 'plant' | 'diagnostics';
      readonly key: string;
      readonly record: object;
    };

/** What a device said last, word for word, and how each key of it was read. Times are ISO 8601. */
export interface LastMessageView {
  readonly receivedAt: string;
  readonly transport: 'mqtt' | 'http';
  readonly text: string;
  /** Null where the text is no whole JSON object. */
  readonly fields: readonly { readonly key: string; readonly field: string | null; readonly why: string }[] | null;
}

export interface LiveCounters {
  readonly machines: number;
  /** Statuses and single fields taken in, over MQTT and HTTP. */
  readonly deviceInputs: number;
  readonly decisionChanges: number;
  readonly incidents: ReadonlyMap<Incident['kind'], number>;
}

/** What the page and the command line can ask and do (contract.md, Local API). Refusals are CodedErrors. */
export interface LocalApi {
  /** Views are made one by one while they are iterated, so that thousands need not be made in one go. */
  machines(): Iterable<MachineView>;
  /** Throws `not-found`, as everything here does that is asked about a machine that is not configured. */
  machine(machineId: string): MachineView;
  lastMessage(machineId: string): LastMessageView | null;
  selectPart(machineId: string, partId: string): Promise<MachineView>;
  clearPart(machineId: string): Promise<MachineView>;
  downtimes(machineId: string, filter: DowntimeFilter): Promise<readonly DowntimeView[]>;
  /** Newest first, machine by machine; throws before the first page where there is no such machine (D-29). */
  exportDowntimes(asked: DowntimeExport): AsyncIterable<readonly DowntimeRow[]>;
  categorizeDowntimes(ids: readonly string[], category: DowntimeCategory): Promise<readonly DowntimeView[]>;
  /** `at` in wall-clock milliseconds. */
  splitDowntime(downtimeId: string, at: number): Promise<readonly DowntimeView[]>;
  mergeDowntimes(downtimeIds: readonly string[]): Promise<readonly DowntimeView[]>;
  /** Null: the present shift date. */
  production(machineId: string, shiftDate: string | null): Promise<ProductionView>;
  variablePoints(machineId: string, name: string, range: TimeRange | { readonly shiftDate: string }): VariablePoints;
  variableBuckets(
    machineId: string,
    name: string,
    range: TimeRange | { readonly shiftDate: string },
    buckets: number,
  ): Promise<readonly VariableBucket[]>;
  timeline(machineId: string, range: TimeRange): Promise<readonly SpanView[]>;
  workSessions(machineId: string, limit: number): Promise<readonly object[]>;
  anomalies(machineId: string, limit: number): Promise<readonly object[]>;
  diagnostics(): object;
  /** How it stands with the central server, and what waits for it. */
  readonly sync: SyncApi;
  counters(): LiveCounters;
  /** Calls the listener for changes until the returned function is called. Without listeners it costs nothing. */
  watch(listener: (change: LiveChange) => void): () => void;
}

/** How the gateway is doing, for `/readyz` and `/metrics`. */
export interface GatewayVitals {
  store(): StoreCounters;
  broker(): { readonly listening: boolean; readonly connections: number };
}
