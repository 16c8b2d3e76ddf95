import type { MachineId } from '../domain/machine/machine-names.ts';
import type {
  Activity,
  CatchUp,
  CounterAnomaly,
  Downtime,
  OverrideSpan,
  PartSelection,
  ProductionQuarter,
  ShiftRecord,
  Span,
  WorkSession,
} from '../domain/machine/records.ts';
import type { PlantKind } from '../domain/plant/plant-entry.ts';
import type { RequestReceipt } from '../domain/request-receipt.ts';
import type { Shift } from '../domain/shift/shift-calendar.ts';
import type { NameRecord } from '../domain/sync/name-claim.ts';
import type { OperationReceipt } from '../domain/sync/operation-receipt.ts';
import type { AlertQueries, AlertRecord } from './alert/alert-ports.ts';
import type { AuditPage, AuditQuery, AuditRecord } from './audit/audit-ports.ts';
import type { ChangeQueries } from './changes/change-ports.ts';
import type { FleetPlanQueries, FleetPlanRecord } from './fleet-plan/fleet-plan-ports.ts';
import type { FleetProductionQueries } from './fleet-production/fleet-production-ports.ts';
import type { FleetUpdateQueries, FleetUpdateRecord } from './fleet-update/fleet-update-ports.ts';
import type { SettleQueries } from './forward/settle-ports.ts';
import type { ForwardRecord, SyncQueries } from './forward/sync-ports.ts';
import type { ProfileQueries, ProfileRecord } from './library/profile-ports.ts';
import type { MirrorQueries } from './mirror/mirror-ports.ts';
import type { OrderQueries, OrderRecord } from './orders/order-ports.ts';
import type { SessionRecord, StoredSession } from './people/people-ports.ts';
import type { ProductionQueries } from './production/production-ports.ts';
import type { FleetRecord, ReceiveQueries } from './receive/receive-ports.ts';
import type { RequestQueries } from './request-ports.ts';
import type { SetAsideDatabase, StoreCounters, StoreHealth } from './store-health-ports.ts';
import type {
  JsonText,
  WarehousePlantQueries,
  WarehousePlantRecord,
  WarehouseQueries,
  WarehouseRecord,
} from './warehouse/warehouse-ports.ts';

/** One measurement of one tracked variable (VAR-01 to VAR-03). `at` is wall-clock milliseconds since 1970. */
export interface VariablePoint {
  readonly machineId: MachineId;
  readonly name: string;
  readonly at: number;
  readonly shiftDate: string;
  readonly value: number;
}

/**
 * The MQTT publication that brought a batch of variables. A publisher that lost the PUBACK sends it again with the same
 * packet id and payload: the store then keeps the first and acknowledges the second.
 */
export interface PublicationReceipt {
  readonly clientId: string;
  readonly messageId: number;
  readonly payloadHash: number;
  readonly duplicate: boolean;
}

/** Rows of the broker's persistence, under keys that the adapter chooses; `value` is opaque to the store. */
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
 * The wall clock was wrong by `deltaMs` from the boot of the computer to the correction: from `sinceAt` to `untilAt` by
 * the wrong clock. The shifts are those since the boot by the right clock; none if no production has to move.
 */
export interface ClockChange {
  readonly deltaMs: number;
  readonly sinceAt: number;
  readonly untilAt: number;
  readonly shifts: readonly Shift[];
}

/**
 * Events as absolute facts: writing one twice changes nothing, so a batch whose acknowledgement was lost can be
 * sent again. Records of one `write` are committed together, in order.
 */
export type StoreRecord =
  | { readonly kind: 'machineState'; readonly machineId: MachineId; readonly json: string }
  /** `at`: the time up to which production counts; absent: now. */
  | { readonly kind: 'shift'; readonly shift: ShiftRecord; readonly at?: number }
  | { readonly kind: 'downtime'; readonly downtime: Downtime }
  | { readonly kind: 'downtimeRemoved'; readonly downtimeId: string }
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'workSession'; readonly session: WorkSession }
  | { readonly kind: 'override'; readonly override: OverrideChange }
  | { readonly kind: 'anomaly'; readonly anomaly: CounterAnomaly }
  /** A record only for the central server, which is not part of the history. */
  | { readonly kind: 'catchUp'; readonly catchUp: CatchUp }
  | { readonly kind: 'part'; readonly machineId: MachineId; readonly part: PartSelection | null; readonly at: number }
  | { readonly kind: 'plant'; readonly row: PlantRow }
  /** A damaged record: the store keeps a copy, and `/readyz` and diagnostics name it until it is written again. */
  | { readonly kind: 'damaged'; readonly record: DamagedRecord }
  | {
      readonly kind: 'variables';
      readonly points: readonly VariablePoint[];
      readonly receipt: PublicationReceipt | null;
    }
  | JournalPosition
  | { readonly kind: 'brokerPut'; readonly row: BrokerRow }
  | { readonly kind: 'brokerDelete'; readonly table: BrokerTable; readonly key: string }
  | { readonly kind: 'brokerDeletePrefix'; readonly table: BrokerTable; readonly prefix: string }
  | AlertRecord
  | AuditRecord
  | OrderRecord
  | ProfileRecord
  | OperationReceipt
  | SessionRecord
  | NameRecord
  | FleetRecord
  | FleetPlanRecord
  | FleetUpdateRecord
  | RequestReceipt
  | ForwardRecord
  | WarehouseRecord
  | WarehousePlantRecord;

/**
 * The records behind it in the same write are this write of the journal that the nodes of a central server share. `run` is
 * the run of the node that wrote it, `at` the time.
 */
export interface JournalPosition {
  readonly kind: 'journalPosition';
  readonly history: string;
  readonly seq: number;
  readonly writeId: string;
  readonly run: string;
  readonly at: number;
}

/** The beginning or the end of a machine's override. */
export interface OverrideChange {
  readonly machineId: MachineId;
  readonly isOn: boolean;
  readonly at: number;
}

/** A stored record that cannot be read: its place, and its stored text. */
export interface DamagedRecord {
  readonly table: string;
  readonly key: string;
  readonly content: string;
  readonly reason: string;
}

/** The state with which the gateway goes on where it stopped (D-03). */
export interface StoredState {
  readonly machineStates: readonly { readonly machineId: MachineId; readonly json: string }[];
  readonly parts: readonly {
    readonly machineId: MachineId;
    readonly part: PartSelection | null;
    readonly at: number;
  }[];
  readonly openDowntimes: readonly Downtime[];
  readonly plant: readonly PlantRow[];
  /** The people signed in at the page; the last used session stands last. */
  readonly personSessions: readonly StoredSession[];
  readonly broker: readonly BrokerRow[];
  /** Records that could not be read and are left out of the rest. */
  readonly damaged: readonly DamagedRecord[];
  /** The time of the last record before this start; null on a fresh data directory. */
  readonly lastWrittenAt: number | null;
  /** The damaged database in whose place the store began again with everything that could be saved; null without one. */
  readonly setAside: SetAsideDatabase | null;
}

/**
 * The result of one retention run; `refused` has the reason for which it deleted nothing (a clock that cannot be
 * trusted).
 */
export type RetentionResult =
  | {
      readonly state: 'done';
      readonly deletedBlocks: number;
      readonly deletedPoints: number;
      readonly deletedRows: number;
    }
  | { readonly state: 'refused'; readonly reason: string };

/** When a part was selected last on a machine. */
export interface SelectedPart {
  readonly partId: string;
  readonly selectedAt: number;
}

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
  /** Only downtimes behind this one in a list with the newest first. */
  readonly behind?: Pick<Downtime, 'downtimeId' | 'startedAt'> | null;
}

/** Downtimes of several machines that lie in the range at least in part. */
export interface DowntimeSearch {
  readonly machineIds: readonly MachineId[];
  readonly uncategorizedOnly: boolean;
  readonly range: TimeRange | null;
  readonly limit: number;
}

/** Downtimes of several machines that began in the range: with this reason, without one (null), or all (undefined). */
export interface ReasonSearch {
  readonly machineIds: readonly string[];
  readonly reasonId: string | null | undefined;
  readonly range: TimeRange;
  readonly limit: number;
}

/** The number of times that a reason was given. */
export interface ReasonCount {
  readonly reasonId: string;
  readonly count: number;
}

export interface TimedValue {
  readonly at: number;
  readonly value: number;
}

export type VariablePoints = Promise<{
  readonly points: readonly TimedValue[];
  readonly truncated: boolean;
}>;

/** Questions the store thread answers; none of them runs on the main thread. */
export interface StoreQueries
  extends AlertQueries,
    OrderQueries,
    ChangeQueries,
    FleetPlanQueries,
    FleetProductionQueries,
    FleetUpdateQueries,
    ProductionQueries,
    ProfileQueries,
    RequestQueries,
    SyncQueries,
    WarehouseQueries,
    WarehousePlantQueries {
  downtimes(machineId: MachineId, filter: DowntimeFilter): Promise<readonly Downtime[]>;
  auditPage(query: AuditQuery): Promise<AuditPage>;
  /** A page as JSON. */
  auditText(query: AuditQuery): Promise<JsonText>;
  /** Newest first. */
  downtimesOf(search: DowntimeSearch): Promise<readonly Downtime[]>;
  /** The longest first. */
  longestDowntimes(search: ReasonSearch): Promise<readonly Downtime[]>;
  /** The reasons of a machine's downtimes since then, in wall-clock milliseconds; the most frequent first. */
  reasonCounts(machineId: MachineId, since: number): Promise<readonly ReasonCount[]>;
  downtime(downtimeId: string): Promise<Downtime | null>;
  shifts(machineId: MachineId, shiftDate: string): Promise<readonly ShiftRecord[]>;
  spans(machineId: MachineId, range: TimeRange): Promise<readonly Span[]>;
  workSessions(machineId: MachineId, limit: number): Promise<readonly WorkSession[]>;
  /** Production by the quarter of an hour, the oldest first. */
  quarters(machineId: MachineId, shiftDate: string): Promise<readonly ProductionQuarter[]>;
  /** The newest first. */
  selectedParts(machineId: MachineId): Promise<readonly SelectedPart[]>;
  /** Oldest first. */
  overrides(machineId: MachineId, range: TimeRange): Promise<readonly OverrideSpan[]>;
  anomalies(machineId: MachineId, limit: number): Promise<readonly CounterAnomaly[]>;
  /** The newest 100,000 points of the range at most, oldest first; `truncated` tells that there were more. */
  variablePoints(machineId: MachineId, name: string, range: TimeRange | { readonly shiftDate: string }): VariablePoints;
  variableBuckets(
    machineId: MachineId,
    name: string,
    range: TimeRange,
    buckets: number,
  ): Promise<readonly VariableBucket[]>;
  /** The newest point of each variable, in the order of the names; null for one without points. */
  newestPoints(machineId: MachineId, names: readonly string[]): Promise<readonly (TimedValue | null)[]>;
  activityTotals(machineId: MachineId, range: TimeRange): Promise<Readonly<Record<Activity, number>>>;
  /** The newest write of a shared journal that is here; null: this store has never followed one. */
  journalPosition(): Promise<Omit<JournalPosition, 'kind' | 'run' | 'at'> | null>;
  /** Whether people, programs or gateways have left anything here. */
  isUsed(): Promise<boolean>;
}

/** The store as the main thread sees it: nothing here waits for a disk. */
export interface Store extends StoreQueries, MirrorQueries, SettleQueries, ReceiveQueries {
  /** Hands records over, to be committed with the next batch. The outcome is not reported. */
  record(records: readonly StoreRecord[]): void;
  /** Resolves once the records are synced to disk; rejects with CodedError `store-unavailable` when they were given up. */
  write(records: readonly StoreRecord[]): Promise<void>;
  /** Resolves once all records so far are synced to disk; rejects like `write`. A refused record has its own error. */
  synced(): Promise<void>;
  counters(): StoreCounters;
  onHealth(listener: (health: StoreHealth) => void): void;
  /** Calls the listener when orders that were handed over by `write` are on disk. */
  onOrders(listener: () => void): void;
  /** Calls the listener for each damaged record, also for those found before. */
  onDamage(listener: (record: DamagedRecord) => void): void;
  /** The wall clock was corrected: corrects what was written since the computer booted, and records `states` with it (D-04). */
  clockCorrected(correction: ClockChange, states?: readonly StoreRecord[]): void;
  /** Deletes records that are older than the retention allows, in slices that do not delay other work. */
  retain(): Promise<RetentionResult>;
  /**
   * Copies the database into a file, with all records that were handed over before, without a delay of other work.
   * Rejects if the disk fails.
   */
  backUp(file: string): Promise<void>;
  /** Settles the handed-over records, then closes; resolves when the thread has ended. */
  close(): Promise<void>;
}
