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

/** Writes beside the file that was set aside what was lost, for later starts. A note that cannot be written is a loss too. */
export function noteSetAside(setAside: SetAsideDatabase): SetAsideDatabase {
  try {
    writeFileSync(`${setAside.file}${NOTE}`, JSON.stringify(setAside), { mode: FILE_MODE });
    return setAside;
  } catch (error) {
    const loss = { table: null, reason: `later starts cannot say it: ${errorText(error)}` };
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

/** Any text is accepted: a note that is damaged as well still says that there is one. */
function contentOf(value: unknown): Omit<SetAsideDatabase, 'file'> {
  const isNote = typeof value === 'object' && value !== null && 'at' in value && 'losses' in value;
  if (!isNote || !Array.isArray(value.losses)) return UNREADABLE;
  return { at: typeof value.at === 'string' ? value.at : null, losses: value.losses.filter(isLoss) };
}

function isLoss(value: unknown): value is TableLoss {
  if (typeof value !== 'object' || value === null || !('table' in value) || !('reason' in value)) return false;
  return (value.table === null || typeof value.table === 'string') && typeof value.reason === 'string';
}
