import { computed, signal } from '@preact/signals';
import type { DowntimeView } from '../../flows/local-api/local-api-ports.ts';
import { call, type Outcome } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { machines } from './machines.ts';

export type Stop = DowntimeView;

/** Stops without a reason by id, over all machines; null until loaded. */
const waiting = signal<ReadonlyMap<string, Stop> | null>(null);

/** The same, oldest first. */
export const waitingStops = computed<readonly Stop[] | null>(() =>
  waiting.value === null
    ? null
    : [...waiting.value.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt)),
);

export function followStops(): void {
  onEvent('downtime', (data) => noteStop(data as Stop | { readonly downtimeId: string; readonly removed: true }));
  onEvent('reset', () => void loadStops());
}

/** Asks each machine that has stops without a reason. */
export async function loadStops(): Promise<void> {
  const stopped = [...(machines.value?.values() ?? [])].filter(
    ({ uncategorizedDowntimes }) => uncategorizedDowntimes > 0,
  );
  const lists = await Promise.all(
    stopped.map(({ machineId }) =>
      call<readonly Stop[]>('GET', `/machines/${encodeURIComponent(machineId)}/downtimes?uncategorized=true`),
    ),
  );
  const stops = lists.flatMap((outcome) => (outcome.kind === 'done' ? outcome.value : []));
  waiting.value = new Map(stops.map((stop) => [stop.downtimeId, stop]));
}

/** Gives a stop its reason; null takes the reason back. */
export async function categorize(stop: Stop, reasonId: string | null): Promise<Outcome<Stop>> {
  const path = `/downtimes/${encodeURIComponent(stop.downtimeId)}/category`;
  const outcome = await call<Stop>('PUT', path, { reasonId });
  if (outcome.kind === 'done') noteStop(outcome.value);
  return outcome;
}

function noteStop(stop: Stop | { readonly downtimeId: string; readonly removed: true }): void {
  if (waiting.value === null) return;
  const next = new Map(waiting.value);
  if ('removed' in stop || stop.reasonId !== null) next.delete(stop.downtimeId);
  else next.set(stop.downtimeId, stop);
  waiting.value = next;
}
