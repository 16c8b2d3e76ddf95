import type { OpenedStore, StoreTesting } from '../adapters/store/client/sqlite-store.ts';
import type { EarlyThread } from '../adapters/store/client/store-thread.ts';
import type { Secrets } from '../adapters/system/secrets.ts';
import type { WatchedClock } from '../adapters/system/system-clock.ts';
import type { ApplyingPlaces } from '../adapters/update/update-files.ts';
import type { SectionSources } from '../config/chosen-settings.ts';
import type { Config } from '../config/config-schema.ts';
import type { ConfigRequest } from '../config/load-config.ts';
import type { Audit } from '../flows/audit/audit.ts';
import type { ArchiveStore, VerifyArchive } from '../flows/fleet-update/fleet-update-ports.ts';
import type { IncidentLog } from '../flows/local-api/incident-log.ts';
import type { GatewayAddresses } from '../flows/local-api/system-ports.ts';
import type { Plant } from '../flows/plant/plant.ts';
import type { Clock, LeveledLog, SharedDecisions } from '../flows/ports.ts';
import type { GatewayTurns, PresenceExchange } from '../flows/receive/receive-ports.ts';
import type { Restart } from '../flows/settings/settings-ports.ts';
import type { LimitExchange, SharedLimits } from '../flows/shared-limits.ts';
import type { Store, StoreRecord } from '../flows/store-ports.ts';

/** Parts that a test or the demo may replace. */
export interface GatewayOverrides {
  readonly log: LeveledLog;
  /** The program of the store thread; the single binary runs itself. */
  readonly storeThreadEntry: URL | string;
  /** The store thread, if it was started before the configuration was read. */
  readonly earlyThread?: EarlyThread;
  readonly clock?: WatchedClock;
  readonly newId?: () => string;
  /** Whether gateways send here and nothing else is expected; the page says so before the first of them comes. */
  readonly isCentral?: boolean;
  /** Whether machines and other clients may connect over MQTT; by default they may. */
  readonly opensMqtt?: boolean;
  /** The sources of the sections that can be chosen at the page; none by default. */
  readonly sections?: SectionSources;
  /** How people start it again; by default: as it was started. */
  readonly restart?: Restart;
  /** The request with which the program was started, for support bundles. */
  readonly request?: ConfigRequest;
  /** The places by which root installs updates; without them the page installs none. */
  readonly applying?: ApplyingPlaces;
  /** Where a central server keeps what gateways send, if not in its own data directory. */
  readonly central?: CentralDatabase;
  /** Called before anybody is served. The plant file may not be read yet. */
  readonly beforeServing?: () => void;
  /** The store thread shows here that it is alive. */
  readonly pulse?: Int32Array<SharedArrayBuffer>;
}

/** The records of one plant that the nodes of a central server share. */
export interface PlantDatabase {
  /** What people and programs do, the same at every node. */
  readonly business: NodeBusiness;
  /** The node's own store, with everything that nodes share in the database instead. To be called once it has joined. */
  over(own: Store): Store;
}

/** A database that nodes of a central server share, with the records of its first plant. */
export interface CentralDatabase extends PlantDatabase {
  /** The time by which its nodes judge gateways. */
  readonly clock: Clock;
  readonly turns: GatewayTurns;
  readonly presence: PresenceExchange;
  readonly limits: LimitExchange;
  /** Archives for gateways. One that has come is verified in a file of this data directory. */
  archives(place: { readonly dataDir: string; readonly verify: VerifyArchive }): ArchiveStore;
  /** The records of another plant. */
  plant(plantId: string): PlantDatabase;
  close(): Promise<void>;
}

/** What people and programs do at a node of a central server, in step with the other nodes. */
export interface NodeBusiness extends SharedDecisions {
  /** Brings the data directory to the state of the other nodes, before its store is opened. */
  join(place: { readonly dataDir: string; readonly open: () => Promise<OpenedStore> }): Promise<void>;
  /** Calls the listener with each write of another node. */
  onRecords(listener: (records: readonly StoreRecord[]) => void): void;
  /** Whether this node does the work that one node does for all, such as alerts. */
  readonly duty: { readonly isOurs: boolean; onChange(listener: (isOurs: boolean) => void): void };
  /** Resolves with the reason for which the node has to be started again, if that ever happens. */
  readonly lost: Promise<string>;
}

export interface Gateway {
  readonly addresses: GatewayAddresses;
  /** The key of the command line, for this run. */
  readonly localKey: string;
  /** The code by which the first administrator signs in at the page; null if a person can sign in already. */
  readonly setUpCode: string | null;
  /** Faults to be caused on purpose, for tests and the benchmark. */
  readonly testing: StoreTesting;
  /** Reads the certificates of a configuration again, without losing a connection. Rejects if they cannot be used. */
  reloadTls(config: Config): Promise<void>;
  /** Stops accepting requests, finishes the accepted ones, then ends. */
  close(): Promise<void>;
}

export type Stop = () => Promise<void> | void;

/** The store and the overrides, with their defaults. */
export interface GatewayParts extends GatewayOverrides, OpenedStore {
  readonly clock: WatchedClock;
}

/** The parts that all others need. Each other part is given what it needs of them, and its own parts by name. */
export interface Base {
  readonly config: Config;
  readonly log: LeveledLog;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly store: Store;
  /** Null: this gateway keeps what others send in its own store. */
  readonly central: CentralDatabase | null;
  /** Limits that all nodes of a central server count together. */
  readonly limits: SharedLimits;
  readonly incidents: IncidentLog;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly plant: Plant;
}
