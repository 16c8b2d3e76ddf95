import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { statOrNull } from '../../../config/read-file.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { isWritable, nearestDir } from './check-data-dir.ts';
import { type Finding, fault, ok } from './finding.ts';

const CHECK = 'addon cache';
/** The directory that the unit file sets. */
const SERVICE_CACHE_DIR = '/var/cache/plantgate';

/** The directory that the single binary unpacks SQLite to must be writable, and programs in it must be allowed to run. */
export async function checkAddonCache(environment: Readonly<NodeJS.ProcessEnv>): Promise<Finding> {
  const remedy = 'Set PKG_NATIVE_CACHE_PATH to a directory that can be written and allows programs to be executed.';
  let dir: string;
  try {
    dir = (await namedOrOfService(environment)) ?? join(homedir(), '.cache');
  } catch (error) {
    return fault(CHECK, `no directory is found: ${errorMessage(error)}`, remedy);
  }
  const nearest = await nearestDir(dir);
  if (!(await isWritable(nearest))) return fault(CHECK, `${nearest} may not be written`, remedy);
  if (nearest !== dir) return ok(CHECK, `${dir} does not exist yet and will be made`);
  return (await runsPrograms(dir)) ? ok(CHECK, dir) : fault(CHECK, `${dir} allows no program to be executed`, remedy);
}

async function namedOrOfService({ PKG_NATIVE_CACHE_PATH: named }: Readonly<NodeJS.ProcessEnv>): Promise<string | null> {
  if (named !== undefined && named !== '') return named;
  return (await statOrNull(SERVICE_CACHE_DIR)) === null ? null : SERVICE_CACHE_DIR;
}

/** Runs a program there, because a mount with `noexec` does not show in the mode. */
async function runsPrograms(dir: string): Promise<boolean> {
  const own = await mkdtemp(join(dir, 'plantgate-doctor-'));
  try {
    const program = join(own, 'try');
    await writeFile(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    return await promisify(execFile)(program).then(
      () => true,
      // ENOENT: a container has no shell. Other programs may still run there.
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
