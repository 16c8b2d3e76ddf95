import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { errorCode, hasCode } from '../../domain/error-code.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { makeDirectory } from '../../runtime/disk/make-directory.ts';
import { namesIn } from '../../runtime/disk/names-in.ts';

/** A gateway that runs on this machine under the same user. */
export interface RunningGateway {
  readonly pid: number;
  readonly dataDir: string;
  readonly url: string;
  /** ISO 8601. */
  readonly since: string;
}

const OWNER_ONLY_DIRECTORY = 0o700;

/** The directory in which the gateways of a user leave their names; it is removed with the session or the reboot. */
export function runningDir(environment: NodeJS.ProcessEnv): string {
  const { XDG_RUNTIME_DIR: base = '' } = environment;
  // A user of a container may have no entry in /etc/passwd. Windows knows names alone.
  const uid = process.geteuid?.() ?? userInfo().username;
  return path.join(base === '' ? tmpdir() : base, `plantgate-${uid}`);
}

/**
 * Leaves a gateway's name for `plantgate status`. Gives a function that removes it; a name that cannot be left is
 * reported.
 */
export async function registerRunningGateway(
  directory: string,
  gateway: RunningGateway,
  onError: (reason: string) => void,
): Promise<() => Promise<void>> {
  const place = createHash('sha256').update(gateway.dataDir).digest('hex').slice(0, 8);
  const file = path.join(directory, `${gateway.pid}-${place}.json`);
  try {
    await makeDirectory(directory, OWNER_ONLY_DIRECTORY);
    await writeFile(file, JSON.stringify(gateway));
  } catch (error) {
    onError(errorMessage(error));
  }
  return () => rm(file, { force: true });
}

/**
 * The running gateways, the newest first. Entries of gateways that were killed are removed; those that cannot be read are
 * reported.
 */
export async function runningGateways(
  directory: string,
  onError: (reason: string) => void,
): Promise<readonly RunningGateway[]> {
  const names = await namesIn(directory);
  const found = await Promise.all(names.map((name) => readName(path.join(directory, name), onError)));
  return found.filter((gateway) => gateway !== null).sort((one, other) => other.since.localeCompare(one.since));
}

async function readName(file: string, onError: (reason: string) => void): Promise<RunningGateway | null> {
  try {
    const gateway = gatewayOf(JSON.parse(await readFile(file, 'utf8')));
    if (gateway !== null && lives(gateway.pid)) return gateway;
    await rm(file, { force: true });
  } catch (error) {
    // The entry was removed at this moment, or belongs to another user.
    if (!hasCode(error, 'ENOENT', 'EACCES')) onError(`${file}: ${errorMessage(error)}`);
  }
  return null;
}

function gatewayOf(value: unknown): RunningGateway | null {
  const { pid, dataDir, url, since } = Object(value);
  const isWhole = typeof dataDir === 'string' && typeof url === 'string' && typeof since === 'string';
  return Number.isSafeInteger(pid) && pid > 0 && isWhole ? { pid, dataDir, url, since } : null;
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that may not be signalled is alive.
    return errorCode(error) === 'EPERM';
  }
}
