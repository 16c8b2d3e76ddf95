import { isEmpty } from '../../domain/machine/counters/counters.ts';
import { currentShift, sessionRecord, shiftRecord } from '../../domain/machine/machine-state.ts';
import type { Downtime, ProductionQuarter, ShiftRecord, Span, WorkSession } from '../../domain/machine/records.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { Clock } from '../ports.ts';
import type { DowntimeFilter, DowntimeSearch, Store, TimeRange } from '../store-ports.ts';

/** Work sessions that are looked through for the parts in them. */
const LOOKED_AT = 200;
const RECENT_PARTS = 12;

/** When a machine was set to a part last, and when it last worked on it; null: not known. One of them is. */
export interface RecentPart {
  readonly partId: string;
  readonly selectedAt: number | null;
  readonly madeAt: number | null;
}

function newest({ selectedAt, madeAt }: RecentPart): number {
  return Math.max(selectedAt ?? 0, madeAt ?? 0);
}

export interface MachineHistoryOptions {
  readonly registry: MachineRegistry;
  readonly store: Pick<
    Store,
    'shifts' | 'quarters' | 'spans' | 'downtimes' | 'downtimesOf' | 'workSessions' | 'selectedParts'
  >;
  readonly clock: Clock;
}

/** The history of a machine: the store's records, completed from memory. */
export class MachineHistory {
  readonly #options: MachineHistoryOptions;

  constructor(options: MachineHistoryOptions) {
    this.#options = options;
  }

  /** Totals of a production day, the present shift up to this moment. Earlier shifts without any are left out. */
  async shifts(live: LiveMachine, shiftDate: string): Promise<readonly ShiftRecord[]> {
    const stored = await this.#options.store.shifts(live.machine.machineId, shiftDate);
    this.#options.registry.apply(live, { type: 'clock' }, this.#options.clock.now(), 'all');
    const { state } = live;
    const earlier = state.earlierShifts.map((tally) => shiftRecord(state, tally));
    const over = [...stored, ...earlier].filter(({ totals }) => !isEmpty(totals));
    const ofDate = [...over, currentShift(state)].filter((shift) => shift.shiftDate === shiftDate);
    return [...new Map(ofDate.map((shift) => [shift.shiftName, shift])).values()];
  }

  /** Production by the quarter of an hour. Counts that the store has not seen yet belong to the present one. */
  async quarters(live: LiveMachine, shiftDate: string): Promise<readonly ProductionQuarter[]> {
    const { store, clock } = this.#options;
    const { machineId } = live.machine;
    const [stored, quarters] = await Promise.all([
      store.shifts(machineId, shiftDate),
      store.quarters(machineId, shiftDate),
    ]);
    const shift = currentShift(live.state);
    if (shift.shiftDate !== shiftDate) return quarters;
    // Under a recount the totals are only those that the store has not seen (D-04).
    const isWhole = live.state.recount === null;
    const seen = isWhole ? stored.find(({ shiftName }) => shiftName === shift.shiftName)?.totals : undefined;
    const { goodParts, badParts } = shift.totals;
    const since = { goodParts: goodParts - (seen?.goodParts ?? 0), badParts: badParts - (seen?.badParts ?? 0) };
    return [...quarters, { shiftName: shift.shiftName, startsAt: clock.now().wallMs, ...since }];
  }

  async spans(live: LiveMachine, range: TimeRange): Promise<readonly Span[]> {
    const stored = await this.#options.store.spans(live.machine.machineId, range);
    const { span } = live.state;
    if (span === null || span.startedAt > range.to || (span.endedAt ?? range.to) < range.from) return stored;
    return [...stored.filter(({ spanId }) => spanId !== span.spanId), span];
  }

  /** The newest first, the latest up to this moment. */
  async workSessions(live: LiveMachine, limit: number): Promise<readonly WorkSession[]> {
    this.#options.registry.apply(live, { type: 'clock' }, this.#options.clock.now(), 'all');
    const stored = await this.#options.store.workSessions(live.machine.machineId, limit);
    const { session, sessionActive } = live.state;
    if (session === null) return stored;
    const latest = sessionRecord(session, sessionActive);
    return [latest, ...stored.filter(({ sessionId }) => sessionId !== latest.sessionId)].slice(0, limit);
  }

  /** The parts that it made, or was set to, lately: the newest first. */
  async recentParts(live: LiveMachine): Promise<readonly RecentPart[]> {
    const [sessions, selected] = await Promise.all([
      this.workSessions(live, LOOKED_AT),
      this.#options.store.selectedParts(live.machine.machineId),
    ]);
    const parts = new Map<string, RecentPart>();
    for (const { partId, selectedAt } of selected) parts.set(partId, { partId, selectedAt, madeAt: null });
    for (const { partId, lastActiveAt } of sessions) {
      if (partId === null || (parts.get(partId)?.madeAt ?? null) !== null) continue;
      parts.set(partId, { partId, selectedAt: parts.get(partId)?.selectedAt ?? null, madeAt: lastActiveAt });
    }
    return [...parts.values()].sort((one, other) => newest(other) - newest(one)).slice(0, RECENT_PARTS);
  }

  async downtimes(live: LiveMachine, filter: DowntimeFilter): Promise<readonly Downtime[]> {
    const { uncategorizedOnly, limit, behind = null } = filter;
    const stored = await this.#options.store.downtimes(live.machine.machineId, filter);
    const latest = live.state.downtime;
    if (latest === null || behind !== null || (uncategorizedOnly && latest.reasonId !== null)) return stored;
    const others = stored.filter(({ downtimeId }) => downtimeId !== latest.downtimeId);
    return [latest, ...others].sort((one, other) => other.startedAt - one.startedAt).slice(0, limit);
  }

  /** Downtimes of several machines, newest first. */
  async downtimesOf(
    machines: readonly LiveMachine[],
    search: Omit<DowntimeSearch, 'machineIds'>,
  ): Promise<readonly Downtime[]> {
    const machineIds = machines.map(({ machine }) => machine.machineId);
    const stored = await this.#options.store.downtimesOf({ machineIds, ...search });
    const latest = machines.flatMap(({ state }) => (state.downtime === null ? [] : [state.downtime]));
    const found = new Map(stored.map((downtime) => [downtime.downtimeId, downtime]));
    for (const downtime of latest) found.delete(downtime.downtimeId);
    for (const downtime of latest) if (isFound(downtime, search)) found.set(downtime.downtimeId, downtime);
    return [...found.values()].sort((one, other) => other.startedAt - one.startedAt).slice(0, search.limit);
  }
}

function isFound(
  { reasonId, startedAt, endedAt }: Downtime,
  { uncategorizedOnly, range }: Omit<DowntimeSearch, 'machineIds'>,
): boolean {
  if (uncategorizedOnly && reasonId !== null) return false;
  return range === null || (startedAt < range.to && (endedAt === null || endedAt > range.from));
}
