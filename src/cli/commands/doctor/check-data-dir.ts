import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { MIB } from '../../../domain/byte-units.ts';
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
