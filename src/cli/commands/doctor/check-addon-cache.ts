import { open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { statOrNull } from '../../../config/read-file.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { isWritable, nearestDir } from './check-data-dir.ts';
import { type Finding, fault, ok } from './finding.ts';

const CHECK = 'addon cache';
/** The directory that the unit file sets. */
const SERVICE_CACHE_DIR = '/var/cache/plantgate';
/** The fields of a line of mountinfo. */
const MOUNT_ID = 0;
const MOUNT_OPTIONS = 5;

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
  return (await allowsPrograms(dir)) ? ok(CHECK, dir) : fault(CHECK, `${dir} allows no program to be executed`, remedy);
}

async function namedOrOfService({ PKG_NATIVE_CACHE_PATH: named }: Readonly<NodeJS.ProcessEnv>): Promise<string | null> {
  if (named !== undefined && named !== '') return named;
  return (await statOrNull(SERVICE_CACHE_DIR)) === null ? null : SERVICE_CACHE_DIR;
}

/**
 * Asks the kernel for `noexec`, because it does not show in the mode. No program is tried: the service's user owns the
 * directory and could replace the program before root runs it.
 */
async function allowsPrograms(dir: string): Promise<boolean> {
  const handle = await open(dir);
  try {
    const seen = await readFile(`/proc/self/fdinfo/${handle.fd}`, 'utf8');
    return !isNoexecMount(seen, await readFile('/proc/self/mountinfo', 'utf8'));
  } finally {
    await handle.close();
  }
}

/** Whether the mount of an open file forbids programs. The texts are those of its fdinfo and of mountinfo, see proc(5). */
export function isNoexecMount(fdInfo: string, mountInfo: string): boolean {
  const [, id] = /^mnt_id:\s*(\d+)$/m.exec(fdInfo) ?? [];
  const mount = mountInfo.split('\n').find((line) => line.split(' ')[MOUNT_ID] === id);
  return mount?.split(' ')[MOUNT_OPTIONS]?.split(',').includes('noexec') ?? false;
}
