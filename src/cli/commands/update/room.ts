import { statfsSync } from 'node:fs';
import { CodedError } from '../../../domain/error.ts';

const MIB = 1_048_576;
/** The space that stays free for all other data on the disk. */
const SPARE_BYTES = 64 * MIB;

/** Throws `store-unavailable` if the disk of a directory has no room for this number of bytes. */
export function requireRoom(dir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dir);
  const needed = bytes + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  const found = `${Math.floor((bavail * bsize) / MIB)} MiB are free`;
  throw new CodedError('store-unavailable', `${dir} needs ${Math.ceil(needed / MIB)} MiB for the update, and ${found}`);
}
