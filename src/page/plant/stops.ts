import { computed, signal } from '@preact/signals';
import { DAY_MS } from '../../domain/time.ts';
import type { DowntimeView, RemovedDowntime } from '../../flows/local-api/local-api-ports.ts';
import { call, type Outcome } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { now } from '../show/clock.ts';
import { resource } from './resource.ts';

export type Stop = DowntimeView;

const RECENT_MS = DAY_MS;

/** The most stops that the gateway lists at once. */
const LISTED = 1_000;

/** Stops without a reason by id, over all machines; null until loaded. */
const waiting = signal<ReadonlyMap<string, Stop> | null>(null);

/** The stops without a reason, oldest first. */
export const waitingStops = computed<readonly Stop[] | null>(() =>
  waiting.value === null
    ? null
    : [...waiting.value.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt)),
);

/** Stops of the last 24 hours over all machines, newest first; null until loaded, and while no place shows them. */
export const recentStops = signal<readonly Stop[] | null>(null);

const waitingList = resource<readonly Stop[], Stop | RemovedDowntime>({
  ask: () => call('GET', `/downtimes?uncategorized=true&limit=${LISTED}`),
  show: (stops) => {
    waiting.value = new Map(stops.map((stop) => [stop.downtimeId, stop]));
  },
  change: showWaiting,
});

const recentList = resource<readonly Stop[], Stop | RemovedDowntime>({
  ask: () => {
    const from = new Date(now.value - RECENT_MS).toISOString();
    return call('GET', `/downtimes?from=${from}&limit=${LISTED}`);
  },
  show: (stops) => {
    recentStops.value = stops;
  },
  change: showRecent,
  isRepeated: false,
});

export const loadStops = waitingList.load;

/** Loads the stops of the last 24 hours, which follow the events from then on. */
export const loadRecentStops = recentList.load;

export function followStops(mayLoad: () => boolean): void {
  onEvent('downtime', (data) => {
    const stop = data as Stop | RemovedDowntime;
    waitingList.note(stop);
    recentList.note(stop);
  });
  onEvent('reset', () => mayLoad() && loadStops());
}

export function leaveRecentStops(): void {
  recentStops.value = null;
}

/** The number of times that each reason was given on this machine lately. */
export async function reasonCounts(machineId: string): Promise<ReadonlyMap<string, number>> {
  const path = `/machines/${encodeURIComponent(machineId)}/reasonCounts`;
  const outcome = await call<readonly { readonly reasonId: string; readonly count: number }[]>('GET', path);
  return new Map(outcome.kind === 'done' ? outcome.value.map(({ reasonId, count }) => [reasonId, count]) : []);
}

/** Gives stops their reason; null takes the reason back. `userName`: the person who gave it; null: the one signed in. */
export function categorize(
  stops: readonly Stop[],
  reasonId: string | null,
  note: string | null = null,
  userName: string | null = null,
): Promise<Outcome<readonly Stop[]>> {
  const downtimeIds = stops.map(({ downtimeId }) => downtimeId);
  return noted(call('POST', '/downtimes/category', { downtimeIds, reasonId, note, userName }));
}

export function splitStop({ downtimeId }: Stop, atMs: number): Promise<Outcome<readonly Stop[]>> {
  const path = `/downtimes/${encodeURIComponent(downtimeId)}/split`;
  return noted(call('POST', path, { at: new Date(atMs).toISOString() }));
}

/** The stop that was taken away leaves the lists by its event. */
export function mergeStops(stops: readonly Stop[]): Promise<Outcome<Stop>> {
  return call('POST', '/downtimes/merge', { downtimeIds: stops.map(({ downtimeId }) => downtimeId) });
}

/** Shows the result of an act in both lists without waiting for its event. */
async function noted(act: Promise<Outcome<readonly Stop[]>>): Promise<Outcome<readonly Stop[]>> {
  await Promise.all([waitingList.noteAct(act), recentList.noteAct(act)]);
  return act;
}

function showWaiting(stop: Stop | RemovedDowntime): void {
  if (waiting.value === null) return;
  const next = new Map(waiting.value);
  if ('removed' in stop || stop.reasonId !== null) next.delete(stop.downtimeId);
  else next.set(stop.downtimeId, stop);
  waiting.value = next;
}

function showRecent(stop: Stop | RemovedDowntime): void {
  if (recentStops.value === null) return;
  const others = recentStops.value.filter(({ downtimeId }) => downtimeId !== stop.downtimeId);
  recentStops.value = ('removed' in stop ? others : [...others, stop])
    .filter(isRecent)
    .sort((one, other) => other.startedAt.localeCompare(one.startedAt))
    .slice(0, LISTED);
}

function isRecent({ endedAt }: Stop): boolean {
  return endedAt === null || Date.parse(endedAt) > now.value - RECENT_MS;
}
