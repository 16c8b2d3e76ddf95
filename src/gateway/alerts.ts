import { statfs } from 'node:fs/promises';
import { AlertChannels, type PublishAlert } from '../adapters/alert/alert-channels.ts';
import { runAt } from '../adapters/system/timetable.ts';
import { errorMessage } from '../domain/error-text.ts';
import { AlertSender } from '../flows/alert/alert-sender.ts';
import { AlertSettings } from '../flows/alert/alert-settings.ts';
import { Alerts } from '../flows/alert/alerts.ts';
import { ChannelsFlow } from '../flows/alert/channels-flow.ts';
import { GatewayFactsFlow } from '../flows/alert/gateway-facts.ts';
import { MachineFactsFlow } from '../flows/alert/machine-facts.ts';
import type { Backups } from '../flows/backup/backups.ts';
import type { SyncStatusFlow } from '../flows/forward/sync-status-flow.ts';
import type { Certificate } from '../flows/local-api/system-ports.ts';
import { ReportFlow } from '../flows/production/report-flow.ts';
import { ReportSheets } from '../flows/production/report-sheets.ts';
import type { Fleet } from '../flows/receive/fleet.ts';
import { VERSION } from '../version.ts';
import type { Base, Stop } from './gateway-parts.ts';
import type { Floor } from './machines.ts';

/** A few minutes after the end of a shift, when the last messages of the machines have come. */
const REPORTED_AT = '3-59/5 * * * *';

interface AlertParts {
  /** Null if no MQTT is opened. */
  readonly mqtt: { readonly publish: PublishAlert | null };
  readonly upstream: { readonly sync: Pick<SyncStatusFlow, 'numbers'> };
  readonly upkeep: { readonly backups: Pick<Backups, 'list'> };
  readonly tls: { readonly certificates: () => readonly Certificate[] };
  readonly receiving: { readonly fleet: Pick<Fleet, 'gateways'> | null };
}

/** Alerts, and the channels by which people are told. */
export interface OpenedAlerts {
  readonly alerts: Alerts;
  readonly settings: AlertSettings;
  readonly channels: ChannelsFlow;
  readonly reports: ReportFlow;
  /** The wall clock was set. */
  readonly noteJump: (deltaMs: number) => void;
}

/** Puts alerts together, and takes up those that were open. */
export async function openAlerts(
  { config, store, central, plant, clock, newId, incidents, log }: Base,
  { registry, calendar, production }: Pick<Floor, 'registry' | 'calendar' | 'production'>,
  { mqtt, upstream, upkeep, tls, receiving }: AlertParts,
  onStop: (stop: Stop) => void,
): Promise<OpenedAlerts> {
  const settings = new AlertSettings({ write: (records) => store.write(records), newId });
  const sheets = new ReportSheets({ production: production.flow, calendar });
  const sender = new AlertSender({
    sheet: (report) => sheets.sheet(report),
    transport: new AlertChannels(mqtt.publish),
    channel: settings.channel,
    record: (records) => store.record(records),
    incidents,
    clock,
    random: Math.random,
  });
  const gateway = new GatewayFactsFlow({
    plant,
    store,
    counters: () => store.counters(),
    sync: upstream.sync,
    backups: upkeep.backups,
    certificates: tls.certificates,
    diskFreePercent: () => diskFreePercent(config.dataDir),
    rules: () => settings.rules(),
    channels: () => settings.channels(),
    sender,
    fleet: () => ({ gateways: receiving.fleet?.gateways() ?? [], version: VERSION }),
    wallMs: () => clock.now().wallMs,
    log,
  });
  const machines = new MachineFactsFlow(registry);
  const { plan } = production;
  const alerts = new Alerts({
    store,
    settings,
    sender,
    machines,
    gateway,
    calendar,
    plan,
    newId,
    clock,
    incidents,
    log,
    nodes: central?.business ?? null,
  });
  onStop(() => alerts.stop());
  const isOnDuty = () => central?.business.duty.isOurs ?? true;
  await alerts.start();
  const reports = new ReportFlow({ sheets, settings, sender, calendar, plan, clock, newId, incidents });
  const send = () =>
    (isOnDuty() ? reports.sendDue() : Promise.resolve()).catch((error: unknown) =>
      log.error({ error: errorMessage(error) }, 'reports cannot be sent, and are tried again'),
    );
  onStop(runAt({ cron: REPORTED_AT, timeZone: config.shifts.timeZone, log }, send).stop);
  const noteJump = (deltaMs: number) => gateway.noteJump(deltaMs, clock.now().monotonicMs);
  return { alerts, settings, reports, channels: new ChannelsFlow({ settings, sender, clock, newId }), noteJump };
}

/** Rejects if the disk gives no answer. */
export async function diskFreePercent(directory: string): Promise<number> {
  const { bavail, blocks } = await statfs(directory);
  return (bavail / blocks) * 100;
}
