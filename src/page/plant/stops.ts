import { computed, signal } from '@preact/signals';
import type { DowntimeView, RemovedDowntime } from '../../flows/local-api/local-api-ports.ts';
import { call, type Outcome } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { replayChanges } from './replay-changes.ts';

export type Stop = DowntimeView;

/** Stops without a reason by id, over all machines; null until loaded. */
const waiting = signal<ReadonlyMap<string, Stop> | null>(null);

/** The same, oldest first. */
export const waitingStops = computed<readonly Stop[] | null>(() =>
  waiting.value === null
    ? null
    : [...waiting.value.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt)),
);

export function followStops(mayLoad: () => boolean): void {
  onEvent('downtime', (data) => changes.note(data as Stop | RemovedDowntime));
  onEvent('reset', () => mayLoad() && void loadStops());
}

const changes = replayChanges(showStop);

export function loadStops(): Promise<Outcome<readonly Stop[]>> {
  return changes.load(async () => {
    const outcome = await call<readonly Stop[]>('GET', '/downtimes?uncategorized=true&limit=1000');
    if (outcome.kind === 'done') waiting.value = new Map(outcome.value.map((stop) => [stop.downtimeId, stop]));
    return outcome;
  });
}

/** The number of times that each reason was given on this machine lately. */
export async function reasonCounts(machineId: string): Promise<ReadonlyMap<string, number>> {
  const path = `/machines/${encodeURIComponent(machineId)}/reasonCounts`;
  const outcome = await call<readonly { readonly reasonId: string; readonly count: number }[]>('GET', path);
  return new Map(outcome.kind === 'done' ? outcome.value.map(({ reasonId, count }) => [reasonId, count]) : []);
}

/** Gives stops their reason; null takes the reason back. */
export function categorize(
  stops: readonly Stop[],
  reasonId: string | null,
  note: string | null = null,
): Promise<Outcome<readonly Stop[]>> {
  const downtimeIds = stops.map(({ downtimeId }) => downtimeId);
  return noted(call('POST', '/downtimes/category', { downtimeIds, reasonId, note }));
}

/** The stops of all machines since then, newest first. */
export function readStops(fromMs: number): Promise<Outcome<readonly Stop[]>> {
  return call('GET', `/downtimes?from=${new Date(fromMs).toISOString()}&limit=1000`);
}

export function splitStop({ downtimeId }: Stop, atMs: number): Promise<Outcome<readonly Stop[]>> {
  const path = `/downtimes/${encodeURIComponent(downtimeId)}/split`;
  return noted(call('POST', path, { at: new Date(atMs).toISOString() }));
}

/** The stop that was taken away leaves the lists by its event. */
export function mergeStops(stops: readonly Stop[]): Promise<Outcome<Stop>> {
  return call('POST', '/downtimes/merge', { downtimeIds: stops.map(({ downtimeId }) => downtimeId) });
}

/** Shows what an act gave, without waiting for its event. */
async function noted(act: Promise<Outcome<readonly Stop[]>>): Promise<Outcome<readonly Stop[]>> {
  const outcome = await act;
  if (outcome.kind === 'done') outcome.value.forEach(changes.note);
  return outcome;
}

function showStop(stop: Stop | RemovedDowntime): void {
  if (waiting.value === null) return;
  const next = new Map(waiting.value);
  if ('removed' in stop || stop.reasonId !== null) next.delete(stop.downtimeId);
  else next.set(stop.downtimeId, stop);
  waiting.value = next;
}
