import { existsSync } from 'node:fs';
import { openLock } from '../../../adapters/store/thread/database/connection.ts';
import { diskFault } from '../../../adapters/store/thread/database/disk-fault.ts';
import { CodedError } from '../../../domain/error.ts';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import { SETTLE } from './settle-update.ts';
import type { UpdatePlaces } from './update-places.ts';

/** Lets only one update run at a time. Rejects with `held` while another one runs. */
export async function alone({ stateDir, lock: file }: UpdatePlaces, act: () => Promise<number>): Promise<number> {
  makeDirectorySync(stateDir, 0o700);
  const lock = lockUpdates(file);
  try {
    return await act();
  } finally {
    lock.close();
  }
}

/** Throws `held` if an update was interrupted and is not settled yet. For the holder of the lock. */
export function refuseInterrupted({ journal }: UpdatePlaces): void {
  if (!existsSync(journal)) return;
  throw new CodedError('held', `an earlier update is unfinished: ${SETTLE}`);
}

/**
 * Throws `held` while an update is under way or was interrupted. The update would overwrite a program that was
 * installed meanwhile.
 */
export function refuseDuringUpdate(places: UpdatePlaces): void {
  if (!existsSync(places.journal)) return;
  lockUpdates(places.lock).close();
  refuseInterrupted(places);
}

function lockUpdates(file: string) {
  try {
    return openLock(file);
  } catch (error) {
    if (diskFault(error) !== 'busy') throw error;
    throw new CodedError('held', 'another update is under way: wait until it has ended');
  }
}
