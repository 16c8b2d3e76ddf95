import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApi } from '../../../src/adapters/http/documents/open-api.ts';
import type { OpenApiDocument, Operation } from '../../../src/adapters/http/documents/open-api-document.ts';
import { readTextFiles } from '../../../src/adapters/http/documents/text-files.ts';
import {
  createHttpServers,
  type HttpServersOptions,
  type PlantFlows,
} from '../../../src/adapters/http/http-servers.ts';
import { readPageFiles } from '../../../src/adapters/http/page/page-files.ts';
import type { Surface } from '../../../src/adapters/http/surface-router.ts';
import { surfaces } from '../../../src/adapters/http/surfaces.ts';
import { openStore } from '../../../src/adapters/store/client/sqlite-store.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import type { ApplyingPlaces } from '../../../src/adapters/update/update-files.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { PLANT_ENTRY_SHAPES } from '../../../src/config/plant-file/plant-entry-checks.ts';
import { type MachineId, machineId } from '../../../src/domain/machine/machine-names.ts';
import { DEFAULT_TIMING, type MachineContext } from '../../../src/domain/machine/machine-state.ts';
import { EMPTY_PLANT, type PlantEntries, type PlantFile } from '../../../src/domain/plant/plant-entry.ts';
import { type PlantName, plantNames } from '../../../src/domain/plant/plant-scope.ts';
import { createShiftCalendar } from '../../../src/domain/shift/shift-calendar.ts';
import { inOneGo } from '../../../src/domain/sliced-work.ts';
import { Audit } from '../../../src/flows/audit/audit.ts';
import { ChangesFlow } from '../../../src/flows/changes/changes-flow.ts';
import { DeviceInboxFlow } from '../../../src/flows/device/device-inbox-flow.ts';
import { machineNumbers } from '../../../src/flows/device/machine-numbers.ts';
import { MachineRegistry } from '../../../src/flows/device/machine-registry.ts';
import { MachineWatch, recordOverrides } from '../../../src/flows/device/machine-watch.ts';
import { ShiftRecounts } from '../../../src/flows/device/shift-recounts.ts';
import { NO_OPERATIONS } from '../../../src/flows/forward/operation-queue-flow.ts';
import { SyncStatusFlow } from '../../../src/flows/forward/sync-status-flow.ts';
import { DowntimeFlow } from '../../../src/flows/local-api/downtime-flow.ts';
import { FindScanned } from '../../../src/flows/local-api/find-scanned.ts';
import { IncidentLog } from '../../../src/flows/local-api/incident-log.ts';
import { LiveChanges } from '../../../src/flows/local-api/live-changes.ts';
import { LocalApiFlow } from '../../../src/flows/local-api/local-api-flow.ts';
import { MachineHistory } from '../../../src/flows/local-api/machine-history.ts';
import { PartFlow } from '../../../src/flows/local-api/part-flow.ts';
import { StaleEntities } from '../../../src/flows/mirror/stale-entities.ts';
import { OrderFlow } from '../../../src/flows/orders/order-flow.ts';
import { Plant } from '../../../src/flows/plant/plant.ts';
import { PlantLoadFlow } from '../../../src/flows/plant/plant-load-flow.ts';
import { SharedLimits } from '../../../src/flows/shared-limits.ts';
import { openAlerts } from '../../../src/gateway/alerts.ts';
import { openBackups } from '../../../src/gateway/backups.ts';
import { openProduction } from '../../../src/gateway/machines.ts';
import { openPeople } from '../../../src/gateway/people.ts';
import { openProfiles, openProfileTools } from '../../../src/gateway/profiles.ts';
import { openReceiving } from '../../../src/gateway/receiving.ts';
import { openSettings } from '../../../src/gateway/settings.ts';
import { openSupport } from '../../../src/gateway/support.ts';
import { openSystemStatus } from '../../../src/gateway/system.ts';
import { openUpdates } from '../../../src/gateway/updates.ts';
import { openWarehouse } from '../../../src/gateway/warehouse.ts';
import { startNode } from '../../central/node-under-test.ts';
import { quietLog, threadEntry } from '../store/open-test-store.ts';

/** The HTTP side over the real flows and the real store, on ports of its own. */
export type GatewayUnderTest = Awaited<ReturnType<typeof startGateway>>;

export interface GatewaySettings {
  readonly machines?: readonly MachineEntry[];
  readonly maxUpdatesPerSecond?: number;
  readonly requestsPerSecond?: number;
  readonly trustedProxies?: readonly string[];
  readonly deviceHttp?: boolean;
  /** The plants of the server; left out: one. */
  readonly plants?: readonly PlantName[];
  readonly options?: Partial<HttpServersOptions>;
  readonly plantFile?: Partial<PlantFile>;
  /** The places by which root installs updates, for a data directory. */
  readonly applying?: (dataDir: string) => ApplyingPlaces;
  readonly context?: Partial<Pick<MachineContext, 'shiftAt'>>;
}

export const LOCAL_KEY = 'local-key';
/** One key of each role, whose text is made of the role. */
export const ROLES = ['gateway', 'business', 'viewer', 'technician', 'supervisor', 'admin'] as const;

export function keyOf(role: string): string {
  return `key-of-the-${role}`;
}

type MachineEntry = PlantEntries['machines'] & { readonly machineId: MachineId };

export function machineOf(id: string): MachineEntry {
  const checked = machineId(id);
  if (checked === null) throw new Error(`${id} is no machine id`);
  return {
    machineId: checked,
    name: `Rollformer ${id}`,
    topicRoot: `plant1/${id}`,
    variables: ['lineSpeed', 'motorTemp'],
  };
}

/** A status that passes rule 1 and has all required fields. */
export function statusOf(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    machineId: 'RF-01',
    running: true,
    machinePower: true,
    override: false,
    mSecSinceBoot: 1_000,
    cycle: 0,
    goodPart: 0,
    badPart: 0,
    ...overrides,
  };
}

function emptyConfig(dataDir: string): string {
  const file = join(dataDir, 'plantgate.yaml');
  writeFileSync(file, `dataDir: ${JSON.stringify(dataDir)}\n`);
  return file;
}

export async function startGateway(settings: GatewaySettings = {}) {
  let passedMs = 0;
  const clock = { now: () => ({ monotonicMs: performance.now() + passedMs, wallMs: Date.now() }) };
  const dataDir = mkdtempSync(join(tmpdir(), 'plantgate-http-'));
  const open = (directory = dataDir) =>
    openStore({
      dataDir: directory,
      threadEntry,
      retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
      forwarding: null,
      monotonicMs: () => performance.now(),
      wallMs: () => Date.now(),
      log: quietLog,
    });
  // The same cases for a node of a central server on PostgreSQL.
  const node = process.env.CENTRAL === '1' ? await startNode(clock, { dataDir, open }) : null;
  const central = node?.central ?? null;
  const { store: own, testing } = await open();
  const store = central?.over(own) ?? own;
  const calendar = calendarOfTests();
  const incidents = new IncidentLog(clock, quietLog);
  const secrets = createSecrets();
  const tools = openProfileTools();
  const plant = new Plant([], { store, shapes: PLANT_ENTRY_SHAPES, secrets, clock, log: quietLog, ...tools });
  await plant.applyFile({
    ...EMPTY_PLANT,
    machines: settings.machines ?? [machineOf('RF-01'), machineOf('RF-02')],
    parts: [{ partId: 'P-100', partName: 'Panel 100' }],
    downtimeReasons: [{ id: 'DT-01', reason: 'Coil change', group: 'Planned' }],
    apiKeys: ROLES.map((role) => ({ principal: `${role}-principal`, role, key: keyOf(role) })),
    ...settings.plantFile,
  });
  const registry = new MachineRegistry({
    context: { timing: DEFAULT_TIMING, shiftAt: calendar.shiftAt, newId: randomUUID, ...settings.context },
    maxUpdatesPerSecond: settings.maxUpdatesPerSecond ?? 1_000,
    store,
    setupReasons: () => new Set(),
    onPartReported: (id, partId, partName) => plant.noteReportedPart(partId, partName, id),
  });
  registry.configure(plant.machines(), clock.now());
  recordOverrides(registry, store);
  plant.onChange(() => registry.configure(plant.machines(), clock.now()));
  const shiftDateAt = (wallMs: number) => calendar.shiftAt(wallMs).shiftDate;
  const inbox = new DeviceInboxFlow({ registry, store, clock, incidents, shiftDateAt });
  const shiftEndMs = (wallMs: number) => calendar.shiftAt(wallMs).endMs;
  const recounts = new ShiftRecounts({ registry, store, clock, incidents });
  const watch = new MachineWatch({ registry, inbox, store, clock, incidents, shiftEndMs, recounts });
  const audit = new Audit({ store, plant, timeZone: SHIFTS.timeZone, clock, newId: randomUUID });
  const { config } = loadConfig({
    environment: {},
    file: emptyConfig(dataDir),
    cwd: dataDir,
    hostName: 'gate',
    timeZone: 'UTC',
  });
  const log = { ...quietLog };
  const plants = settings.plants ?? plantNames(config.plants);
  const named = {
    ...config,
    ...(settings.plants && { plants: plants.map(({ plantId: id, name }) => ({ id, name })) }),
  };
  const limits = new SharedLimits({ exchange: null, clock, log });
  const base = {
    ...{ config: named, central, limits, log, clock, newId: randomUUID },
    ...{ store, incidents, audit, secrets, plant },
  };
  const operations = NO_OPERATIONS;
  const drained = () => Promise.resolve(true);
  const warehouse = await openWarehouse(base, { operations, drained, stale: new StaleEntities() });
  const sync = new SyncStatusFlow({ store, clock, forwarder: null, mirrorAges: () => [] });
  const { backups } = openBackups({ ...base, config: { dataDir, storage: STORAGE, shifts: SHIFTS } });
  const certificates = () => [];
  const profiles = openProfiles(base, tools, operations);
  // The plants besides the first one have an audit of their own here; the rest is that of the first one.
  const further = await Promise.all(
    plants.slice(1).map(async ({ plantId }) => {
      const { store: ofPlant } = await open(mkdtempSync(join(dataDir, `${plantId}-`)));
      const own = new Audit({ store: ofPlant, plant, timeZone: SHIFTS.timeZone, clock, newId: randomUUID });
      return { plantId, base: { ...base, audit: own }, parts: { warehouse, profiles }, close: () => ofPlant.close() };
    }),
  );
  const receiving = openReceiving(base, {
    plants: further,
    tools,
    warehouse,
    profiles,
    shifts: calendar,
    applying: settings.applying?.(dataDir) ?? null,
  });
  const upkeep = { backups };
  const parts = { mqtt: { publish: () => true }, upstream: { sync }, upkeep, tls: { certificates }, receiving };
  const production = openProduction({ ...base, config: { shifts: SHIFTS } }, { registry, calendar });
  const alerts = await openAlerts(base, { registry, calendar, production }, parts, () => undefined);
  const liveChanges = new LiveChanges({
    registry,
    plant,
    warehouse: warehouse.changes,
    orders: { onChange: () => undefined },
    upstream: { onChange: () => undefined },
    alerts: alerts.alerts,
    incidents,
    clock,
  });
  const api = new LocalApiFlow({
    registry,
    history: new MachineHistory({ registry, store, clock }),
    parts: new PartFlow({ registry, plant, store, clock }),
    downtimes: new DowntimeFlow({ registry, plant, store, clock, newId: randomUUID }),
    plant,
    store,
    incidents,
    shifts: calendar,
    plan: production.plan,
    sync,
    changes: liveChanges,
    version: TEST_VERSION,
    clock,
  });
  const ports = { port: 1_883, tlsPort: null };
  const broker = { listening: true, ports, connections: 0, devices: 0, retainedMessages: 0, sessions: 0 };
  const vitals = { store: () => store.counters(), broker: () => broker, clients: () => [] };
  const system = openSystemStatus(
    { ...base, config: { ...config, shifts: SHIFTS } },
    {
      certificates: () => [],
      addresses: () => null,
      agent: warehouse.agent,
      vitals,
      deviceInputs: () => registry.inputs,
      sync: api.sync,
    },
  );
  const people = openPeople(base, { personSessions: [] });
  const options: HttpServersOptions = {
    timeText: calendar.timeText,
    plantNames: plants,
    furtherPlants: new Map(further.map((one) => [one.plantId, { audit: one.base.audit } as PlantFlows])),
    http: {
      host: '127.0.0.1',
      port: 0,
      tls: null,
      allowedHosts: ['gate.example'],
      trustedProxies: settings.trustedProxies ?? [],
      requestsPerSecond: settings.requestsPerSecond ?? 200,
    },
    deviceHttp: settings.deviceHttp === true ? { host: '127.0.0.1', port: 0 } : null,
    inbox,
    api,
    liveChanges,
    audit,
    scans: new FindScanned({ plant, store, prefixes: ['COIL:'] }),
    plant,
    production: production.flow,
    plantLoads: new PlantLoadFlow({ plant, store, shapes: PLANT_ENTRY_SHAPES, newId: randomUUID }),
    warehouse: warehouse.reads,
    warehouseOperations: warehouse.operations,
    lateWrites: warehouse.lateWrites,
    requests: warehouse.requests,
    decisions: central?.business ?? null,
    changes: new ChangesFlow({ store, plant }),
    orders: new OrderFlow({ store, clock, timeZone: 'UTC', openWork: () => [] }),
    profiles: profiles.library,
    deliveries: profiles.deliveries,
    page: readPageFiles(),
    texts: { manual: readTextFiles('docs'), samples: readTextFiles('firmware-samples') },
    openAndon: false,
    openLimit: limits.open,
    ...people,
    ...receiving,
    machines: () => plant.machines(),
    apiKeys: () => plant.apiKeys(),
    localKey: LOCAL_KEY,
    verifySecret: secrets.verify,
    system,
    support: openSupport(undefined),
    updates: await openUpdates(base, settings.applying?.(dataDir) ?? null),
    backups,
    alerts,
    log,
    settings: openSettings(
      base,
      { given: [], chosen: [] },
      { restart: { by: 'terminal', command: null }, isCentral: false },
    ),
    vitals,
    certificates: () => [],
    machineNumbers: () => machineNumbers(registry),
    version: TEST_VERSION,
    mqttAccess: 'open',
    isUnheard: (machineId) => (registry.get(machineId)?.state.heard ?? null) === null,
    incidents,
    clock,
    ...settings.options,
  };
  const servers = createHttpServers(options);
  const documented = documentedOf(surfaces(options));
  const { port, devicePort } = await servers.listen();
  watch.start();
  const url = `http://127.0.0.1:${port}`;
  /** Each answer is checked against the published documents. */
  const ask: typeof call = async (target, method, body, headers) => {
    const answer = await call(target, method, body, headers);
    documented.check(method, target, answer);
    return answer;
  };
  return {
    options,
    adder: receiving.adder,
    dataDir,
    setUp: people.setUp,
    system,
    url,
    port,
    devicePort,
    registry,
    inbox,
    api,
    plant,
    incidents,
    store,
    testing,
    broker,
    call: (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      ask(`${url}${path}`, method, body, headers),
    as: (key: string, method: string, path: string, body?: unknown) =>
      ask(`${url}${path}`, method, body, { authorization: `ApiKey ${key}` }),
    /** Moves the monotonic clock on by this time. */
    pass: (forMs: number) => {
      passedMs += forMs;
    },
    postStatus: (body: unknown) => ask(`${url}/api/device/status`, 'POST', body, {}),
    close: async () => {
      alerts.alerts.stop();
      watch.stop();
      system.stop();
      await servers.close();
      for (const one of further) await one.close();
      await tools.artist.close();
      await store.close();
      await node?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined where it is not JSON. */
  readonly body: unknown;
}

/** One request. A body of text or bytes is sent unchanged, everything else as JSON. Any header can be set. */
export function call(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: typed, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

const STORAGE = {
  maxQueueBytes: 1_000_000_000,
  variableRetentionDays: 90,
  statusRetentionDays: 30,
  productionRetentionDays: 400,
  auditRetentionDays: 730,
};

const SHIFTS = {
  timeZone: 'America/Chicago',
  shifts: [
    { name: 'Day', start: '06:00' },
    { name: 'Night', start: '18:00' },
  ],
};

function calendarOfTests() {
  const result = createShiftCalendar(SHIFTS);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.calendar;
}

/** The version in the documents of tests. */
const TEST_VERSION = '0.0.0-test';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The published operations with their possible answers. */
export class Documented {
  readonly #operations: readonly { readonly method: string; readonly path: RegExp; readonly operation: Operation }[];
  readonly #ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  readonly #checks = new Map<object, ValidateFunction>();

  readonly #components: object;

  constructor({ paths, components }: Pick<OpenApiDocument, 'paths' | 'components'>) {
    this.#components = components;
    this.#operations = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
        return { method: method.toUpperCase(), path: new RegExp(`^${pattern}/?$`), operation };
      }),
    );
  }

  /** Throws if an answer is not as published; unpublished operations are not checked. */
  check(method: string, url: string, answer: Answered): void {
    const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/[?#].*$/, '');
    const found = this.#operations.find((one) => one.method === method && one.path.test(path));
    if (found === undefined) return;
    const what = `${method} ${path} answered ${answer.status}`;
    const response = found.operation.responses[String(answer.status)];
    if (response === undefined) throw new Error(`${what}, which is not published: ${answer.text.slice(0, 200)}`);
    if (response.content === undefined) {
      if (answer.text !== '') throw new Error(`${what} with a body, published without: ${answer.text.slice(0, 200)}`);
      return;
    }
    const sent = String(answer.headers['content-type']);
    const types = Object.keys(response.content);
    const type = types.find((one) => sent.startsWith(one));
    const media = response.content[type ?? ''];
    if (media === undefined) throw new Error(`${what} as ${sent}, published as ${types.join(', ')}`);
    if (type === 'application/json') this.#checkBody(what, media.schema, JSON.parse(answer.text));
  }

  #checkBody(what: string, schema: object, body: unknown): void {
    const check = this.#checks.get(schema) ?? this.#ajv.compile({ ...schema, components: this.#components });
    this.#checks.set(schema, check);
    if (!check(body)) throw new Error(`${what}: ${this.#ajv.errorsText(check.errors)}`);
  }
}

const known = new Map<string, Documented>();

/**
 * The operations of these routes. Gateways with the same routes publish the same, and hundreds of tests start a gateway:
 * the document is made, and its schemas are compiled, for the first of them.
 */
function documentedOf(surfaces: readonly Surface[]): Documented {
  const routes = surfaces.flatMap(({ prefix, routes }) =>
    routes.map(({ method, path, role }) => [prefix, method, path, role]),
  );
  return remembered(JSON.stringify(routes), () => inOneGo(openApi(surfaces, TEST_VERSION, 'whole')));
}

/** The operations of a document that a gateway answered. */
export function documentedIn(text: string): Documented {
  return remembered(text, () => JSON.parse(text));
}

function remembered(key: string, document: () => OpenApiDocument): Documented {
  const found = known.get(key) ?? new Documented(document());
  known.set(key, found);
  return found;
}
