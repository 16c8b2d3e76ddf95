import type { Downtime } from '../machine/records.ts';
import { LONG_FAULT_MS } from './shift-summary.ts';

/**
 * A line of the log of stops and faults. A fault during a stop is part of the stop's line, so that no time stands there
 * twice; a fault without a stop has its own.
 */
export interface StopLogRow extends Omit<Downtime, 'downtimeId'> {
  /** Null: a fault without a stop. */
  readonly downtimeId: string | null;
  /** The time of it in which the machine reported a fault. */
  readonly faultMs: number;
}

export const LOG_PARTS = ['faults', 'breakdowns', 'uncategorized'] as const;
/** A part of the log: lines with a fault, breakdowns, stops without a reason. */
export type LogPart = (typeof LOG_PARTS)[number];

/** Names are known to the plant alone, so a search brings the machines and reasons that it found by name. */
export interface LogSearch {
  /** In small letters. */
  readonly text: string;
  readonly machineIds: ReadonlySet<string>;
  readonly reasonIds: ReadonlySet<string>;
}

/** The lines that are listed; null: no condition. */
export interface StopLogFilter {
  readonly part: LogPart | null;
  readonly reasonId: string | null;
  readonly search: LogSearch | null;
  readonly breakdownReasons: ReadonlySet<string>;
}

export function isListed(row: StopLogRow, { part, reasonId, search, breakdownReasons }: StopLogFilter): boolean {
  if (reasonId !== null && row.reasonId !== reasonId) return false;
  if (part !== null && !isOfPart(row, part, breakdownReasons)) return false;
  return search === null || isFound(row, search);
}

function isOfPart(
  { downtimeId, faultMs, reasonId }: StopLogRow,
  part: LogPart,
  breakdownReasons: ReadonlySet<string>,
): boolean {
  switch (part) {
    case 'faults':
      return faultMs > 0;
    case 'uncategorized':
      return downtimeId !== null && reasonId === null;
    case 'breakdowns':
      return downtimeId === null ? faultMs >= LONG_FAULT_MS : reasonId !== null && breakdownReasons.has(reasonId);
  }
}

function isFound({ machineId, reasonId, note, userName }: StopLogRow, search: LogSearch): boolean {
  if (search.machineIds.has(machineId) || (reasonId !== null && search.reasonIds.has(reasonId))) return true;
  return [note, userName].some((text) => text?.toLowerCase().includes(search.text) === true);
}
