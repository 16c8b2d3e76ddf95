import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { type Installation, SERVICE_USER } from '../service/installation.ts';
import { findServiceUser } from '../service/service-user.ts';
import { nearestDir } from './check-data-dir.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'service access';

/** The right to a place: the bit of its mode, and its name. */
const READ = { bit: 4, name: 'read' } as const;
const WRITE = { bit: 2, name: 'written' } as const;
const ENTER = { bit: 1, name: 'entered' } as const;
type Right = typeof READ | typeof WRITE | typeof ENTER;

interface User {
  readonly uid: number;
  readonly gids: readonly number[];
}

/**
 * Whether the service's user may read the files of the configuration and write the backups. Root may read and write
 * everything, so the other checks do not show this. No finding if the service's user does not exist, or reads another
 * configuration than `configFile`.
 */
export async function checkServiceAccess(
  { plant, http, mqtt, storage }: Config,
  configFile: string | null,
  installation: Installation,
): Promise<readonly Finding[]> {
  const user = serviceUser(installation);
  if (user === null || configFile !== installation.config) return [];
  const named = [configFile, plant, http.tls?.cert, http.tls?.key, mqtt.tls?.cert, mqtt.tls?.key, mqtt.tls?.ca];
  const files = named.filter((file) => file !== undefined);
  const rights: [string, Right][] = files.flatMap((file) => [
    [path.dirname(file), ENTER],
    [file, READ],
  ]);
  const backups = storage.backups?.directory;
  if (backups !== undefined) rights.push([await nearestDir(backups), WRITE]);
  const findings = await Promise.all(rights.map(([place, right]) => accessFinding(user, place, right)));
  const byText = new Map(findings.flatMap((one) => (one === null ? [] : [[one.found, one]])));
  return byText.size > 0 ? [...byText.values()] : [ok(CHECK, `${SERVICE_USER} may read its files`)];
}

/** Reads the service's user and its groups from `/etc/passwd` and `/etc/group`. Gives null if the user does not exist. */
function serviceUser(installation: Installation): User | null {
  const user = findServiceUser(installation);
  if (user === undefined) return null;
  const file = path.join(installation.root, 'etc/group');
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
    : [];
  const others = lines.filter(([, , , members = '']) => members.split(',').includes(SERVICE_USER));
  return { uid: user.uid, gids: [user.gid, ...others.map(([, , gid]) => Number(gid))] };
}

async function accessFinding(user: User, place: string, right: Right): Promise<Finding | null> {
  const stats = await statOrNull(place);
  if (stats === null || may(user, stats, right)) return null;
  const remedy =
    right === WRITE
      ? `Make storage.backups.directory for the service: "install -d -m 0700 -o ${SERVICE_USER} -g ${SERVICE_USER} …".`
      : `Unless an access list or a group in the unit file permits it: "chgrp ${SERVICE_USER} ${place}", "chmod g+rX ${place}".`;
  return warning(CHECK, `by its mode ${place} may not be ${right.name} by the user ${SERVICE_USER}`, remedy);
}

/** The rule of the kernel, without access lists: the owner's bits, else those of a group, else those of others. */
function may(
  user: User,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
  { bit }: Right,
): boolean {
  if (uid === user.uid) return ((mode >> 6) & bit) !== 0;
  if (user.gids.includes(gid)) return ((mode >> 3) & bit) !== 0;
  return (mode & bit) !== 0;
}
