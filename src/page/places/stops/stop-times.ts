import { MINUTE_MS } from '../../../domain/time.ts';
import { machineName } from '../../plant/machines.ts';
import type { Stop } from '../../plant/stops.ts';
import { timeOfDay, timeOrDate, timeToTheSecond } from '../../show/format.ts';
import { words } from '../../words/words.ts';

/** `02:38 to 02:51`; to the second if it is over within a minute: several of those would read alike. */
export function stopTimes({ startedAt, endedAt }: Stop): string {
  const { since, fromTo } = words.value.stops;
  if (endedAt === null) return since(timeOrDate(startedAt));
  const isShort = Date.parse(endedAt) - Date.parse(startedAt) < MINUTE_MS;
  const [from, to] = isShort
    ? [timeToTheSecond(startedAt), timeToTheSecond(endedAt)]
    : [timeOrDate(startedAt), timeOfDay(endedAt)];
  return fromTo(from, to);
}

/** `Trim line 1, 02:38 to 02:51`. */
export function stopName(stop: Stop): string {
  return `${machineName(stop.machineId)}, ${stopTimes(stop)}`;
}
