import { existsSync, statSync } from 'node:fs';
import { restoreDatabase } from '../../../adapters/store/backup/restore-backup.ts';
import { settleStopped } from '../../../adapters/store/backup/stopped-data-dir.ts';
import { StoreOpenError } from '../../../adapters/store/store-open-error.ts';
import type { UpdateOutcome } from '../../../domain/update/update-outcome.ts';
import { type DataPlace, dataPlaces } from './data-places.ts';
import { endOutcome } from './requested/outcome-file.ts';
import { servedTrace, type UpdateJournal, writeJournal } from './update-journal.ts';
import type { UpdateParts } from './update-parts.ts';

type Settling = Pick<UpdateParts, 'places' | 'dataDir' | 'disk' | 'now'>;

/** The advice for a person to settle an interrupted update. */
export const SETTLE_ADVICE =
  'run "systemctl stop plantgate", "plantgate.previous update --resume" and "systemctl start plantgate"';

export interface Undone {
  /** The database that the new program left; null if the data did not change. */
  readonly keptFile: string | null;
}

export type Settled = ({ readonly outcome: 'undone' } & Undone) | { readonly outcome: 'confirmed' };

/**
 * Ends an interrupted update while the gateway is stopped. A new program that has served stays, because it may have
 * acknowledged records. Otherwise the previous program comes back, with its data.
 */
export function settleUpdate(journal: UpdateJournal, parts: Settling): Settled {
  if (!newVersionStays(journal, parts)) return { outcome: 'undone', ...undoUpdate(journal, INTERRUPTED, parts) };
  confirmUpdate(journal, parts);
  return { outcome: 'confirmed' };
}

const INTERRUPTED = 'The update was interrupted, as by a power cut.';

function newVersionStays({ step, servedTrace: traceBefore }: UpdateJournal, { places, dataDir }: Settling): boolean {
  switch (step) {
    case 'prepared':
      return false;
    case 'swapping':
    // The undoing may have failed, for example on a full disk. The service was started all the same.
    case 'undoing':
      // If the previous program is in place, it was the one that served.
      return !isSameFile(places.binary, places.previous) && servedTrace(dataDir) !== traceBefore;
    case 'confirmed':
      return true;
  }
}

/** Makes the new program the one that starts from now on. */
export function confirmUpdate(journal: UpdateJournal, parts: Settling): void {
  const { places, dataDir, disk } = parts;
  writeJournal(disk, places.journal, { ...journal, step: 'confirmed' });
  // No gateway served before the update, so the copy is the only backup of the former schema.
  for (const { copy, backup } of dataPlaces(places, dataDir)) {
    if (existsSync(copy) && !existsSync(backup)) disk.move(copy, backup);
  }
  finishUpdate({ result: 'installed', reason: '' }, parts);
}

/**
 * Brings back the previous program, and its data if their schema changed. `reason` is for the page. It may be
 * interrupted and repeated. Throws StoreOpenError `locked` while a gateway runs on data that have to come back.
 */
export function undoUpdate(journal: UpdateJournal, reason: string, parts: Settling): Undone {
  const { places, dataDir, disk, now } = parts;
  if (journal.step === 'swapping') {
    writeJournal(disk, places.journal, { ...journal, step: 'undoing', servedTrace: servedTrace(dataDir) });
  }
  const changed = journal.hasCopy ? dataPlaces(places, dataDir).filter((place) => hasChanged(place, journal)) : [];
  const kept = changed.map((place) => restoreDatabase(place.copy, place.dataDir, now()));
  if (!isSameFile(places.binary, places.previous)) {
    disk.link(places.previous, places.next);
    disk.move(places.next, places.binary);
  }
  finishUpdate({ result: 'rolledBack', reason }, parts);
  return { keptFile: kept[0] ?? null };
}

/** The journal is removed last, because without it nothing would update the outcome on the page. */
function finishUpdate(end: Pick<UpdateOutcome, 'result' | 'reason'>, { places, dataDir, disk, now }: Settling): void {
  const copies = dataPlaces(places, dataDir).map(({ copy }) => copy);
  for (const file of [...copies, places.next]) disk.remove(file);
  endOutcome(places.outcome, { ...end, at: now().toISOString() });
  disk.remove(places.journal);
}

/** All plants had the same schema before. One that the new program made has no copy. */
function hasChanged({ dataDir, copy }: DataPlace, { schema }: UpdateJournal): boolean {
  return existsSync(copy) && presentSchema(dataDir) !== schema;
}

/** Null if there is no database, or none that can be read. */
function presentSchema(dataDir: string): number | null {
  try {
    return settleStopped(dataDir)?.schema ?? null;
  } catch (error) {
    if (error instanceof StoreOpenError && error.refusal === 'disk') return null;
    throw error;
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
