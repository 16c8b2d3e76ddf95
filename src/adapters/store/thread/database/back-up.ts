import type { Connection } from './connection.ts';
import { createPrivateFile } from './connection.ts';

/** Pages copied in one go, in about two milliseconds; then waiting commits have their turn. */
const PAGES_AT_ONCE = 500;

/**
 * Copies the database into a file, some pages at a time. Commits made meanwhile are in the copy too, because the same
 * connection writes them. Rejects with SqliteError if the disk fails.
 */
export async function backUp(connection: Connection, file: string): Promise<void> {
  createPrivateFile(file);
  await connection.backup(file, { progress: () => PAGES_AT_ONCE });
}
