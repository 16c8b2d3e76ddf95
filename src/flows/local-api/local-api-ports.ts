import type { Downtime } from '../../domain/machine/records.ts';
import type { Sight } from '../../domain/plant/sight.ts';
import type { Incident } from '../ports.ts';
import type { StoreCounters } from '../store-health-ports.ts';
import type { DowntimeSearch } from '../store-ports.ts';
import type { HoursView } from './hourly-production.ts';
import type {
  anomalyView,
  downtimeView,
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

export interface HourlyProduction extends HoursView {
  readonly shiftDate: string;
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
  | {
      readonly event: 'downtime';
      readonly key: string;
      readonly record: DowntimeView | RemovedDowntime;
      readonly recordFor?: undefined;
    }
  | {
      readonly event: 'task' | 'coil' | 'order' | 'lateWrite' | 'sync' | 'alert' | 'plant' | 'diagnostics';
      readonly key: string;
      readonly record: object;
      /** Of what a caller may not know in all, that of which it may; null: nothing. */
      readonly recordFor?: (sight: Sight) => object | null;
    };

/** An unchanged message of a device, its outcome, and the meaning of each of its keys. Times are ISO 8601. */
export interface MessageView {
  readonly receivedAt: string;
  readonly transport: 'mqtt' | 'http';
  /** The topic, or the route of HTTP. */
  readonly topic: string;
  readonly qos: number;
  readonly retained: boolean;
  /** It came over MQTT 5. */
  readonly mqtt5: boolean;
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

/** The condition of the gateway, for `/readyz` and `/metrics`. */
export interface GatewayVitals {
  store(): StoreCounters;
  clients(): Iterable<ConnectedClient>;
  broker(): {
    /** Null: no MQTT is opened here (D-110). */
    readonly listening: boolean | null;
    /** The bound ports; null before they are bound, and without MQTT. */
    readonly ports: { readonly port: number; readonly tlsPort: number | null } | null;
    readonly connections: number;
    readonly devices: number;
    readonly retainedMessages: number;
    readonly sessions: number;
  };
}

/** A client of the broker that is connected now. `keepaliveMs` is 0 if none was agreed. */
export interface ConnectedClient {
  readonly clientId: string;
  readonly address: string;
  /** The time for which it has been connected. */
  readonly connectedMs: number;
  readonly keepaliveMs: number;
  /** It is one of the configured machines. */
  readonly isMachine: boolean;
  /** The MQTT account that it logged in as (D-66). */
  readonly account: string | null;
  /** The protocol level of MQTT: 3 for 3.1, 4 for 3.1.1, 5. */
  readonly version: 3 | 4 | 5;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: number }[];
  /** Bytes that were sent to it and are not taken by its network yet. */
  readonly bytesBehind: number;
}

/** The exported downtimes; null for those of every machine, and for all of them. */
export interface DowntimeExport {
  readonly machineId: string | null;
  readonly uncategorizedOnly: boolean;
  readonly limit: number | null;
}

/** A downtime with the meaning of its reason; times have the offset of the plant's zone. */
export interface DowntimeRow extends Pick<Downtime, 'downtimeId' | 'machineId' | 'reasonId' | 'note' | 'userName'> {
  readonly machineName: string;
  readonly startedAt: string;
  /** Null, like its duration, while it lasts. */
  readonly endedAt: string | null;
  readonly durationSeconds: number | null;
  readonly reason: string | null;
  readonly group: string | null;
  /** The shift in which it began. */
  readonly shiftDate: string;
  readonly shift: string;
}

/** The kinds of things that a code on a label can name. */
type ScannedKind = 'machine' | 'coil' | 'location' | 'task' | 'part';

/**
 * The record that a scanned code names. `code` is the code as it came, `id` the record's own. `similar`: the ids that are
 * the code in another case of its letters, if they are several, so that none was chosen (D-61).
 */
export type Scanned =
  | { readonly kind: ScannedKind; readonly id: string; readonly name: string | null; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string; readonly similar: readonly string[] };
