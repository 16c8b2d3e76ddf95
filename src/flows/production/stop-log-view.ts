import type { LogPart, StopLogFilter } from '../../domain/production/stop-log.ts';
import type { PlannedShift } from '../../domain/shift/work-plan.ts';
import { isoTime } from '../../domain/time.ts';
import type { StopLogPage } from './production-ports.ts';
import type { RowNames } from './production-views.ts';

/** The lines that are wanted; null: no condition. */
export interface LogQuestion {
  readonly part: LogPart | null;
  readonly reasonId: string | null;
  /** Looked for in notes and names. */
  readonly text: string | null;
}

/** The log of stops and faults: the sums of all lines that were found, and the newest of them. */
export interface StopLogView {
  readonly shiftNames: readonly string[];
  readonly total: { readonly count: number; readonly seconds: number; readonly faultSeconds: number };
  readonly rows: readonly LogLineView[];
}

/** A stop, or a fault without one, with the shift in which it began and the part that was on the machine. */
export type LogLineView = ReturnType<typeof logLineView>;

interface LogNames extends RowNames {
  readonly shifts: readonly PlannedShift[];
  readonly nowAt: number;
}

/** The lines of a page, the newest first. */
export function logLines(
  { rows }: StopLogPage,
  names: LogNames,
  timeText: (wallMs: number) => string = isoTime,
): readonly LogLineView[] {
  return rows.map((row) => logLineView(row, names, timeText));
}

export function logTotal({ count, totalMs, faultMs }: StopLogPage): StopLogView['total'] {
  return { count, seconds: wholeSeconds(totalMs), faultSeconds: wholeSeconds(faultMs) };
}

/** The machines and reasons whose names have the text. Notes and people are searched where they are stored. */
export function searchOf(text: string | null, names: RowNames, reasonIds: readonly string[]): StopLogFilter['search'] {
  const small = text?.trim().toLowerCase() ?? '';
  if (small === '') return null;
  const has = (name: string | null | undefined) => name?.toLowerCase().includes(small) === true;
  return {
    text: small,
    machineIds: new Set(names.machineIds.filter((id) => has(id) || has(names.machine(id)))),
    reasonIds: new Set(
      reasonIds.filter((id) => has(id) || has(names.reason(id)?.reason) || has(names.reason(id)?.group)),
    ),
  };
}

function logLineView(
  row: StopLogPage['rows'][number],
  { machine, reason, shifts, nowAt }: LogNames,
  timeText: (wallMs: number) => string,
) {
  const { machineId, startedAt, endedAt, reasonId } = row;
  const { reason: text = null, group = null } = (reasonId === null ? null : reason(reasonId)) ?? {};
  const shift = shifts.find(({ startMs, endMs }) => startedAt >= startMs && startedAt < endMs);
  return {
    downtimeId: row.downtimeId,
    machineId,
    machineName: machine(machineId),
    startedAt: timeText(startedAt),
    endedAt: endedAt === null ? null : timeText(endedAt),
    seconds: wholeSeconds((endedAt ?? nowAt) - startedAt),
    faultSeconds: wholeSeconds(row.faultMs),
    reasonId,
    reason: text,
    group,
    note: row.note,
    userName: row.userName,
    partId: row.partId,
    shiftDate: shift?.shiftDate ?? null,
    shift: shift?.shiftName ?? null,
  };
}

function wholeSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}
