import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

const OWNER_ONLY = 0o600;

/**
 * Writes a file that only its owner may read. Readers see the old or the new content, even after a crash in between.
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
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
