import { constants } from 'node:fs';
import { access, open, readFile, stat, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import path, { dirname, join } from 'node:path';
import { listBackups } from '../../../adapters/store/backup/backup-files.ts';
import { DATABASE_FILE } from '../../../adapters/store/thread/database/database-files.ts';
import { longestPauseMs } from '../../../adapters/system/timetable.ts';
import type { Config } from '../../../config/config-schema.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { cronOf, newestBackup } from '../../../domain/backup/backup-times.ts';
import { MIB } from '../../../domain/byte-units.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { ServiceName } from '../service/installation.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Less free space than this is soon used up. */
const LOW_SPACE_BYTES = 1_024 * MIB;
const NO_SPACE_BYTES = 64 * MIB;

/** Checks that the data directory exists, is ours, closed to others, writable and has room. */
export async function checkDataDir({ dataDir }: Config): Promise<readonly Finding[]> {
  const stats = await statOrNull(dataDir);
  if (stats === null) return [await checkNewDir(dataDir)];
  if (!stats.isDirectory()) {
    return [fault('dataDir', `${dataDir} is no directory`, 'Move the file away, or set dataDir to a directory.')];
  }
  return [ownerFinding(dataDir, stats.uid), modeFinding(dataDir, stats.mode), await spaceFinding(dataDir)];
}

async function checkNewDir(dataDir: string): Promise<Finding> {
  const parent = await nearestDir(dirname(dataDir));
  if (await isWritable(parent)) return ok('dataDir', `${dataDir} does not exist yet and will be made`);
  const remedy = `Make it for the user of the gateway: "install -d -m 0700 -o plantgate -g plantgate ${dataDir}".`;
  return fault('dataDir', `${dataDir} does not exist, and ${parent} may not be written`, remedy);
}

/** The directory itself, or the nearest one above it that exists. */
export async function nearestDir(dir: string): Promise<string> {
  if (dirname(dir) === dir || (await statOrNull(dir)) !== null) return dir;
  return nearestDir(dirname(dir));
}

export async function isWritable(dir: string): Promise<boolean> {
  return access(dir, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function ownerFinding(dataDir: string, owner: number): Finding {
  const own = process.getuid?.() ?? owner;
  if (own === owner || own === 0) return ok('dataDir owner', `user ${owner}`);
  const remedy = `Run this as root, or give the directory to this user: "chown -R ${own} ${dataDir}".`;
  return fault('dataDir owner', `user ${owner}, and this is user ${own}`, remedy);
}

function modeFinding(dataDir: string, mode: number): Finding {
  const bits = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o077) !== 0) {
    return warning('dataDir mode', `${bits}: others may look into it`, `Close it with "chmod 0700 ${dataDir}".`);
  }
  if ((mode & 0o700) === 0o700) return ok('dataDir mode', bits);
  return fault('dataDir mode', `${bits}: its owner may not write it`, `Open it with "chmod 0700 ${dataDir}".`);
}

async function spaceFinding(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  const found = `${Math.floor(freeBytes / MIB)} MiB free`;
  const remedy = 'Make room on this disk, or lower storage.maxQueueBytes and the days that are kept.';
  if (freeBytes < NO_SPACE_BYTES) return fault('disk space', found, remedy);
  return freeBytes < LOW_SPACE_BYTES ? warning('disk space', found, remedy) : ok('disk space', found);
}

const CACHE_CHECK = 'addon cache';
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
    return fault(CACHE_CHECK, `no directory is found: ${errorMessage(error)}`, remedy);
  }
  const nearest = await nearestDir(dir);
  if (!(await isWritable(nearest))) return fault(CACHE_CHECK, `${nearest} may not be written`, remedy);
  if (nearest !== dir) return ok(CACHE_CHECK, `${dir} does not exist yet and will be made`);
  return (await allowsPrograms(dir))
    ? ok(CACHE_CHECK, dir)
    : fault(CACHE_CHECK, `${dir} allows no program to be executed`, remedy);
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

const BACKUP_CHECK = 'backups';
/** A missed backup is taken within an hour, so one more day without one is no accident. */
const GRACE_MS = DAY_MS;
const whyNoBackup = (service: ServiceName) =>
  `One is taken within an hour of the start. Later: "journalctl -u ${service} | grep backup" has the reason.`;

/** The scheduled backups: their directory, and the age of the newest. */
export async function checkBackups({ dataDir, storage }: Config, now: Date, service: ServiceName): Promise<Finding> {
  const { directory, at } = storage.backups ?? {};
  if (directory === undefined || at === undefined) {
    return warning(BACKUP_CHECK, 'none is taken by itself', 'Set storage.backups.directory, best on another disk.');
  }
  const nearest = await nearestDir(directory);
  if (!(await isWritable(nearest))) {
    const remedy = `Make it for the service: "install -d -m 0700 -o ${service} -g ${service} ${directory}", and permit it by "systemctl edit ${service}" with the lines [Service] and ReadWritePaths=-${directory}, then restart it.`;
    return fault(BACKUP_CHECK, `${nearest} may not be written`, remedy);
  }
  const backups = nearest === directory ? await listBackups(directory) : [];
  const maxAgeMs = longestPauseMs(cronOf(at)) + GRACE_MS;
  const newest = newestBackup(backups, now.getTime());
  const place = (await isOnOneDisk(nearest, dataDir)) ? `${directory}, on the disk of the data` : directory;
  if (newest === undefined) {
    const found =
      backups.length === 0
        ? `none was taken yet in ${place}`
        : `each in ${place} has a later time than now, so a clock was wrong`;
    return (await isOlderThan(maxAgeMs, dataDir, now))
      ? warning(BACKUP_CHECK, found, whyNoBackup(service))
      : ok(BACKUP_CHECK, found);
  }
  const found = `the newest in ${place} is of ${newest.takenAt}`;
  if (now.getTime() - Date.parse(newest.takenAt) <= maxAgeMs) return ok(BACKUP_CHECK, found);
  return warning(BACKUP_CHECK, found, whyNoBackup(service));
}

/** Whether the gateway has been here for this long. Some file systems give no time of birth. */
async function isOlderThan(ageMs: number, dataDir: string, now: Date): Promise<boolean> {
  const stats = await statOrNull(path.join(dataDir, DATABASE_FILE));
  return stats !== null && stats.birthtimeMs > 0 && now.getTime() - stats.birthtimeMs > ageMs;
}

async function isOnOneDisk(directory: string, dataDir: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(directory), stat(await nearestDir(dataDir))]);
  return one.dev === other.dev;
}
