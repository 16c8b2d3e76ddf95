import { dirname } from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { type Installation, SERVICE_USER } from '../service/installation.ts';
import { findServiceUser, type Owner } from '../service/service-user.ts';
import { type Finding, fault, ok } from './finding.ts';

const CHECK = 'service access';
const [READ, WRITE, ENTER] = [4, 2, 1];

/**
 * Whether the service's user may read the files of the configuration and write the backups. Root, who may do everything,
 * would not notice. No finding if the service's user does not exist.
 */
export async function checkServiceAccess(
  { plant, http, mqtt, storage }: Config,
  installation: Installation,
): Promise<readonly Finding[]> {
  const user = findServiceUser(installation);
  if (user === undefined) return [];
  const named = [
    installation.config,
    plant,
    http.tls?.cert,
    http.tls?.key,
    mqtt.tls?.cert,
    mqtt.tls?.key,
    mqtt.tls?.ca,
  ];
  const files = named.filter((file) => file?.startsWith(`${installation.configDir}/`)).map(String);
  const places = [
    ...files.map((file) => [dirname(file), ENTER, 'entered'] as const),
    ...files.map((file) => [file, READ, 'read'] as const),
    ...[storage.backups?.directory ?? []].flat().map((directory) => [directory, WRITE, 'written'] as const),
  ];
  const faults = await Promise.all(places.map(([place, bit, act]) => accessFault(user, place, bit, act)));
  const found = new Map(faults.flatMap((one) => (one === null ? [] : [[one.found, one]])));
  return found.size > 0 ? [...found.values()] : [ok(CHECK, `${SERVICE_USER} may read its files`)];
}

async function accessFault(user: Owner, place: string, bit: number, act: string): Promise<Finding | null> {
  const stats = await statOrNull(place);
  if (stats === null || may(user, stats, bit)) return null;
  const remedy =
    bit === WRITE
      ? `Give it to the service: "chown ${SERVICE_USER}:${SERVICE_USER} ${place}".`
      : `Give it to the service's group: "chown root:${SERVICE_USER} ${place}" and "chmod g+rX ${place}".`;
  return fault(CHECK, `${place} may not be ${act} by the user ${SERVICE_USER}`, remedy);
}

/** The rule of the kernel, without lists of access rights: the owner's bits, else the group's, else those of others. */
function may(user: Owner, { uid, gid, mode }: Owner & { readonly mode: number }, bit: number): boolean {
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & bit) !== 0;
}
