import type { Downtime } from '../../domain/machine/records.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { Plant } from '../plant/plant.ts';

import type { DowntimeExport, DowntimeRow } from './local-api-ports.ts';
import type { MachineHistory } from './machine-history.ts';

export interface DowntimeSources {
  readonly history: Pick<MachineHistory, 'downtimes'>;
  readonly plant: Pick<Plant, 'downtimeReasons'>;
  readonly shifts: Pick<ShiftCalendar, 'shiftAt' | 'timeText'>;
}

/** The number of downtimes that are in memory at once during an export of any size. */
const PAGE_DOWNTIMES = 200;

/** Pages of downtimes, newest first, machine by machine (D-29). A page is read when the one before it is sent. */
export async function* exportedDowntimes(
  machines: readonly LiveMachine[],
  { uncategorizedOnly, limit: atMost }: Pick<DowntimeExport, 'uncategorizedOnly' | 'limit'>,
  { history, plant, shifts }: DowntimeSources,
): AsyncIterable<readonly DowntimeRow[]> {
  const reasons = new Map(plant.downtimeReasons().map((reason) => [reason.id, reason]));
  let left = atMost ?? Number.POSITIVE_INFINITY;
  for (const live of machines) {
    const { name } = live.machine;
    const row = (downtime: Downtime): DowntimeRow =>
      rowOf(downtime, name, reasons.get(downtime.reasonId ?? ''), shifts);
    let behind: Downtime | null = null;
    do {
      const limit = Math.min(PAGE_DOWNTIMES, left);
      const page: readonly Downtime[] = await history.downtimes(live, { uncategorizedOnly, limit, behind });
      yield page.map(row);
      left -= page.length;
      behind = page.length < limit ? null : (page.at(-1) ?? null);
    } while (behind !== null && left > 0);
    if (left === 0) return;
  }
}

function rowOf(
  { downtimeId, machineId, startedAt, endedAt, reasonId, note, userName }: Downtime,
  machineName: string,
  reason: { readonly reason: string; readonly group: string } | undefined,
  { shiftAt, timeText }: DowntimeSources['shifts'],
): DowntimeRow {
  const { shiftDate, shiftName } = shiftAt(startedAt);
  return {
    downtimeId,
    machineId,
    machineName,
    startedAt: timeText(startedAt),
    endedAt: endedAt === null ? null : timeText(endedAt),
    durationSeconds: endedAt === null ? null : Math.round(endedAt - startedAt) / 1_000,
    reasonId,
    reason: reason?.reason ?? null,
    group: reason?.group ?? null,
    note,
    userName,
    shiftDate,
    shift: shiftName,
  };
}
