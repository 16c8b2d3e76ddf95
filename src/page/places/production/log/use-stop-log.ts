import type { RemovedDowntime } from '../../../../flows/local-api/local-api-ports.ts';
import type { StopLogView } from '../../../../flows/production/stop-log-view.ts';
import { call } from '../../../api/call.ts';
import { useResource } from '../../../app/use-resource.ts';
import { reasonText } from '../../../plant/plant.ts';
import type { Stop } from '../../../plant/stops.ts';
import { now } from '../../../show/clock.ts';
import { choice } from '../choice.ts';
import { PARTS } from './log-filter.tsx';

const REFRESHED_EVERY_MS = 60_000;

/**
 * The path of the chosen log, and its newest lines; null until they have come. New lines come each minute: a load at every
 * stop of a large plant would be too many.
 */
export function useStopLog(scope: string, limit: number): { readonly path: string; readonly log: StopLogView | null } {
  const { by, find } = choice.value;
  const asked = new URLSearchParams(scope);
  if (!PARTS.some((part) => part === by)) asked.set('reasonId', by);
  else if (by !== '') asked.set('part', by);
  if (find.trim() !== '') asked.set('text', find.trim());
  const path = `/production/log?${asked}`;
  const key = `${path} ${limit} ${Math.floor(now.value / REFRESHED_EVERY_MS)}`;
  const load = () => call<StopLogView>('GET', `${path}&limit=${limit}`);
  const log = useResource(key, load, { follow: { event: 'downtime', change: withStop } });
  return { path, log: log.value };
}

/** A stop that is listed is shown as it is now. */
function withStop(log: StopLogView, changed: unknown): StopLogView {
  const stop = changed as Stop | RemovedDowntime;
  const rows = log.rows.flatMap((row) => {
    if (row.downtimeId !== stop.downtimeId) return [row];
    if ('removed' in stop) return [];
    const { endedAt, reasonId, note, userName } = stop;
    return [{ ...row, endedAt, reasonId, reason: reasonText(reasonId), note, userName }];
  });
  return { ...log, rows };
}
