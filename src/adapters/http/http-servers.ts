import type { IncomingMessage, RequestListener, Server } from 'node:http';
import Router from '@koa/router';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { ApiKey, Machine } from '../../domain/plant/plant.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { MachineNumbers } from '../../flows/device/machine-numbers.ts';
import type { DoOnceFlow } from '../../flows/do-once-flow.ts';
import type { LiveChanges } from '../../flows/local-api/live-changes.ts';
import type { GatewayVitals } from '../../flows/local-api/local-api-ports.ts';
import type { Certificate, MqttAccess } from '../../flows/local-api/system-ports.ts';
import type { Incidents, SecretVerifier, SharedDecisions } from '../../flows/ports.ts';
import { AddressBlocks } from '../../runtime/network/address-blocks.ts';
import { OpenConnections } from '../../runtime/network/open-connections.ts';
import { UnreadAnswers } from './answers/unread-answers.ts';
import { createApp, type PlantServing } from './app.ts';
import { AUDITED_ACTS } from './audit/audited-acts.ts';
import { RouteAudit } from './audit/route-audit.ts';
import { type DeviceEndpointOptions, DeviceEndpoints } from './device/device-endpoints.ts';
import { answerUnread } from './device/send.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { type ServedTexts, textRoutes } from './documents/text-routes.ts';
import { EventStreams } from './events/event-streams.ts';
import { Authenticator } from './guards/authenticator.ts';
import { HostGuard } from './guards/host-guard.ts';
import { LIMITS } from './limits.ts';
import { type MachineDeliveryOptions, machineDeliveryRoutes } from './machine-delivery/machine-delivery-routes.ts';
import { Metrics } from './metrics.ts';
import type { PageFiles } from './page/page-files.ts';
import { nowherePage, pageRoutes } from './page/page-routes.ts';
import { RequestTurns } from './requests/pipeline.ts';
import { RequestBodies } from './requests/request-bodies.ts';
import { bind, createServer, refuseLate, stop, type TlsFiles } from './server.ts';
import { fleetMetrics, machineMetrics } from './sliced-metrics.ts';
import type { Surface } from './surface-router.ts';
import { type Apis, surfaces } from './surfaces.ts';

const SWEEP_INTERVAL_MS = 1_000;

/** The flows that each plant of a server has for itself (D-108). */
export type PlantFlows = Pick<
  HttpServersOptions,
  | 'api'
  | 'audit'
  | 'backups'
  | 'changes'
  | 'decisions'
  | 'deliveries'
  | 'lateWrites'
  | 'liveChanges'
  | 'orders'
  | 'plant'
  | 'plantLoads'
  | 'production'
  | 'profiles'
  | 'requests'
  | 'scans'
  | 'warehouse'
  | 'warehouseOperations'
>;

export interface HttpServersOptions extends Apis {
  /** The plants besides the first one, by their ids. */
  readonly furtherPlants: ReadonlyMap<string, PlantFlows>;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly tls: TlsFiles | null;
    readonly allowedHosts: readonly string[];
    /** Addresses and networks of proxies (D-62). */
    readonly trustedProxies: readonly string[];
    readonly requestsPerSecond: number;
  };
  /** A second server only for the device endpoints, on their own network; null without one (HTTP-04). */
  readonly deviceHttp: { readonly host: string; readonly port: number } | null;
  readonly inbox: DeviceEndpointOptions['inbox'];
  readonly requests: DoOnceFlow;
  /** Null: no other node decides about the same records. */
  readonly decisions: SharedDecisions | null;
  readonly page: PageFiles;
  readonly texts: ServedTexts;
  readonly machines: () => readonly Machine[];
  readonly apiKeys: () => readonly ApiKey[];
  /** The key of the gateway's own command line; null without one. */
  readonly localKey: string | null;
  readonly verifySecret: SecretVerifier;
  readonly vitals: GatewayVitals;
  readonly certificates: () => readonly Certificate[];
  readonly machineNumbers: () => Iterable<MachineNumbers>;
  readonly version: string;
  readonly liveChanges: LiveChanges;
  readonly mqttAccess: MqttAccess;
  /** Whether no message of the machine came yet. */
  readonly isUnheard: (machineId: MachineId) => boolean;
  readonly incidents: Incidents;
  /** A time as clocks in the plant show it. */
  readonly timeText: (wallMs: number) => string;
}

export interface HttpServers {
  /** Binds the ports and gives them. Rejects with CodedError `conflict` if one is taken. */
  listen(): Promise<{ readonly port: number; readonly devicePort: number | null }>;
  /** Takes no new requests, gives those under way a moment to finish, then closes. */
  close(): Promise<void>;
}

/** The HTTP side of the gateway: device endpoints, local API, probes (interface.md, The business interface; contract.md, Local API). */
export function createHttpServers(options: HttpServersOptions): HttpServers {
  const { http, deviceHttp, api, clock, incidents, vitals } = options;
  const proxies = http.trustedProxies.length === 0 ? null : new AddressBlocks(http.trustedProxies);
  const onFull = (address: string, detail: string) =>
    incidents.report({ kind: 'limitReached', subject: `http ${address}`, detail });
  const connections = new OpenConnections(LIMITS, onFull, (address) => proxies?.contains(address) === true);
  const plants = servedPlants(options);
  const metrics = new Metrics({
    incidents,
    api,
    vitals,
    received: options.syncReceiver,
    httpConnections: () => connections.total,
    eventListeners: () => plants.reduce((sum, { events }) => sum + events.listeners, 0),
    certificates: options.certificates,
    more: [
      () => machineMetrics(options.machineNumbers()),
      () => fleetMetrics(options.fleet?.gateways() ?? null, options.plantNames.length > 1),
    ],
  });
  const hostGuard = new HostGuard(http.allowedHosts);
  const isOwnHost = (request: IncomingMessage) => hostGuard.isOwn(request);
  const bodies = new RequestBodies(incidents);
  const devices = new DeviceEndpoints({ ...options, bodies, isOwnHost, onAnswer: metrics.countDeviceAnswer });
  const unread = new UnreadAnswers(incidents, () => clock.now().monotonicMs);
  let sweeping: NodeJS.Timeout | undefined;
  const sweep = () => {
    unread.sweep();
    for (const { request, forMs } of unread.incomplete()) {
      if (forMs >= bodies.timeLimitMs(request)) refuseLate(request, forMs, incidents);
    }
  };
  const app = createApp({
    plants,
    open: openRoutes(options, plants[0].surfaces, metrics, unread),
    authenticator: new Authenticator(options),
    people: options.people,
    panels: options.panels,
    openAndon: options.openAndon,
    showNowhere: nowherePage(options.page, unread),
    timeText: options.timeText,
    sights: options.sights,
    bodies,
    hostGuard,
    requestsPerSecond: http.requestsPerSecond,
    openLimit: options.openLimit,
    unread,
    incidents,
    clock,
  });
  const bounds = { connections, unread, incidents, proxies };
  const main = createServer(devicesFirst(devices, new RequestTurns(app.callback()).handle), http.tls, bounds);
  const deviceServer = deviceHttp === null ? null : createServer(devicesFirst(devices, answerNotFound), null, bounds);
  return {
    listen: async () => {
      sweeping = setInterval(sweep, SWEEP_INTERVAL_MS);
      const port = await bind(main, 'http.port', http);
      const devicePort =
        deviceServer === null || deviceHttp === null ? null : await bind(deviceServer, 'deviceHttp.port', deviceHttp);
      return { port, devicePort };
    },
    close: async () => {
      clearInterval(sweeping);
      for (const { events } of plants) events.close();
      const servers = [main, deviceServer].filter((server): server is Server => server !== null);
      await Promise.all(servers.map((server) => stop(server, connections)));
    },
  };
}

/** Gives the surfaces, events and audit of each plant. The first plant comes first. */
function servedPlants(options: HttpServersOptions): readonly [PlantServing, ...PlantServing[]] {
  const { clock, incidents } = options;
  const audits = new Map([...options.furtherPlants].map(([plantId, { audit }]) => [plantId, audit]));
  const auditOf = async (gatewayId: string) =>
    gatewayId === '' || audits.size === 0 ? undefined : audits.get((await options.gateways.plantOf(gatewayId)) ?? '');
  const servingOf = (plantId: string, apis: HttpServersOptions): PlantServing => ({
    plantId,
    surfaces: surfaces(apis),
    events: new EventStreams({ api: apis.api, liveChanges: apis.liveChanges, clock, incidents }),
    requests: apis.requests,
    audit: new RouteAudit({ of: async (gatewayId) => (await auditOf(gatewayId)) ?? apis.audit }, apis, AUDITED_ACTS),
    decisions: apis.decisions,
  });
  const others = [...options.furtherPlants].map(([plantId, flows]) => servingOf(plantId, { ...options, ...flows }));
  return [servingOf(FIRST_PLANT, options), ...others];
}

/** Device requests are answered at once, the others in turns. */
function devicesFirst(devices: DeviceEndpoints, others: RequestListener): RequestListener {
  return (request, response) => {
    if (!devices.handle(request, response)) others(request, response);
  };
}

const answerNotFound: RequestListener = (request, response) => {
  const body = JSON.stringify({ errors: ['path: nothing but the device endpoints is served here'] });
  answerUnread(request, response, 404, body, []);
};

interface OpenRoutesOptions extends MachineDeliveryOptions {
  readonly page: PageFiles;
  readonly texts: ServedTexts;
  readonly vitals: GatewayVitals;
  readonly version: string;
  readonly mqttAccess: MqttAccess;
  /** Whether no message of the machine came yet. */
  readonly isUnheard: (machineId: MachineId) => boolean;
}

/**
 * All routes without a key of people or programs: probes, the page, the documents, and machines with their own keys.
 */
export function openRoutes(
  options: OpenRoutesOptions,
  served: readonly Surface[],
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  unread: UnreadAnswers,
): Router {
  return probeRoutes(options.vitals, metrics)
    .use(pageRoutes(options.page, unread).routes())
    .use(documentRoutes(served, options, unread).routes())
    .use(textRoutes(options.texts, unread).routes())
    .use(machineDeliveryRoutes(options).routes());
}

/** Probes without a key (contract.md, Local API): whether the process lives, whether it serves, and its counters. */
function probeRoutes(vitals: GatewayVitals, metrics: Pick<Metrics, 'contentType' | 'text'>): Router {
  const router = new Router();
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' };
  });
  router.get('/readyz', (context) => {
    const reasons = reasonsNotToServe(vitals);
    context.status = reasons.length === 0 ? 200 : 503;
    const { damagedRecords, setAside, risks } = vitals.store();
    // The gateway serves with these, so none of them makes it unready.
    const known = {
      ...(damagedRecords.length > 0 && { damagedRecords }),
      ...(setAside !== null && { setAsideDatabase: setAside }),
      ...(risks.length > 0 && { warnings: risks }),
    };
    context.body = { ready: reasons.length === 0, reasons, ...known };
  });
  router.get('/metrics', async (context) => {
    context.type = metrics.contentType;
    context.body = await metrics.text();
  });
  return router;
}

function reasonsNotToServe(vitals: GatewayVitals): readonly string[] {
  const { health } = vitals.store();
  const reasons: string[] = [];
  if (health.state !== 'ok') reasons.push(`store: ${health.state}: ${health.detail}`);
  if (vitals.broker().listening === false) reasons.push('mqtt: the broker is not listening');
  return reasons;
}
