import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Gives the tests a folder of their own for temporary files, and removes it with all that they left. */
export function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-test-'));
  // Some tests run the program as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
