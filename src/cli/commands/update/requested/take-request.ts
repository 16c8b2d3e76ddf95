import { constants } from 'node:fs';
import { type FileHandle, open, rmdir, unlink } from 'node:fs/promises';
import { errorCode, hasCode } from '../../../../domain/error-code.ts';
import { refused } from '../archive.ts';

/** Follows no link, and does not wait for the writer of a FIFO. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens the archive that the gateway left for root, and takes its name away, so that a request is carried out once.
 * Null if there is no request, or the gateway has taken it back. Rejects with `invalid-input` unless it is a plain file
 * that had no other name: the gateway must not have root read a file that it may not read itself.
 */
export async function takeRequest(file: string): Promise<FileHandle | null> {
  const handle = await openPlain(file);
  if (handle === null) return null;
  try {
    if (await removeName(file)) {
      const stats = await handle.stat();
      if (stats.isFile() && stats.nlink === 0) return handle;
      throw refused('it is no plain file with one name');
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

async function openPlain(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, AS_IT_IS);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    await removeName(file);
    throw hasCode(error, 'ELOOP', 'ENXIO') ? refused('it is no plain file') : error;
  }
}

/** False if the name was gone already. A directory goes as well if it is empty. */
async function removeName(file: string): Promise<boolean> {
  try {
    await unlink(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    if (!hasCode(error, 'EISDIR', 'EPERM')) throw error;
    await rmdir(file);
  }
  return true;
}
