import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFileAsync } from '../../runtime/disk/sync-file.ts';

const OWNER_ONLY = 0o600;

/**
 * Writes a file that only its owner may read. Readers see the old or the new content, even after a crash in between. The
 * new content is on the disk when the call has ended.
 */
export async function writeOwnerOnly(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(fresh, 'wx', OWNER_ONLY);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
    // The main thread calls it, and may not wait for the disk.
    await syncFileAsync(dirname(file));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
