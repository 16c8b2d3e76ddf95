import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openLock } from '../../../adapters/store/thread/database/connection.ts';
import { diskFault } from '../../../adapters/store/thread/database/disk-fault.ts';
import { loadSqliteAddon } from '../../../adapters/store/thread/database/sqlite-addon.ts';
import { CodedError } from '../../../domain/error.ts';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import { SETTLE_ADVICE } from './settle-update.ts';
import type { UpdatePlaces } from './update-places.ts';

/**
 * Lets only one program change the installation at a time: an update, `install` or `uninstall`. Rejects with `held`
 * while another one does.
 */
export async function withUpdateLock(
  { stateDir, lock: file }: UpdatePlaces,
  act: () => Promise<number> | number,
): Promise<number> {
  // If the single binary cannot unpack SQLite, this call says what to do.
  loadSqliteAddon();
  // All users may enter the directories above.
  makeDirectorySync(path.dirname(stateDir));
  const isNew = makeDirectorySync(stateDir, 0o700);
  const lock = openUpdateLock(file);
  try {
    return await act();
  } finally {
    // A directory that was made for the lock alone goes again, so that an image stays as it was.
    if (isNew && holdsOnly(stateDir, file)) rmSync(stateDir, { recursive: true });
    lock.close();
  }
}

/** Throws `held` if an update was interrupted and is not settled yet. For the holder of the lock. */
export function refuseInterrupted({ journal }: UpdatePlaces): void {
  if (!existsSync(journal)) return;
  throw new CodedError('held', `an earlier update is unfinished: ${SETTLE_ADVICE}`);
}

function openUpdateLock(file: string) {
  try {
    return openLock(file);
  } catch (error) {
    if (diskFault(error) !== 'busy') throw error;
    throw new CodedError('held', 'an update, "install" or "uninstall" is under way: wait until it has ended');
  }
}

/** SQLite may have a journal beside the lock. `uninstall --purge` has removed the directory. */
function holdsOnly(dir: string, lock: string): boolean {
  return existsSync(dir) && readdirSync(dir).every((name) => name.startsWith(path.basename(lock)));
}
