import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Directories with their parents, made level by level: with `recursive`, Node tries for ever where the system denies that
 * a parent directory exists (/proc). Tried with Node 24.
 */

/** Gives whether it was made; false: it was there, or another thread or process made it at the same moment. */
export async function makeDirectory(place: string, mode?: number): Promise<boolean> {
  if (await isDirectory(place)) return false;
  if (dirname(place) !== place) await makeDirectory(dirname(place), mode);
  try {
    await mkdir(place, { mode });
    return true;
  } catch (error) {
    if (await isDirectory(place)) return false;
    throw error;
  }
}

/** As `makeDirectory`, for threads that may wait. */
export function makeDirectorySync(place: string, mode?: number): boolean {
  if (isDirectorySync(place)) return false;
  if (dirname(place) !== place) makeDirectorySync(dirname(place), mode);
  try {
    mkdirSync(place, { mode });
    return true;
  } catch (error) {
    if (isDirectorySync(place)) return false;
    throw error;
  }
}

/** False as well if the system does not tell. The attempt to make the directory then fails with the reason. */
function isDirectory(place: string): Promise<boolean> {
  return stat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function isDirectorySync(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    // As above.
    return false;
  }
}
