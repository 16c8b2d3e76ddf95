import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Directories with their parents, made level by level: with `recursive`, Node tries for ever where the system denies that
 * a parent directory exists (/proc). Tried with Node 24.
 */

/** Gives whether it was made; false: it was there. */
export async function makeDirectory(place: string, mode: number): Promise<boolean> {
  if (await isDirectory(place)) return false;
  if (dirname(place) !== place) await makeDirectory(dirname(place), mode);
  await mkdir(place, { mode });
  return true;
}

/** As `makeDirectory`, for threads that may wait. */
export function makeDirectorySync(place: string, mode: number): void {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(place) !== place) makeDirectorySync(dirname(place), mode);
  mkdirSync(place, { mode });
}

/** False as well if the system does not tell. The attempt to make the directory then fails with the reason. */
function isDirectory(place: string): Promise<boolean> {
  return stat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
