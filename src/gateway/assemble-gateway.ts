import { type Broker, createBroker } from '../adapters/broker/broker.ts';
import { readTextFiles } from '../adapters/http/documents/text-files.ts';
import { createHttpServers, type HttpServers } from '../adapters/http/http-servers.ts';
import { type PageFiles, pageOf, readPageFiles } from '../adapters/http/page/page-files.ts';
import { newUlid } from '../adapters/system/ids.ts';
import { scheduleRetention } from '../adapters/system/retention-schedule.ts';
import { createSecrets, newKey } from '../adapters/system/secrets.ts';
import type { SectionSources } from '../config/chosen-settings.ts';
import type { Config } from '../config/config-schema.ts';
import { plantNames } from '../domain/plant/plant-scope.ts';
import { Audit } from '../flows/audit/audit.ts';
import type { Backups } from '../flows/backup/backups.ts';
import { restoreConnections } from '../flows/device/connection.ts';
import { correctClock } from '../flows/device/correct-clock.ts';
import { machineNumbers } from '../flows/device/machine-numbers.ts';
import { appliedPlanIn } from '../flows/fleet-plan/plan-follower.ts';
import { IncidentLog } from '../flows/local-api/incident-log.ts';
import type { GatewayVitals } from '../flows/local-api/local-api-ports.ts';
import type { GatewayAddresses, SupportApi } from '../flows/local-api/system-ports.ts';
import type { SystemStatus } from '../flows/local-api/system-status.ts';
import { StaleEntities } from '../flows/mirror/stale-entities.ts';
import type { ChangeSettings } from '../flows/settings/change-settings.ts';
import type { Restart } from '../flows/settings/settings-ports.ts';
import { SharedLimits } from '../flows/shared-limits.ts';
import type { Store, StoredState } from '../flows/store-ports.ts';
import type { RequestUpdate } from '../flows/update/request-update.ts';
import { VERSION } from '../version.ts';
import { type OpenedAlerts, openAlerts } from './alerts.ts';
import { openBackups } from './backups.ts';
import { openCommandLineAccess } from './command-line-access.ts';
import { discoveryNames, openDiscovery } from './discovery.ts';
import type { Base, Gateway, GatewayParts, Stop } from './gateway-parts.ts';
import { type Floor, openFloor } from './machines.ts';
import { openMirrorAges, startMirror } from './mirror.ts';
import { followNodes } from './nodes/follow-nodes.ts';
import { openPeople, type People } from './people.ts';
import { type FollowedPlantFile, type FollowOptions, followPlantFile } from './plant-file-follower.ts';
import { type FurtherPlant, openFurtherPlants } from './plants/further-plants.ts';
import { openPlantParts, type PlantParts, plantFlows } from './plants/plant-flows.ts';
import { openPlant, reportStoreFaults } from './plants/plant-records.ts';
import { openProfileTools } from './profiles.ts';
import { openReceiving, type Receiving } from './receiving.ts';
import { openSettings } from './settings.ts';
import { openSupport } from './support.ts';
import { openSystemStatus, tellHealth } from './system.ts';
import { openTls, type Tls } from './tls.ts';
import { openUpdates } from './updates.ts';

const NOTHING_CHOSEN: SectionSources = { given: [], chosen: [] };
const AS_IT_WAS_STARTED: Restart = { by: 'other', command: null };

/** Puts all parts together; no other module does (architecture.md, Folders). */
export async function assembleGateway(
  config: Config,
  overrides: GatewayParts,
  onStop: (stop: Stop) => void,
): Promise<Omit<Gateway, 'close'>> {
  const { log, clock, newId = newUlid, store, restored, testing, central = null, applying = null } = overrides;
  const incidents = new IncidentLog(clock, log);
  reportStoreFaults(store, incidents);
  const secrets = createSecrets();
  const tools = openProfileTools();
  onStop(() => tools.artist.close());
  const ages = await openMirrorAges(config, store);
  const plant = openPlant({ config, store, secrets, clock, log }, restored, ages, tools);
  const isNewPlant = plant.machines().length === 0;
  const following = { plant, isNewPlant, central, incidents, log };
  const readPlantFile = plantFileReader(config, store, following, onStop);
  // Machines that the store knows are answered before the file is read, which can take 0.1 s for 200 of them.
  if (isNewPlant) await readPlantFile();

  const tls = await openTls(config);
  const audit = new Audit({ store, plant, timeZone: config.shifts.timeZone, clock, newId });
  const limits = new SharedLimits({ exchange: central?.limits ?? null, clock, log });
  const base: Base = { config, log, clock, newId, store, central, limits, incidents, audit, secrets, plant };
  const floor = openFloor(base, restored);
  onStop(() => floor.watch.stop());
  const broker = await openBroker(base, floor, tls, restored);
  onStop(clock.onJump(() => broker.correctClock()));
  onStop(() => broker.close());
  const mqtt = mqttOf(broker, overrides.opensMqtt ?? true);
  const plants = await openFurtherPlants(base, tools, overrides, onStop);
  const stale = new StaleEntities();
  const inPlant = await openPlantParts(base, floor, { tools, ages, stale }, onStop);
  const { upstream, warehouse } = inPlant;
  const receiving = openReceiving(base, { ...inPlant, plants, tools, shifts: floor.calendar, applying });
  onStop(await startMirror(base, { ...inPlant, tools, ages, stale, recheck: () => upstream.forwarder?.recheck() }));
  const localKey = newKey();
  const people = openPeople(base, restored);
  const vitals = vitalsOf([store, ...plants.map((one) => one.base.store)], mqtt);
  let addresses: GatewayAddresses | null = null;
  const system = openSystemStatus(base, {
    certificates: tls.certificates,
    addresses: () => addresses,
    agent: warehouse.agent,
    vitals,
    deviceInputs: () => floor.registry.inputs,
    sync: upstream.sync,
  });
  onStop(() => system.stop());
  const upkeep = await openUpkeep(base, overrides, plants, onStop);
  const alerts = await openAlerts(base, floor, { mqtt, upstream, upkeep, tls, receiving }, onStop);
  const page = await pageWith(config, overrides.isCentral ?? false);
  const served = { ...inPlant, plants, receiving, people, system, vitals, upkeep, alerts, page };
  const http = await openHttp(base, floor, tls, served, localKey);
  onStop(() => http.close());

  overrides.beforeServing?.();
  const mqttPorts = await mqtt.listen();
  const httpPorts = await http.listen();
  addresses = addressesOf(httpPorts, mqttPorts, config.mqtt.access);
  floor.watch.start();
  const { registry, calendar } = floor;
  upstream.start();
  onStop(clock.onJump((jump) => correctClock(jump, { registry, store, calendar, incidents, clock, alerts })));
  onStop(await openCommandLineAccess(base, httpPorts.port, localKey));
  if (!isNewPlant) await readPlantFile();
  startRegularWork(base, floor, { ...served, tls }, onStop);
  const discovery = openDiscovery(base, addresses);
  onStop(() => discovery?.close());
  return { addresses, localKey, setUpCode: people.setUp.code, testing, reloadTls: tls.reload };
}

/** Starts what is done at times of the wall clock, or every few seconds. */
function startRegularWork(
  base: Base,
  floor: Floor,
  { receiving, ...parts }: Served & { readonly tls: Tls },
  onStop: (stop: Stop) => void,
): void {
  const { config, store, incidents, log } = base;
  followNodes(base, parts);
  onStop(base.limits.start());
  for (const plant of parts.plants) plant.startRegularWork(parts, onStop);
  onStop(scheduleRetention({ store, timeZone: config.shifts.timeZone, incidents, log }).stop);
  onStop(floor.production.schedule());
  onStop(parts.upkeep.scheduleBackups());
  onStop(receiving.start());
  tellHealth(base, floor, parts, onStop);
}

/** The parts that tend the gateway itself. */
interface Upkeep {
  readonly backups: Backups;
  readonly scheduleBackups: () => () => void;
  readonly settings: ChangeSettings;
  readonly support: SupportApi;
  readonly updates: RequestUpdate;
}

async function openUpkeep(
  base: Base,
  {
    sections = NOTHING_CHOSEN,
    restart = AS_IT_WAS_STARTED,
    request,
    applying,
    isCentral = false,
  }: Pick<GatewayParts, 'sections' | 'restart' | 'request' | 'applying' | 'isCentral'>,
  plants: readonly FurtherPlant[],
  onStop: (stop: Stop) => void,
): Promise<Upkeep> {
  const { backups, schedule } = openBackups(
    base,
    plants.map((plant) => plant.backups),
  );
  const settings = openSettings(base, sections, { restart, isCentral });
  const support = openSupport(request);
  onStop(() => support.close());
  const updates = await openUpdates(base, applying ?? null);
  onStop(() => updates.stop());
  return { backups, scheduleBackups: schedule, settings, support, updates };
}

/** Gives a function that reads the plant file and follows it, until the gateway stops. Without a file it does nothing. */
function plantFileReader(
  { plant: file, upstream }: Pick<Config, 'plant' | 'upstream'>,
  store: Base['store'],
  options: Omit<FollowOptions, 'appliedPlan'>,
  onStop: (stop: Stop) => void,
): () => Promise<void> {
  const appliedPlan = async () => (upstream === undefined ? null : appliedPlanIn(store));
  let followed: FollowedPlantFile | null = null;
  onStop(() => followed?.close());
  return async () => {
    if (file !== undefined) followed = await followPlantFile(file, { ...options, appliedPlan });
  };
}

type Mqtt = ReturnType<typeof mqttOf>;

/** The view of the broker that other parts get. A central server may open no MQTT (D-110). */
function mqttOf(broker: Broker, isOpened: boolean) {
  return {
    publish: isOpened ? broker.publish : null,
    listen: async () => (isOpened ? broker.listen() : { port: null, tlsPort: null }),
    counters: () => ({ ...broker.counters(), ...(!isOpened && { listening: null }) }),
    clients: () => broker.clients(),
  };
}

/** The counters of the first plant's store, with the health of the first store that is not well. */
function vitalsOf([first, ...others]: readonly [Store, ...Store[]], mqtt: Mqtt): GatewayVitals {
  const counters = () => {
    const own = first.counters();
    const health = [own, ...others.map((store) => store.counters())].map((one) => one.health);
    return { ...own, health: health.find(({ state }) => state !== 'ok') ?? own.health };
  };
  return { store: counters, broker: mqtt.counters, clients: mqtt.clients };
}

function addressesOf(
  http: Awaited<ReturnType<HttpServers['listen']>>,
  mqtt: Awaited<ReturnType<Mqtt['listen']>>,
  mqttAccess: GatewayAddresses['mqttAccess'],
): GatewayAddresses {
  return {
    httpPort: http.port,
    deviceHttpPort: http.devicePort,
    mqttPort: mqtt.port,
    mqttTlsPort: mqtt.tlsPort,
    mqttAccess,
  };
}

async function openBroker(
  { config, clock, newId, store, incidents, secrets, plant }: Base,
  floor: Floor,
  tls: Tls,
  restored: StoredState,
): Promise<Broker> {
  const broker = await createBroker({
    ...config.mqtt,
    tls: tls.mqtt,
    legacyCommandTopics: config.devices.legacyCommandTopics,
    runId: newId(),
    journal: store,
    restored: restored.broker,
    routes: plant.machines(),
    accounts: plant.mqttAccounts(),
    inbox: floor.inbox,
    incidents,
    verifySecret: secrets.verify,
    clock,
  });
  floor.registry.onDecision(broker.send);
  restoreConnections(floor.registry, broker.retainedPresence);
  plant.onChange(() => {
    floor.registry.configure(plant.machines(), clock.now());
    restoreConnections(floor.registry, broker.retainedPresence);
    broker.configure(plant.machines(), plant.mqttAccounts());
  });
  return broker;
}

/** The parts that the HTTP servers serve, besides the machines. */
interface Served extends PlantParts {
  readonly plants: readonly FurtherPlant[];
  readonly receiving: Receiving;
  readonly people: People;
  readonly system: SystemStatus;
  readonly upkeep: Upkeep;
  readonly alerts: OpenedAlerts;
  readonly vitals: GatewayVitals;
  readonly page: PageFiles;
}

async function openHttp(base: Base, floor: Floor, tls: Tls, served: Served, localKey: string): Promise<HttpServers> {
  const { config, log, clock, incidents, secrets, plant } = base;
  const { receiving, people, system, upkeep, vitals, alerts } = served;
  return createHttpServers({
    http: { ...config.http, tls: tls.http, allowedHosts: [...config.http.allowedHosts, ...discoveryNames(config)] },
    deviceHttp: config.deviceHttp ?? null,
    inbox: floor.inbox,
    ...plantFlows(base, floor, served, alerts.alerts),
    furtherPlants: new Map(served.plants.map(({ plantId, flowsWith }) => [plantId, flowsWith(alerts.alerts)])),
    alerts,
    plantNames: plantNames(config.plants),
    system,
    vitals,
    backups: upkeep.backups,
    settings: upkeep.settings,
    support: upkeep.support,
    updates: upkeep.updates,
    people: people.people,
    signIns: people.signIns,
    panels: people.panels,
    setUp: people.setUp,
    keyUse: people.keyUse,
    openLimit: base.limits.open,
    log,
    page: served.page,
    texts: { manual: readTextFiles('docs'), samples: readTextFiles('firmware-samples') },
    openAndon: config.page.openAndon,
    gateways: receiving.gateways,
    syncReceiver: receiving.syncReceiver,
    fleet: receiving.fleet,
    sights: receiving.sights,
    groups: receiving.groups,
    fleetPlans: receiving.fleetPlans,
    planSource: receiving.planSource,
    archives: receiving.archives,
    rollOuts: receiving.rollOuts,
    timeText: floor.calendar.timeText,
    machines: () => plant.machines(),
    apiKeys: () => plant.apiKeys(),
    localKey,
    verifySecret: secrets.verify,
    certificates: tls.certificates,
    machineNumbers: () => machineNumbers(floor.registry),
    version: VERSION,
    mqttAccess: config.mqtt.access,
    isUnheard: (machineId) => (floor.registry.get(machineId)?.state.heard ?? null) === null,
    incidents,
    clock,
  });
}

function pageWith({ page, shifts, plants }: Config, isCentral: boolean): Promise<PageFiles> {
  const hasSeveralPlants = plantNames(plants).length > 1;
  return pageOf({ units: page.units, timeZone: shifts.timeZone, isCentral, hasSeveralPlants }, readPageFiles());
}
