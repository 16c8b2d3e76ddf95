import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whether this process may mount a file system, as root in most containers may. */
export function mayMount(): boolean {
  const place = mkdtempSync(path.join(tmpdir(), 'plantgate-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]).status === 0;
  if (mounted) execFileSync('umount', [place]);
  rmSync(place, { recursive: true });
  return mounted;
}
