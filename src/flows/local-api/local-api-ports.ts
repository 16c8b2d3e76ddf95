import type { DowntimeCategory } from '../../domain/machine/downtime/downtime-edits.ts';
import type { SyncApi } from '../forward/sync-status-ports.ts';
import type { Incident } from '../ports.ts';
import type { StoreCounters } from '../store-health-ports.ts';
import type {
  DowntimeFilter,
  DowntimeSearch,
  ReasonCount,
  TimeRange,
  VariableBucket,
  VariablePoints,
} from '../store-ports.ts';
import type { ConnectedClient } from './client-ports.ts';
import type { DowntimeExport, DowntimeRow } from './downtime-export-ports.ts';
import type { HourView } from './hourly-production.ts';
import type {
  anomalyView,
  downtimeView,
  MachineView,
  productionView,
  spanView,
  variableView,
  workSessionView,
} from './machine-view.ts';

export type DowntimeView = ReturnType<typeof downtimeView>;
export type SpanView = ReturnType<typeof spanView>;
export type VariableView = ReturnType<typeof variableView>;
export type ProductionView = ReturnType<typeof productionView>;
export type WorkSessionView = ReturnType<typeof workSessionView>;
export type AnomalyView = ReturnType<typeof anomalyView>;

/** The kinds of trouble that a person can dismiss: devices that are not set up, and topics that no machine has. */
export const DISMISSABLE_KINDS = ['unknownDevice', 'unmatchedTopic'] as const;

/** `meantFor`: only the faults that were meant for this machine. */
export interface Dismissal {
  readonly kind: (typeof DISMISSABLE_KINDS)[number];
  readonly subject: string;
  readonly meantFor?: string;
}

/** One shift of a machine in an export. */
export interface ProductionRow extends Omit<ProductionView, 'shifts'> {
  readonly shift: string;
  readonly machineId: string;
  readonly machineName: string;
}

export interface HourlyProduction {
  readonly shiftDate: string;
  readonly hours: readonly HourView[];
}

/** A time in which a machine ran in override. */
export interface OverrideView {
  readonly startedAt: string;
  /** Null while it lasts. */
  readonly endedAt: string | null;
}

/** A recent part of a machine; null: not known. A machine without job and operator has no `lastMadeAt`. */
export interface RecentPartView {
  readonly partId: string;
  readonly lastSelectedAt: string | null;
  readonly lastMadeAt: string | null;
}

/** A downtime that a merge removed. */
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
      readonly event: 'task' | 'coil' | 'lateWrite' | 'sync' | 'plant' | 'diagnostics';
      readonly key: string;
      readonly record: object;
    };

/** An unchanged message of a device, its outcome, and the meaning of each of its keys. Times are ISO 8601. */
export interface MessageView {
  readonly receivedAt: string;
  readonly transport: 'mqtt' | 'http';
  /** The topic, or the route of HTTP. */
  readonly topic: string;
  readonly qos: number;
  readonly retained: boolean;
  readonly text: string;
  /** Null if the text shows everything. */
  readonly hex: string | null;
  readonly bytes: number;
  readonly outcome: 'taken' | 'held' | 'ignored' | 'refused';
  /** The reason for which it was not taken; null if it was taken. */
  readonly reason: string | null;
  /** Null if the text is no whole JSON object. */
  readonly fields: readonly { readonly key: string; readonly field: string | null; readonly why: string }[] | null;
}

/** Messages of a machine, the oldest first; `total` counts all messages that ever came, including these. */
export interface NewMessages {
  readonly total: number;
  readonly messages: readonly MessageView[];
}

/** An incident of a machine; its subject may be a client or an address. Times are ISO 8601. */
export interface TroubleView {
  readonly kind: Incident['kind'];
  readonly subject: string;
  readonly detail: string;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly address: string | null;
  readonly example: string | null;
  /** False if it only came from the same address, or from an address that no machine uses. */
  readonly isCertain: boolean;
}

export interface LiveCounters {
  readonly machines: number;
  /** Statuses and single fields taken in, over MQTT and HTTP. */
  readonly deviceInputs: number;
  readonly decisionChanges: number;
  readonly incidents: ReadonlyMap<Incident['kind'], number>;
}

export type DowntimeSearchOfAll = Omit<DowntimeSearch, 'machineIds'>;

/** A field of the diagnostics. The entries of a list are made one by one, because there may be thousands. */
export type DiagnosticsField =
  | { readonly name: string; readonly value: object }
  | { readonly name: string; readonly list: Iterable<object> };

/** The questions and acts of the page and the command line (contract.md, Local API). Refusals are CodedErrors. */
export interface LocalApi {
  /** Views are made one by one while they are iterated, so that thousands need not be made in one go. */
  machines(): Iterable<MachineView>;
  /** Throws `not-found` if the machine is not configured, like all calls here about a machine. */
  machine(machineId: string): MachineView;
  /** The newest message; null before the first. */
  lastMessage(machineId: string): MessageView | null;
  /** The last 50, the newest first. */
  messages(machineId: string): readonly MessageView[];
  /** The messages after the first `total` ones, as far as they are kept. */
  newMessages(machineId: string, total: number): NewMessages;
  /** The number of messages that ever came. */
  messageCount(machineId: string): number;
  /** Its troubles, the likely ones too, the newest first. */
  troubles(machineId: string): readonly TroubleView[];
  selectPart(machineId: string, partId: string): Promise<MachineView>;
  clearPart(machineId: string): Promise<MachineView>;
  downtimes(machineId: string, filter: DowntimeFilter): Promise<readonly DowntimeView[]>;
  /** Newest first, over all machines or of one. */
  allDowntimes(machineId: string | null, search: DowntimeSearchOfAll): Promise<readonly DowntimeView[]>;
  /** Throws `not-found`. */
  downtimeById(downtimeId: string): Promise<DowntimeView>;
  /** The reasons of a machine's downtimes of the last 30 days, the most frequent first. */
  reasonCounts(machineId: string): Promise<readonly ReasonCount[]>;
  /** Newest first, machine by machine; throws before the first page if there is no such machine (D-29). */
  exportDowntimes(asked: DowntimeExport): AsyncIterable<readonly DowntimeRow[]>;
  categorizeDowntimes(ids: readonly string[], category: DowntimeCategory): Promise<readonly DowntimeView[]>;
  /** `at` in wall-clock milliseconds. */
  splitDowntime(downtimeId: string, at: number): Promise<readonly DowntimeView[]>;
  mergeDowntimes(downtimeIds: readonly string[]): Promise<readonly DowntimeView[]>;
  /** Null means the present shift date. */
  production(machineId: string, shiftDate: string | null): Promise<ProductionView>;
  /** Null means the present shift date. */
  hourlyProduction(machineId: string, shiftDate: string | null): Promise<HourlyProduction>;
  /** Every shift with a record, day by day; null means every machine. Throws before the first page like `machine`. */
  exportProduction(machineId: string | null, shiftDates: readonly string[]): AsyncIterable<readonly ProductionRow[]>;
  variablePoints(machineId: string, name: string, range: TimeRange | { readonly shiftDate: string }): VariablePoints;
  variableBuckets(
    machineId: string,
    name: string,
    range: TimeRange | { readonly shiftDate: string },
    buckets: number,
  ): Promise<readonly VariableBucket[]>;
  timeline(machineId: string, range: TimeRange): Promise<readonly SpanView[]>;
  /** Oldest first. */
  overrides(machineId: string, range: TimeRange): Promise<readonly OverrideView[]>;
  /** The tracking list with the newest value of each. */
  variables(machineId: string): Promise<readonly VariableView[]>;
  /** The newest first. */
  recentParts(machineId: string): Promise<readonly RecentPartView[]>;
  /** Newest first. */
  workSessions(machineId: string, limit: number): Promise<readonly WorkSessionView[]>;
  /** Counters that fell without a restart of the controller, newest first. */
  anomalies(machineId: string, limit: number): Promise<readonly AnomalyView[]>;
  /** Trouble by kind, each with its subjects newest first, and the condition of the store. */
  diagnostics(): Iterable<DiagnosticsField>;
  /** Hides a report from the page until the device is heard with something new, or the gateway starts again (D-47). */
  dismiss(dismissal: Dismissal): void;
  /** The connection to the central server, and the queue for it. */
  readonly sync: SyncApi;
  counters(): LiveCounters;
  /** Calls the listener for changes until the returned function is called. Without listeners it costs nothing. */
  watch(listener: (change: LiveChange) => void): () => void;
}

/** The condition of the gateway, for `/readyz` and `/metrics`. */
export interface GatewayVitals {
  store(): StoreCounters;
  clients(): Iterable<ConnectedClient>;
  broker(): {
    readonly listening: boolean;
    /** The bound ports; null before they are bound. */
    readonly ports: { readonly port: number; readonly tlsPort: number | null } | null;
    readonly connections: number;
    readonly devices: number;
    readonly retainedMessages: number;
    readonly sessions: number;
  };
}
