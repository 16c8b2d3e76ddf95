import { type StatsFs, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { MIB } from '../../domain/byte-units.ts';
import { CodedError } from '../../domain/error.ts';

/** The space that stays free for all other data on the disk. */
const SPARE_BYTES = 64 * MIB;

/** Rejects with `store-unavailable` if the disk of a directory has no room for this number of bytes of `purpose`. */
export async function requireRoom(
  dir: string,
  bytes: number,
  purpose: string,
  spareBytes = SPARE_BYTES,
): Promise<void> {
  judgeRoom(await statfs(dir), dir, bytes + spareBytes, purpose);
}

/** As `requireRoom`, for threads that may wait. */
export function requireRoomSync(dir: string, bytes: number, purpose: string): void {
  judgeRoom(statfsSync(dir), dir, bytes + SPARE_BYTES, purpose);
}

function judgeRoom({ bavail, bsize }: StatsFs, dir: string, neededBytes: number, purpose: string): void {
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const found = `${Math.floor(freeBytes / MIB)} MiB are free`;
  throw new CodedError(
    'store-unavailable',
    `${dir} needs ${Math.ceil(neededBytes / MIB)} MiB for ${purpose}, and ${found}: make room there`,
  );
}
