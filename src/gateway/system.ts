import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { MeasuredAgent } from '../adapters/central/legacy-agent/open-legacy-agent.ts';
import { WHOLE_SIGHT } from '../domain/plant/sight.ts';
import { isoTimeOrNull } from '../domain/time.ts';
import type { Backups } from '../flows/backup/backups.ts';
import { HealthReporter } from '../flows/forward/health-reporter.ts';
import { OwnHealth } from '../flows/forward/own-health.ts';
import { ownPlant } from '../flows/forward/own-plant.ts';
import type { SyncStatusFlow } from '../flows/forward/sync-status-flow.ts';
import type { GatewayVitals } from '../flows/local-api/local-api-ports.ts';
import type { AgentView, Certificate, GatewayAddresses } from '../flows/local-api/system-ports.ts';
import { SystemStatus } from '../flows/local-api/system-status.ts';
import type { ChangeSettings } from '../flows/settings/change-settings.ts';
import type { RequestUpdate } from '../flows/update/request-update.ts';
import { after } from '../runtime/after.ts';
import { VERSION } from '../version.ts';
import { diskFreePercent, type OpenedAlerts } from './alerts.ts';
import { openPlanFollower } from './fleet/plans.ts';
import { openUpdateFollower } from './fleet/updates.ts';
import type { Base, Stop } from './gateway-parts.ts';
import type { Floor } from './machines.ts';
import type { Upstream } from './upstream.ts';

/** The parts that the view of the system looks at. */
interface SystemParts {
  readonly certificates: () => readonly Certificate[];
  readonly addresses: () => GatewayAddresses | null;
  readonly agent: Pick<MeasuredAgent, 'lastAnswer'>;
  readonly vitals: GatewayVitals;
  readonly deviceInputs: () => number;
  readonly sync: Pick<SyncStatusFlow, 'numbers'>;
}

/** Puts together the view of the condition of the gateway and its surroundings. */
export function openSystemStatus(
  { config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>,
  { certificates, addresses, agent, vitals, deviceInputs, sync }: SystemParts,
): SystemStatus {
  const { timeZone, shifts } = config.shifts;
  return new SystemStatus({
    gatewayId: config.gatewayId,
    version: VERSION,
    timeZone,
    shifts,
    agentKind: config.legacyAgent.kind,
    agent: () => agentView(agent),
    certificates,
    addresses,
    store: vitals.store,
    broker: vitals.broker,
    deviceInputs,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(config.dataDir);
      return bavail * bsize;
    },
    sync,
    clock,
    log,
  });
}

function agentView({ lastAnswer }: Pick<MeasuredAgent, 'lastAnswer'>): AgentView {
  return { lastAnswerAt: isoTimeOrNull(lastAnswer?.at ?? null), answeredInMs: lastAnswer?.tookMs ?? null };
}

interface HealthParts {
  readonly upstream: Pick<Upstream, 'sync' | 'forwarder' | 'server'>;
  readonly upkeep: {
    readonly backups: Pick<Backups, 'list'>;
    readonly updates: RequestUpdate;
    readonly settings: ChangeSettings;
  };
  readonly tls: { readonly certificates: () => readonly Certificate[] };
  readonly alerts: Pick<OpenedAlerts, 'alerts' | 'settings'>;
}

/** What the central server is told of the plant, with a digest by which it knows whether it changed. */
function toldPlant(plant: Base['plant'], shifts: Base['config']['shifts']) {
  const make = () => {
    const told = ownPlant({ plant, shifts });
    return { told, digest: createHash('sha256').update(JSON.stringify(told)).digest('base64url') };
  };
  let newest: ReturnType<typeof make> | null = null;
  plant.onChange(() => {
    newest = null;
  });
  return () => {
    newest ??= make();
    return newest;
  };
}

/** From now on the central server, if there is one, is told the condition of this gateway, and its plan is followed. */
export function tellHealth(
  base: Base,
  { registry }: Pick<Floor, 'registry'>,
  { upstream: { sync, forwarder, server }, upkeep, tls, alerts: { alerts, settings } }: HealthParts,
  onStop: (stop: Stop) => void,
): void {
  if (forwarder === null || server === null) return;
  const { config, store, clock, log } = base;
  const isConnected = () => forwarder.isForwarding && forwarder.server === 'batch';
  const onNews = () => reporter.wake();
  const updating = openUpdateFollower(base, upkeep.updates, { server, isConnected, onNews });
  const onUpdate: typeof updating.give = (update) => updating.give(update);
  const follower = openPlanFollower(base, { server, isConnected, onUpdate, onNews, settings: upkeep.settings });
  const own = new OwnHealth({
    version: VERSION,
    timeZone: config.shifts.timeZone,
    registry,
    sync,
    openAlerts: () => alerts.open(WHOLE_SIGHT).length,
    leastPercent: () => settings.rule('disk').limit,
    backups: upkeep.backups,
    certificates: tls.certificates,
    diskFreePercent: () => diskFreePercent(config.dataDir),
    plan: () => follower.report(),
    update: () => updating.report(),
    clock,
  });
  const reporter = new HealthReporter({
    server,
    isConnected,
    health: () => own.read(),
    plant: toldPlant(base.plant, config.shifts),
    store,
    gatewayId: config.gatewayId,
    clock,
    after,
    log,
  });
  follower.start();
  updating.start();
  reporter.start();
  onStop(() => reporter.pause());
  onStop(() => follower.pause());
  onStop(() => updating.pause());
}
