import { CodedError, foundText } from '../../domain/error.ts';
import type { DowntimeCategory } from '../../domain/machine/downtime/downtime-edits.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import type { Sight } from '../../domain/plant/sight.ts';
import type { Shift } from '../../domain/shift/shift-calendar.ts';
import type { WorkPlan } from '../../domain/shift/work-plan.ts';
import { DAY_MS, isoTime, isoTimeOrNull } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { SyncStatusFlow } from '../forward/sync-status-flow.ts';
import type { Plant } from '../plant/plant.ts';
import type { Clock } from '../ports.ts';
import type { DowntimeFilter, ReasonCount, Store, TimeRange } from '../store-ports.ts';
import type { DowntimeFlow } from './downtime-flow.ts';
import { exportedDowntimes } from './export-downtimes.ts';
import { exportedProduction } from './export-production.ts';
import { hoursOf } from './hourly-production.ts';
import { INCIDENT_KINDS, type IncidentLog } from './incident-log.ts';
import { incidentViews } from './incident-view.ts';
import type { LiveChanges } from './live-changes.ts';
import type {
  AnomalyView,
  DiagnosticsField,
  Dismissal,
  DowntimeExport,
  DowntimeRow,
  DowntimeSearchOfAll,
  DowntimeView,
  HourlyProduction,
  LiveCounters,
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
  type MachineView,
  machineView,
  productionView,
  timelineView,
  variableView,
  workSessionView,
} from './machine-view.ts';
import { messageViews } from './message-view.ts';
import { type PartFlow, requireMachine } from './part-flow.ts';

export interface LocalApiOptions {
  readonly registry: MachineRegistry;
  readonly history: MachineHistory;
  readonly parts: PartFlow;
  readonly downtimes: DowntimeFlow;
  readonly plant: Pick<Plant, 'part' | 'downtimeReasons'>;
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
  readonly plan: WorkPlan;
  readonly sync: SyncStatusFlow;
  readonly changes: LiveChanges;
  readonly version: string;
  readonly clock: Clock;
}

type VariableRange = TimeRange | { readonly shiftDate: string };

/** The limit of one timeline; later spans name no downtime. */
const MAX_TIMELINE_DOWNTIMES = 1_000;

/** Reasons from before this time do not count for the order in which reasons are offered. */
const REASONS_COUNTED_MS = 30 * DAY_MS;

/** The local API over the flows: the views and acts of the page and the command line (contract.md, Local API). */
export class LocalApiFlow {
  readonly #options: LocalApiOptions;
  readonly #startedMs: number;

  constructor(options: LocalApiOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now().monotonicMs;
  }

  /** Views are made one by one while they are iterated, so that thousands need not be made in one go. */
  *machines(): Iterable<MachineView> {
    for (const live of this.#options.registry.all()) yield this.#view(live);
  }

  /** Throws `not-found` if the machine is not configured, like all calls here about a machine. */
  machine(machineId: string): MachineView {
    return this.#view(this.#live(machineId));
  }

  /** The newest message; null before the first. */
  lastMessage(machineId: string): MessageView | null {
    const [newest] = messageViews(this.#live(machineId));
    return newest ?? null;
  }

  /** The last 50, the newest first. */
  messages(machineId: string): readonly MessageView[] {
    return messageViews(this.#live(machineId));
  }

  /** The number of messages that ever came. */
  messageCount(machineId: string): number {
    return this.#live(machineId).messages.total;
  }

  /** The messages after the first `total` ones, as far as they are kept. */
  newMessages(machineId: string, total: number): NewMessages {
    const live = this.#live(machineId);
    const count = live.messages.total - total;
    return { total: live.messages.total, messages: count > 0 ? messageViews(live, count).toReversed() : [] };
  }

  /** Its troubles, the likely ones too, the newest first. */
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

  /** Newest first, over all machines or of one. */
  async allDowntimes(machineId: string | null, search: DowntimeSearchOfAll): Promise<readonly DowntimeView[]> {
    const { registry, history } = this.#options;
    const machines = machineId === null ? [...registry.all()] : [this.#live(machineId)];
    return (await history.downtimesOf(machines, search)).map(downtimeView);
  }

  /** Throws `not-found`. */
  async downtimeById(downtimeId: string): Promise<DowntimeView> {
    return downtimeView(await this.#options.downtimes.find(downtimeId));
  }

  /** The reasons of a machine's downtimes of the last 30 days, the most frequent first. */
  reasonCounts(machineId: string): Promise<readonly ReasonCount[]> {
    const since = this.#options.clock.now().wallMs - REASONS_COUNTED_MS;
    return this.#options.store.reasonCounts(this.#live(machineId).machine.machineId, since);
  }

  /** Newest first, machine by machine; throws before the first page if there is no such machine (D-29). */
  exportDowntimes(asked: DowntimeExport): AsyncIterable<readonly DowntimeRow[]> {
    const { registry } = this.#options;
    const machines = asked.machineId === null ? [...registry.all()] : [this.#live(asked.machineId)];
    return exportedDowntimes(machines, asked, this.#options);
  }

  categorizeDowntimes(downtimeIds: readonly string[], category: DowntimeCategory) {
    return this.#edited(this.#options.downtimes.categorize(downtimeIds, category), downtimeIds);
  }

  /** `at` in wall-clock milliseconds. */
  splitDowntime(downtimeId: string, at: number): Promise<readonly DowntimeView[]> {
    return this.#edited(this.#options.downtimes.split(downtimeId, at), [downtimeId]);
  }

  mergeDowntimes(downtimeIds: readonly string[]): Promise<readonly DowntimeView[]> {
    return this.#edited(this.#options.downtimes.merge(downtimeIds), downtimeIds);
  }

  /** Null means the present shift date. */
  async production(machineId: string, shiftDate: string | null): Promise<ProductionView> {
    const { history, shifts, clock } = this.#options;
    const live = this.#live(machineId);
    const date = shiftDate ?? shifts.shiftAt(clock.now().wallMs).shiftDate;
    shifts.shiftsOfDate(date);
    return productionView(date, await history.shifts(live, date));
  }

  /** Null means the present shift date. */
  async hourlyProduction(machineId: string, shiftDate: string | null): Promise<HourlyProduction> {
    const { history, shifts, plan, clock } = this.#options;
    const live = this.#live(machineId);
    const { wallMs } = clock.now();
    const date = shiftDate ?? shifts.shiftAt(wallMs).shiftDate;
    const planned = shifts.shiftsOfDate(date).map(plan);
    const target = live.machine.targetPartsPerShift ?? null;
    return { shiftDate: date, ...hoursOf(planned, await history.quarters(live, date), target, wallMs) };
  }

  /** Oldest first. */
  async overrides(machineId: string, range: TimeRange): Promise<readonly OverrideView[]> {
    const spans = await this.#options.store.overrides(this.#live(machineId).machine.machineId, range);
    return spans.map(({ startedAt, endedAt }) => ({ startedAt: isoTime(startedAt), endedAt: isoTimeOrNull(endedAt) }));
  }

  /** The tracking list with the newest value of each. */
  async variables(machineId: string): Promise<readonly VariableView[]> {
    const { machine } = this.#live(machineId);
    const newest = await this.#options.store.newestPoints(machine.machineId, machine.variables);
    return machine.variables.map((name, place) => variableView(machine, name, newest[place] ?? null));
  }

  /** Every shift with a record, day by day; null means every machine. Throws before the first page like `machine`. */
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

  /** The newest first. */
  async recentParts(machineId: string): Promise<readonly RecentPartView[]> {
    const parts = await this.#options.history.recentParts(this.#live(machineId));
    return parts.map(({ partId, selectedAt, madeAt }) => ({
      partId,
      lastSelectedAt: isoTimeOrNull(selectedAt),
      lastMadeAt: isoTimeOrNull(madeAt),
    }));
  }

  /** Newest first. */
  async workSessions(machineId: string, limit: number): Promise<readonly WorkSessionView[]> {
    return (await this.#options.history.workSessions(this.#live(machineId), limit)).map(workSessionView);
  }

  /** Counters that fell without a restart of the controller, newest first. */
  async anomalies(machineId: string, limit: number): Promise<readonly AnomalyView[]> {
    const found = await this.#options.store.anomalies(this.#live(machineId).machine.machineId, limit);
    return found.map(anomalyView);
  }

  /** Trouble of which a caller may know by kind, each with its subjects newest first, and the condition of the store. */
  *diagnostics(sight: Sight): Iterable<DiagnosticsField> {
    const { incidents, store, clock, version } = this.#options;
    const uptimeSeconds = Math.round((clock.now().monotonicMs - this.#startedMs) / 1_000);
    yield { name: 'gateway', value: { version, uptimeSeconds } };
    yield { name: 'counts', value: Object.fromEntries(incidents.counts(sight)) };
    for (const kind of INCIDENT_KINDS) yield { name: kind, list: incidentViews(incidents.entries(kind, sight)) };
    yield { name: 'storage', value: store.counters() };
  }

  /** Hides a report from the page until the device is heard with something new, or the gateway starts again (D-47). */
  dismiss(dismissal: Dismissal): void {
    if (!this.#options.incidents.dismiss(dismissal)) {
      const subject = foundText(dismissal.subject);
      throw new CodedError('not-found', `subject: found ${subject}, expected one that /diagnostics has of this kind`);
    }
    this.#options.changes.diagnosticsChanged();
  }

  /** The connection to the central server, and the queue for it. */
  get sync(): SyncStatusFlow {
    return this.#options.sync;
  }

  counters(): LiveCounters {
    const { registry, incidents, changes } = this.#options;
    return {
      machines: registry.size,
      deviceInputs: registry.inputs,
      decisionChanges: changes.decisionChanges,
      incidents: incidents.counts(),
    };
  }

  #live(machineId: string): LiveMachine {
    return requireMachine(this.#options.registry, machineId);
  }

  #view(live: LiveMachine): MachineView {
    return machineView(live, this.#options.plant);
  }

  #timesOf(shiftDate: string): TimeRange {
    const shifts = this.#options.shifts.shiftsOfDate(shiftDate);
    return { from: shifts[0]?.startMs ?? 0, to: shifts.at(-1)?.endMs ?? 0 };
  }

  async #edited(edit: Promise<readonly Downtime[]>, downtimeIds: readonly string[]): Promise<readonly DowntimeView[]> {
    const edited = await edit;
    this.#options.changes.downtimesEdited(edited, downtimeIds);
    return edited.map(downtimeView);
  }
}
