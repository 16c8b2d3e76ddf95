import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SetAsideDatabase, TableLoss } from '../../../../flows/store-health-ports.ts';
import { readableJson } from './damaged-records.ts';
import { errorText } from './disk-fault.ts';

const NOTE = '.lost.json';
const FILE_MODE = 0o600;
const UNREADABLE = { at: null, losses: [{ table: null, reason: 'the note of it cannot be read' }] };

/** Where a damaged database is put: beside its old place, with the time in its name. */
export function setAsidePath(path: string, now: Date): string {
  return `${path}.damaged-${now.toISOString().replaceAll(':', '-')}`;
}

/**
 * Writes a note of the losses beside the file that was set aside, so that later starts can read it. Gives the note; if
 * it cannot be written, that is one more loss in it.
 */
export function noteSetAside(setAside: SetAsideDatabase): SetAsideDatabase {
  try {
    writeFileSync(`${setAside.file}${NOTE}`, JSON.stringify(setAside), { mode: FILE_MODE });
    return setAside;
  } catch (error) {
    const loss = { table: null, reason: `this note could not be written for later starts: ${errorText(error)}` };
    return { ...setAside, losses: [...setAside.losses, loss] };
  }
}

/** The newest database beside `path` that was set aside and still lies there; null: none. */
export function setAsideBefore(path: string): SetAsideDatabase | null {
  const notes = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(`${basename(path)}.damaged-`) && name.endsWith(NOTE),
  );
  for (const name of notes.sort().reverse()) {
    const note = join(dirname(path), name);
    const file = note.slice(0, -NOTE.length);
    if (existsSync(file)) return { file, ...contentOf(readableJson(readFileSync(note, 'utf8'))) };
  }
  return null;
}

/** Accepts any text: even a damaged note shows that a database was set aside. */
function contentOf(value: unknown): Omit<SetAsideDatabase, 'file'> {
  const isNote = typeof value === 'object' && value !== null && 'at' in value && 'losses' in value;
  if (!isNote || !Array.isArray(value.losses)) return UNREADABLE;
  return { at: typeof value.at === 'string' ? value.at : null, losses: value.losses.filter(isLoss) };
}

function isLoss(value: unknown): value is TableLoss {
  if (typeof value !== 'object' || value === null || !('table' in value) || !('reason' in value)) return false;
  return (value.table === null || typeof value.table === 'string') && typeof value.reason === 'string';
}
