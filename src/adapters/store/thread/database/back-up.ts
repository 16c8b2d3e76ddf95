import type { Connection } from './connection.ts';
import { createPrivateFile } from './connection.ts';

/** Pages copied in one go: the commits that wait have their turn after some two milliseconds. */
const PAGES_AT_ONCE = 500;

/**
 * Copies the database into a file, some pages at a time. What is committed meanwhile is in the copy too, for it is
 * written by the same connection. Rejects with SqliteError where the disk does.
 */
export async function backUp(connection: Connection, file: string): Promise<void> {
  createPrivateFile(file);
  await connection.backup(file, { progress: () => PAGES_AT_ONCE });
}
