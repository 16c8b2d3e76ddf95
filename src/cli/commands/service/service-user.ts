import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Installation, SERVICE_USER } from './installation.ts';
import { type Step, step } from './place-file.ts';
import { complaintOf } from './system-programs.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user of the service, by its line in `/etc/passwd`; undefined if no such user exists. */
export function findServiceUser({ root, service }: Installation): Owner | undefined {
  const file = path.join(root, 'etc/passwd');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const line = lines.find((text) => text.startsWith(`${service}:`));
  if (line === undefined) return undefined;
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Makes the user of the service, who has no password and no shell. */
export function makeServiceUser(installation: Installation): Step {
  if (findServiceUser(installation) !== undefined) return step('unchanged', `user ${SERVICE_USER}`);
  const words = ['--system', '--user-group', '--no-create-home', '--home-dir', '/var/lib/plantgate'];
  const complaint = complaintOf('useradd', [
    ...['--prefix', installation.root],
    ...words,
    ...['--shell', '/usr/sbin/nologin', SERVICE_USER],
  ]);
  if (complaint === null) return step('done', `user ${SERVICE_USER}`);
  return step('failed', `user ${SERVICE_USER}: ${complaint}`);
}

export function removeServiceUser(installation: Installation): Step {
  const text = `user ${SERVICE_USER} removed`;
  if (findServiceUser(installation) === undefined) return step('unchanged', text);
  const complaint = complaintOf('userdel', ['--prefix', installation.root, SERVICE_USER]);
  return complaint === null ? step('done', text) : step('failed', `user ${SERVICE_USER}: ${complaint}`);
}
