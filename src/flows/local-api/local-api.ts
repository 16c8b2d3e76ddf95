import { CodedError, foundText } from '../../domain/error.ts';
import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineId } from '../../domain/machine/machine-id.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import type { Shift } from '../../domain/shift/shift-calendar.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { SyncApi } from '../forward/sync-status-ports.ts';
import type { PlantView } from '../plant/plant-view.ts';
import type { Clock } from '../ports.ts';
import type { DowntimeFilter, ReasonCount, Store, TimeRange } from '../store-ports.ts';
import type { WarehouseChanges } from '../warehouse/warehouse-changes.ts';
import type { DowntimeExport, DowntimeRow } from './downtime-export-ports.ts';
import type { DowntimeFlow } from './edit-downtimes.ts';
import { exportedDowntimes } from './export-downtimes.ts';
import { exportedProduction } from './export-production.ts';
import { hoursOf } from './hourly-production.ts';
import { INCIDENT_KINDS, type IncidentLog } from './incident-log.ts';
import { incidentViews } from './incident-view.ts';
import type {
  AnomalyView,
  DiagnosticsField,
  Dismissal,
  DowntimeSearchOfAll,
  DowntimeView,
  HourlyProduction,
  LiveChange,
  LiveCounters,
  LocalApi,
  MessageView,
  NewMessages,
  OverrideView,
  ProductionRow,
  ProductionView,
  RecentPartView,
  SpanView,
  TroubleView,
  VariableView,
  WorkSessionView,
} from './local-api-ports.ts';
import type { MachineHistory } from './machine-history.ts';
import { machineTroubles } from './machine-troubles.ts';
import {
  anomalyView,
  downtimeView,
  isoTime,
  isoTimeOrNull,
  type MachineView,
  machineView,
  productionView,
  timelineView,
  variableView,
  workSessionView,
} from './machine-view.ts';
import { messageViews } from './message-view.ts';
import { type PartFlow, requireMachine } from './select-part.ts';

export interface LocalApiOptions {
  readonly registry: MachineRegistry;
  readonly history: MachineHistory;
  readonly parts: PartFlow;
  readonly downtimes: DowntimeFlow;
  readonly plant: Pick<PlantView, 'part' | 'downtimeReasons' | 'onChange'>;
  readonly warehouse: Pick<WarehouseChanges, 'onChange'>;
  readonly store: Pick<
    Store,
    'variablePoints' | 'variableBuckets' | 'newestPoints' | 'overrides' | 'anomalies' | 'reasonCounts' | 'counters'
  >;
  readonly incidents: IncidentLog;
  readonly shifts: {
    readonly shiftAt: (wallMs: number) => Shift;
    readonly shiftsOfDate: (shiftDate: string) => readonly Shift[];
    readonly timeText: (wallMs: number) => string;
  };
  readonly upstream: { readonly sync: SyncApi; onChange(listener: Watcher): void };
  readonly version: string;
  readonly clock: Clock;
}

type Watcher = (change: LiveChange) => void;
type VariableRange = TimeRange | { readonly shiftDate: string };

/** The limit of one timeline; later spans name no downtime. */
const MAX_TIMELINE_DOWNTIMES = 1_000;
/** Incidents are announced at most this often; they may come a thousand times a second. */
const DIAGNOSTICS_INTERVAL_MS = 1_000;

/** Reasons from before this time do not count for the order in which reasons are offered. */
const REASONS_COUNTED_MS = 30 * DAY_MS;

/** The local API over the flows: the views and acts of the page and the command line (contract.md, Local API). */
export class LocalApiFlow implements LocalApi {
  readonly #options: LocalApiOptions;
  readonly #watchers = new Set<Watcher>();
  #decisionChanges = 0;
  #diagnosticsTimer: NodeJS.Timeout | null = null;
  #toldIncidents = 0;
  #machineIds: ReadonlySet<MachineId>;
  readonly #startedMs: number;

  constructor(options: LocalApiOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now().monotonicMs;
    options.registry.onChange((live, effects) => this.#onMachine(live, effects));
    options.warehouse.onChange((change) => this.#tell(change));
    options.upstream.onChange((change) => this.#tell(change));
    this.#machineIds = this.#presentMachineIds();
    options.plant.onChange(() => {
      this.#tellOfMachinesThatCameOrWent();
      this.#tell({ event: 'plant', key: 'plant', record: { changedAt: this.#nowText() } });
    });
  }

  /** A listener without a key gets the events of machines alone. */
  #tellOfMachinesThatCameOrWent(): void {
    const before = this.#machineIds;
    this.#machineIds = this.#presentMachineIds();
    for (const machineId of [...this.#machineIds, ...before]) {
      if (this.#machineIds.has(machineId) && before.has(machineId)) continue;
      this.#tell({ event: 'machine', machineId, urgent: true });
    }
  }

  #presentMachineIds(): ReadonlySet<MachineId> {
    return new Set(this.#options.registry.all().map(({ machine }) => machine.machineId));
  }

  *machines(): Iterable<MachineView> {
    for (const live of this.#options.registry.all()) yield this.#view(live);
  }

  machine(machineId: string): MachineView {
    return this.#view(this.#live(machineId));
  }

  lastMessage(machineId: string): MessageView | null {
    const [newest] = messageViews(this.#live(machineId));
    return newest ?? null;
  }

  messages(machineId: string): readonly MessageView[] {
    return messageViews(this.#live(machineId));
  }

  messageCount(machineId: string): number {
    return this.#live(machineId).messages.total;
  }

  newMessages(machineId: string, total: number): NewMessages {
    const live = this.#live(machineId);
    const count = live.messages.total - total;
    return { total: live.messages.total, messages: count > 0 ? messageViews(live, count).toReversed() : [] };
  }

  troubles(machineId: string): readonly TroubleView[] {
    const { registry, incidents } = this.#options;
    return machineTroubles(this.#live(machineId), registry.all(), incidents, INCIDENT_KINDS);
  }

  async selectPart(machineId: string, partId: string): Promise<MachineView> {
    return this.#view(await this.#options.parts.select(machineId, partId));
  }

  async clearPart(machineId: string): Promise<MachineView> {
    return this.#view(await this.#options.parts.clear(machineId));
  }

  async downtimes(machineId: string, filter: DowntimeFilter): Promise<readonly DowntimeView[]> {
    const found = await this.#options.history.downtimes(this.#live(machineId), filter);
    return found.map(downtimeView);
  }

  async allDowntimes(machineId: string | null, search: DowntimeSearchOfAll): Promise<readonly DowntimeView[]> {
    const { registry, history } = this.#options;
    const machines = machineId === null ? [...registry.all()] : [this.#live(machineId)];
    return (await history.downtimesOf(machines, search)).map(downtimeView);
  }

  async downtimeById(downtimeId: string): Promise<DowntimeView> {
    return downtimeView(await this.#options.downtimes.find(downtimeId));
  }

  reasonCounts(machineId: string): Promise<readonly ReasonCount[]> {
    const since = this.#options.clock.now().wallMs - REASONS_COUNTED_MS;
    return this.#options.store.reasonCounts(this.#live(machineId).machine.machineId, since);
  }

  exportDowntimes(asked: DowntimeExport): AsyncIterable<readonly DowntimeRow[]> {
    const { registry, shifts } = this.#options;
    const machines = asked.machineId === null ? [...registry.all()] : [this.#live(asked.machineId)];
    return exportedDowntimes(machines, asked, { ...this.#options, timeText: shifts.timeText });
  }

  categorizeDowntimes(...[downtimeIds, category]: Parameters<LocalApi['categorizeDowntimes']>) {
    return this.#edited(this.#options.downtimes.categorize(downtimeIds, category), downtimeIds);
  }

  splitDowntime(downtimeId: string, at: number): Promise<readonly DowntimeView[]> {
    return this.#edited(this.#options.downtimes.split(downtimeId, at), [downtimeId]);
  }

  mergeDowntimes(downtimeIds: readonly string[]): Promise<readonly DowntimeView[]> {
    return this.#edited(this.#options.downtimes.merge(downtimeIds), downtimeIds);
  }

  async production(machineId: string, shiftDate: string | null): Promise<ProductionView> {
    const { history, shifts, clock } = this.#options;
    const live = this.#live(machineId);
    const date = shiftDate ?? shifts.shiftAt(clock.now().wallMs).shiftDate;
    shifts.shiftsOfDate(date);
    return productionView(date, await history.shifts(live, date));
  }

  async hourlyProduction(machineId: string, shiftDate: string | null): Promise<HourlyProduction> {
    const { history, shifts, clock } = this.#options;
    const live = this.#live(machineId);
    const { wallMs } = clock.now();
    const date = shiftDate ?? shifts.shiftAt(wallMs).shiftDate;
    const periods = shifts.shiftsOfDate(date);
    return { shiftDate: date, hours: hoursOf(periods, await history.quarters(live, date), wallMs) };
  }

  async overrides(machineId: string, range: TimeRange): Promise<readonly OverrideView[]> {
    const spans = await this.#options.store.overrides(this.#live(machineId).machine.machineId, range);
    return spans.map(({ startedAt, endedAt }) => ({ startedAt: isoTime(startedAt), endedAt: isoTimeOrNull(endedAt) }));
  }

  async variables(machineId: string): Promise<readonly VariableView[]> {
    const { machine } = this.#live(machineId);
    const newest = await this.#options.store.newestPoints(machine.machineId, machine.variables);
    return machine.variables.map((name, place) => variableView(machine, name, newest[place] ?? null));
  }

  exportProduction(machineId: string | null, shiftDates: readonly string[]): AsyncIterable<readonly ProductionRow[]> {
    const machines = machineId === null ? [...this.#options.registry.all()] : [this.#live(machineId)];
    return exportedProduction(machines, shiftDates, this.#options.history);
  }

  variablePoints(machineId: string, name: string, range: VariableRange) {
    const live = this.#live(machineId);
    if ('shiftDate' in range) this.#options.shifts.shiftsOfDate(range.shiftDate);
    return this.#options.store.variablePoints(live.machine.machineId, name, range);
  }

  variableBuckets(machineId: string, name: string, range: VariableRange, buckets: number) {
    const live = this.#live(machineId);
    const times = 'shiftDate' in range ? this.#timesOf(range.shiftDate) : range;
    return this.#options.store.variableBuckets(live.machine.machineId, name, times, buckets);
  }

  async timeline(machineId: string, range: TimeRange): Promise<readonly SpanView[]> {
    const live = this.#live(machineId);
    const { history } = this.#options;
    const search = { uncategorizedOnly: false, range, limit: MAX_TIMELINE_DOWNTIMES };
    const [spans, downtimes] = await Promise.all([history.spans(live, range), history.downtimesOf([live], search)]);
    return timelineView(spans, downtimes);
  }

  async recentParts(machineId: string): Promise<readonly RecentPartView[]> {
    const parts = await this.#options.history.recentParts(this.#live(machineId));
    return parts.map(({ partId, selectedAt, madeAt }) => ({
      partId,
      lastSelectedAt: isoTimeOrNull(selectedAt),
      lastMadeAt: isoTimeOrNull(madeAt),
    }));
  }

  async workSessions(machineId: string, limit: number): Promise<readonly WorkSessionView[]> {
    return (await this.#options.history.workSessions(this.#live(machineId), limit)).map(workSessionView);
  }

  async anomalies(machineId: string, limit: number): Promise<readonly AnomalyView[]> {
    const found = await this.#options.store.anomalies(this.#live(machineId).machine.machineId, limit);
    return found.map(anomalyView);
  }

  /** Trouble by kind, each with its subjects newest first, and the condition of the store. */
  *diagnostics(): Iterable<DiagnosticsField> {
    const { incidents, store, clock, version } = this.#options;
    const uptimeSeconds = Math.round((clock.now().monotonicMs - this.#startedMs) / 1_000);
    yield { name: 'gateway', value: { version, uptimeSeconds } };
    yield { name: 'counts', value: this.#incidentCounts() };
    for (const kind of INCIDENT_KINDS) yield { name: kind, list: incidentViews(incidents.entries(kind)) };
    yield { name: 'storage', value: store.counters() };
  }

  dismiss(dismissal: Dismissal): void {
    if (!this.#options.incidents.dismiss(dismissal)) {
      const subject = foundText(dismissal.subject);
      throw new CodedError('not-found', `subject: found ${subject}, expected one that /diagnostics has of this kind`);
    }
    this.#tellDiagnostics();
  }

  get sync(): SyncApi {
    return this.#options.upstream.sync;
  }

  counters(): LiveCounters {
    const { registry, incidents } = this.#options;
    return {
      machines: registry.size,
      deviceInputs: registry.inputs,
      decisionChanges: this.#decisionChanges,
      incidents: incidents.counts(),
    };
  }

  watch(listener: Watcher): () => void {
    this.#watchers.add(listener);
    this.#diagnosticsTimer ??= setInterval(() => this.#tellTrouble(), DIAGNOSTICS_INTERVAL_MS).unref();
    return () => {
      this.#watchers.delete(listener);
      if (this.#watchers.size > 0 || this.#diagnosticsTimer === null) return;
      clearInterval(this.#diagnosticsTimer);
      this.#diagnosticsTimer = null;
    };
  }

  #live(machineId: string): LiveMachine {
    return requireMachine(this.#options.registry, machineId);
  }

  #view(live: LiveMachine): MachineView {
    return machineView(live, this.#options.plant);
  }

  #nowText(): string {
    return isoTime(this.#options.clock.now().wallMs);
  }

  #timesOf(shiftDate: string): TimeRange {
    const shifts = this.#options.shifts.shiftsOfDate(shiftDate);
    return { from: shifts[0]?.startMs ?? 0, to: shifts.at(-1)?.endMs ?? 0 };
  }

  /** Called for every status: it must cost next to nothing without listeners. */
  #onMachine(live: LiveMachine, effects: readonly MachineEffect[]): void {
    for (const effect of effects) if (effect.type === 'decision') this.#decisionChanges++;
    if (this.#watchers.size === 0) return;
    this.#tell({ event: 'machine', machineId: live.machine.machineId, urgent: effects.length > 0 });
    for (const effect of effects) if (effect.type === 'downtime') this.#tellDowntime(effect.downtime);
  }

  async #edited(edit: Promise<readonly Downtime[]>, downtimeIds: readonly string[]): Promise<readonly DowntimeView[]> {
    const edited = await edit;
    const left = new Set(edited.map(({ downtimeId }) => downtimeId));
    for (const downtimeId of downtimeIds)
      if (!left.has(downtimeId))
        this.#tell({ event: 'downtime', key: downtimeId, record: { downtimeId, removed: true } });
    for (const downtime of edited) this.#tellDowntime(downtime);
    for (const machineId of new Set(edited.map((downtime) => downtime.machineId)))
      this.#tell({ event: 'machine', machineId, urgent: true });
    return edited.map(downtimeView);
  }

  #tellDowntime(downtime: Downtime): void {
    this.#tell({ event: 'downtime', key: downtime.downtimeId, record: downtimeView(downtime) });
  }

  #tellTrouble(): void {
    const total = Object.values(this.#incidentCounts()).reduce((sum, count) => sum + count, 0);
    if (total === this.#toldIncidents) return;
    this.#toldIncidents = total;
    this.#tellDiagnostics();
  }

  #tellDiagnostics(): void {
    this.#tell({ event: 'diagnostics', key: 'diagnostics', record: { counts: this.#incidentCounts() } });
  }

  #incidentCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#options.incidents.counts());
  }

  #tell(change: LiveChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
