import { type Broker, createBroker } from '../adapters/broker/broker.ts';
import { readSampleFiles } from '../adapters/http/documents/sample-files.ts';
import { createHttpServers, type HttpServers } from '../adapters/http/http-servers.ts';
import { readPageFiles } from '../adapters/http/page/page-files.ts';
import { openStore, type StoreOptions, type StoreTesting } from '../adapters/store/client/store.ts';
import { newUlid } from '../adapters/system/ids.ts';
import { scheduleRetention } from '../adapters/system/retention-schedule.ts';
import { createSecrets, newKey, type Secrets } from '../adapters/system/secrets.ts';
import { type ClockJump, SystemClock, type WatchedClock } from '../adapters/system/system-clock.ts';
import type { Config } from '../config/config-schema.ts';
import { plantEntryShapes } from '../config/plant-file/plant-entry-shapes.ts';
import { serverOf } from '../domain/sync/server-address.ts';
import { Audit } from '../flows/audit/audit.ts';
import type { BackupApi } from '../flows/backup/backup-ports.ts';
import type { MachineRegistry } from '../flows/device/machine-registry.ts';
import { DowntimeFlow } from '../flows/local-api/edit-downtimes.ts';
import { FindScanned } from '../flows/local-api/find-scanned.ts';
import { IncidentLog } from '../flows/local-api/incident-log.ts';
import { LocalApiFlow } from '../flows/local-api/local-api.ts';
import type { GatewayVitals } from '../flows/local-api/local-api-ports.ts';
import { MachineHistory } from '../flows/local-api/machine-history.ts';
import { PartFlow } from '../flows/local-api/select-part.ts';
import type { GatewayAddresses, SystemApi } from '../flows/local-api/system-ports.ts';
import type { MirrorAges } from '../flows/mirror/mirror-ages.ts';
import { StaleEntities } from '../flows/mirror/stale-entities.ts';
import { OrderFlow } from '../flows/orders/keep-orders.ts';
import { PlantLoadFlow } from '../flows/plant/load-plant.ts';
import { Plant } from '../flows/plant/plant.ts';
import type { Clock, Log } from '../flows/ports.ts';
import type { Store, StoredState } from '../flows/store-ports.ts';
import { VERSION } from '../version.ts';
import { openBackups } from './backups.ts';
import { letCommandLineIn } from './command-line-access.ts';
import { type Floor, openFloor } from './floor.ts';
import { openMirrorAges, startMirror } from './mirror.ts';
import { openPeople, type People } from './people.ts';
import { followPlantFile } from './plant-file-follower.ts';
import { openProfiles, openProfileTools, type Profiles } from './profiles.ts';
import { openReceiving, type Receiving } from './receiving.ts';
import { openSystemStatus } from './system.ts';
import { openTls, type Tls } from './tls.ts';
import { openUpstream, type Upstream } from './upstream.ts';
import { openWarehouse, type Warehouse } from './warehouse.ts';

/** Parts that a test or the demo may replace. */
export interface GatewayOverrides {
  readonly log: Log;
  /** What the store thread runs; the single binary runs itself. */
  readonly storeThreadEntry: URL | string;
  readonly clock?: WatchedClock;
  readonly newId?: () => string;
  /** Called once everything is read and before anybody is served. */
  readonly beforeServing?: () => void;
  /** Where the store thread shows that it is alive. */
  readonly pulse?: Int32Array<SharedArrayBuffer>;
}

export interface Gateway {
  readonly addresses: GatewayAddresses;
  /** The key of the command line, for this run. */
  readonly localKey: string;
  /** Lets the first administrator in at the page; null: somebody may sign in already. */
  readonly setUpCode: string | null;
  /** Faults to be caused on purpose, for tests and the benchmark. */
  readonly testing: StoreTesting;
  /** Reads the certificates that a configuration names anew; no connection is lost. Rejects where they cannot be used. */
  reloadTls(config: Config): Promise<void>;
  /** Stops accepting, settles what is accepted, then ends. */
  close(): Promise<void>;
}

type Stop = () => Promise<void> | void;

/**
 * Starts a gateway: the one place where everything is put together (architecture.md, The house). Rejects with a coded
 * error where the data directory, the plant file or a port cannot be used; then nothing is left running.
 */
export async function createGateway(config: Config, overrides: GatewayOverrides): Promise<Gateway> {
  const stops: Stop[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await start(config, overrides, (stop) => stops.push(stop))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function storeOptions(config: Config, { log, storeThreadEntry, pulse }: GatewayOverrides, clock: Clock): StoreOptions {
  return {
    dataDir: config.dataDir,
    threadEntry: storeThreadEntry,
    ...(pulse && { pulse }),
    ...storeBounds(config),
    monotonicMs: () => clock.now().monotonicMs,
    wallMs: () => clock.now().wallMs,
    log,
  };
}

/** How much is kept, and for whom: without a central server nothing is queued for one. */
function storeBounds({ storage, upstream, gatewayId }: Config): Pick<StoreOptions, 'retention' | 'forwarding'> {
  return {
    retention: {
      variableDays: storage.variableRetentionDays,
      statusDays: storage.statusRetentionDays,
      auditDays: storage.auditRetentionDays,
    },
    forwarding:
      upstream === undefined ? null : { maxBytes: storage.maxQueueBytes, gatewayId, server: serverOf(upstream.url) },
  };
}

async function start(
  config: Config,
  overrides: GatewayOverrides,
  onStop: (stop: Stop) => void,
): Promise<Omit<Gateway, 'close'>> {
  const { log, clock = new SystemClock() } = overrides;
  const { store, restored, testing } = await openStore(storeOptions(config, overrides, clock));
  onStop(() => store.close());

  const incidents = new IncidentLog(clock, log);
  tellOfStore(store, incidents);
  const secrets = createSecrets();
  const tools = openProfileTools();
  onStop(() => tools.artist.close());
  const ages = await openMirrorAges(config, store);
  const plant = new Plant(restored.plant, { ...plantPorts(ages), store, secrets, clock, log, ...tools });
  if (config.plant !== undefined) {
    const plantFile = await followPlantFile(config.plant, plant, incidents, log);
    onStop(() => plantFile.close());
  }

  const newId = overrides.newId ?? newUlid;
  const tls = await openTls(config);
  const base: Base = { config, log, clock, newId, store, restored, incidents, secrets, plant, tls };
  const floor = openFloor(base);
  onStop(() => floor.watch.stop());
  const broker = await openBroker(base, floor);
  onStop(() => broker.close());
  const stale = new StaleEntities();
  const { upstream: settings, gatewayId } = config;
  const upstream = openUpstream({ ...base, ...floor, upstream: settings, gatewayId, ages, stale });
  onStop(() => upstream.close());
  const { acts, drained } = upstream;
  const warehouse = await openWarehouse({ ...config, ...base, acts, drained, stale });
  onStop(() => warehouse.close());
  const profiles = openProfiles({ ...base, ...tools, acts });
  const receiving = openReceiving({ ...base, ...tools, warehouse, profiles, shifts: floor.calendar });
  const recheck = () => upstream.forwarder?.recheck();
  onStop(startMirror({ ...base, ...tools, ages, stale, warehouse, profiles, recheck }));
  const localKey = newKey();
  const people = openPeople(base);
  const vitals = vitalsOf(store, broker);
  let addresses: GatewayAddresses | null = null;
  const system = openSystemStatus({
    ...base,
    certificates: tls.certificates,
    addresses: () => addresses,
    agent: warehouse.agent,
    vitals,
    deviceInputs: () => floor.registry.inputs,
    sync: upstream.sync,
  });
  onStop(() => system.stop());
  const backups = openBackups(base);
  onStop(() => backups.stop());
  const served = { profiles, warehouse, receiving, upstream, people, system, backups, vitals };
  const http = await openHttp(base, floor, served, localKey);
  onStop(() => http.close());

  overrides.beforeServing?.();
  const mqttPorts = await broker.listen();
  const httpPorts = await http.listen();
  addresses = addressesOf(httpPorts, mqttPorts);
  floor.watch.start();
  upstream.start();
  onStop(watchOver(base, floor));
  onStop(await letCommandLineIn(base, httpPorts.port, localKey));
  return { addresses, localKey, setUpCode: people.setUp.code, testing, reloadTls: tls.reload };
}

function vitalsOf(store: Store, broker: Broker): GatewayVitals {
  return { store: () => store.counters(), broker: () => broker.counters(), clients: () => broker.clients() };
}

function addressesOf(
  http: Awaited<ReturnType<HttpServers['listen']>>,
  mqtt: Awaited<ReturnType<Broker['listen']>>,
): GatewayAddresses {
  return {
    httpPort: http.port,
    deviceHttpPort: http.devicePort,
    mqttPort: mqtt.port,
    mqttTlsPort: mqtt.tlsPort,
  };
}

/** Faults of the disk and of its contents are incidents. */
function tellOfStore(store: Store, incidents: IncidentLog): void {
  store.onDamage(({ table, key, reason }) =>
    incidents.report({ kind: 'store', subject: `${table} ${key}`, detail: `damaged record: ${reason}` }),
  );
  store.onHealth((health) => {
    if (health.state === 'ok') return;
    incidents.report({ kind: 'store', subject: 'storage', detail: `${health.state}: ${health.detail}` });
  });
}

/** Which records of the plant this gateway owns, and how they are read. */
function plantPorts({ isMirrored }: MirrorAges) {
  return { shapes: plantEntryShapes(), isMirrored };
}

/** The parts that all others need. */
interface Base {
  readonly config: Config;
  readonly log: Log;
  readonly clock: WatchedClock;
  readonly newId: () => string;
  readonly store: Store;
  readonly restored: StoredState;
  readonly incidents: IncidentLog;
  readonly secrets: Secrets;
  readonly plant: Plant;
  readonly tls: Tls;
}

async function openBroker(
  { config, clock, newId, store, restored, incidents, secrets, plant, tls }: Base,
  floor: Floor,
): Promise<Broker> {
  const broker = await createBroker({
    ...config.mqtt,
    tls: tls.mqtt,
    legacyCommandTopics: config.devices.legacyCommandTopics,
    runId: newId(),
    journal: store,
    restored: restored.broker,
    routes: plant.machines(),
    inbox: floor.inbox,
    incidents,
    verifySecret: secrets.verify,
    clock,
  });
  floor.registry.onDecision(broker.send);
  plant.onChange(() => {
    floor.registry.configure(plant.machines(), clock.now());
    broker.configure(plant.machines());
  });
  return broker;
}

/** The flows for business clients and other gateways. */
interface Served {
  readonly profiles: Profiles;
  readonly warehouse: Warehouse;
  readonly receiving: Receiving;
  readonly upstream: Upstream;
  readonly people: People;
  readonly system: SystemApi;
  readonly backups: BackupApi;
  readonly vitals: GatewayVitals;
}

function openLocalApi(base: Base, floor: Floor, warehouse: Warehouse, upstream: Upstream): LocalApiFlow {
  const { clock, newId, store, incidents, plant } = base;
  const { registry } = floor;
  return new LocalApiFlow({
    registry,
    history: new MachineHistory({ registry, store, clock }),
    parts: new PartFlow({ registry, plant, store, clock }),
    downtimes: new DowntimeFlow({ registry, plant, store, clock, newId }),
    plant,
    warehouse: warehouse.changes,
    store,
    incidents,
    shifts: floor.calendar,
    upstream,
    version: VERSION,
    clock,
  });
}

async function openHttp(
  base: Base,
  floor: Floor,
  { profiles, warehouse, receiving, upstream, people, system, backups, vitals }: Served,
  localKey: string,
): Promise<HttpServers> {
  const { config, clock, newId, store, incidents, secrets, plant, tls } = base;
  const api = openLocalApi(base, floor, warehouse, upstream);
  return createHttpServers({
    http: { ...config.http, tls: tls.http },
    deviceHttp: config.deviceHttp ?? null,
    inbox: floor.inbox,
    api,
    audit: new Audit({ store, clock, newId }),
    scans: new FindScanned({ plant, store, prefixes: config.page.scanPrefixes }),
    plant,
    plantLoads: new PlantLoadFlow({ plant, store, shapes: plantEntryShapes(), newId }),
    warehouse: warehouse.reads,
    warehouseOperations: warehouse.operations,
    requests: warehouse.requests,
    orders: new OrderFlow({ store, clock, acts: upstream.acts }),
    profiles: profiles.library,
    deliveries: profiles.deliveries,
    system,
    backups,
    ...people,
    page: await readPageFiles(),
    samples: await readSampleFiles(),
    openAndon: config.page.openAndon,
    ...receiving,
    machines: () => plant.machines(),
    apiKeys: () => plant.apiKeys(),
    localKey,
    verifySecret: secrets.verify,
    vitals,
    version: VERSION,
    showsMachines: config.mqtt.access === 'open',
    incidents,
    clock,
  });
}

/** Looks after the clock and the size of the past. Gives what ends it. */
function watchOver({ log, clock, store, incidents }: Base, { registry }: Floor): Stop {
  const leaveClock = clock.onJump((jump) => correctClock(jump, { registry, store, incidents, clock }));
  const retention = scheduleRetention(store, incidents, log);
  return () => {
    leaveClock();
    retention.stop();
  };
}

/** Times since boot move with the clock, in memory and on disk (D-04). No timeout notices. */
function correctClock(
  { deltaMs, bootedAt }: ClockJump,
  {
    registry,
    store,
    incidents,
    clock,
  }: {
    registry: MachineRegistry;
    store: { clockCorrected(deltaMs: number): void };
    incidents: IncidentLog;
    clock: Clock;
  },
): void {
  incidents.report({
    kind: 'clockJump',
    subject: 'gateway',
    detail: `the wall clock was set by ${Math.round(deltaMs)} ms`,
  });
  store.clockCorrected(deltaMs);
  for (const live of registry.all()) {
    registry.apply(live, { type: 'clockCorrected', deltaMs, sinceAt: bootedAt }, clock.now(), 'all');
  }
}
