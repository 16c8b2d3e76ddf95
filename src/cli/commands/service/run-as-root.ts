import { statSync } from 'node:fs';
import { COMMANDS, type Installation } from './installation.ts';
import { findServiceUser } from './service-user.ts';

/**
 * The reason for which root must not run the gateway on a data directory of the service: the service could not read the
 * files that root makes there. Null if root may, as in a container without the service's user.
 */
export function obstacleForRoot(dataDir: string, installation: Installation, uid = process.getuid?.()): string | null {
  if (uid !== 0) return null;
  const { service } = installation;
  const user = findServiceUser(installation);
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (user === undefined || owner !== user.uid) return null;
  return `${dataDir} belongs to the service, which could not read the files that root makes there. Start the service with "systemctl start ${service}", or run it as its user with "runuser -u ${service} -- ${COMMANDS[service]}".`;
}
