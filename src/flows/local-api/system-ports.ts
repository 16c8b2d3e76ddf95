import type { SetAsideDatabase, StoreCounters } from '../store-health-ports.ts';

/** The state of the computer and services under the gateway (contract.md, `/system`). Times are ISO 8601; null: not known. */
export interface SystemView {
  readonly gatewayId: string;
  readonly version: string;
  readonly uptimeSeconds: number;
  /** The bound ports; null while the gateway does not serve yet. */
  readonly addresses: GatewayAddresses | null;
  readonly disk: {
    readonly state: StoreCounters['health']['state'];
    readonly freeBytes: number | null;
    readonly databaseBytes: number;
    /** The duration of the newest commit. */
    readonly commitMs: number | null;
    readonly setAside: SetAsideDatabase | null;
    /** Settings of a shared database that endanger records, and a clock here that is not its clock (D-89): sentences for administrators. */
    readonly risks: readonly string[];
  };
  readonly clock: {
    readonly now: string;
    readonly timeZone: string;
    readonly shifts: readonly { readonly name: string; readonly start: string }[];
  };
  readonly legacyAgent: AgentView & { readonly kind: string };
  readonly broker: {
    readonly connections: number;
    readonly devices: number;
    readonly retainedMessages: number;
    readonly sessions: number;
    /** Statuses and single fields of the last minute. */
    readonly inputsPerSecond: number;
  };
  readonly certificates: readonly CertificateView[];
}

export interface GatewayAddresses {
  readonly httpPort: number;
  readonly deviceHttpPort: number | null;
  /** Null at a central server that opens no MQTT (D-110). */
  readonly mqttPort: number | null;
  readonly mqttTlsPort: number | null;
  readonly mqttAccess: MqttAccess;
}

/** Which MQTT clients may connect (`mqtt.access`): all; machines and accounts; the same, machines with passwords. */
export type MqttAccess = 'open' | 'known' | 'password';

/** The newest answer of the legacy agent. */
export interface AgentView {
  readonly lastAnswerAt: string | null;
  readonly answeredInMs: number | null;
}

/** A certificate as it was read; `validUntilMs` is wall-clock time. */
export interface Certificate {
  readonly setting: string;
  readonly subject: string;
  readonly validUntilMs: number;
}

/** A certificate of a server of the gateway's own; `setting` names its key in the configuration. */
export interface CertificateView {
  readonly setting: string;
  readonly subject: string;
  readonly validUntil: string;
  readonly daysLeft: number;
}

/** The amount of records that waited for the central server. */
export interface QueueSample {
  readonly at: string;
  readonly depth: number;
  readonly oldestAgeSeconds: number;
}

/** The facts for a person who helps from elsewhere, as one compressed archive without secrets (contract.md, `support-bundle`). */
export interface SupportApi {
  /** Rejects with `conflict` while another is being made, `store-unavailable` if it fails. */
  bundle(): Promise<Uint8Array<ArrayBuffer>>;
}
