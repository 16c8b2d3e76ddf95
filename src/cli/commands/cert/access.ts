import { chmod, chown } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../../runtime/disk/make-directory.ts';
import { installationIn } from '../service/installation.ts';
import { findServiceUser } from '../service/service-user.ts';

export const DIRECTORY_MODE = 0o750;
const PARENT_MODE = 0o755;
const OWNER_ONLY = 0o600;

/** The modes are set, because a strict umask would make what the service cannot read. */
const MODES = { directory: DIRECTORY_MODE, certificate: 0o644, key: 0o640 } as const;

/** Makes the missing directories above a place. Everybody may enter them. */
export async function makeParents(place: string): Promise<void> {
  const parent = path.dirname(place);
  if (parent === place) return;
  await makeParents(parent);
  if (await makeDirectory(parent)) await chmod(parent, PARENT_MODE);
}

/** Lets the group of the service read a place. A key has this mode only with that group. */
export async function letServiceRead(place: string, kind: keyof typeof MODES): Promise<void> {
  const user = process.getuid?.() === 0 ? findServiceUser(installationIn('/')) : undefined;
  if (user !== undefined) await chown(place, 0, user.gid);
  await chmod(place, kind === 'key' && user === undefined ? OWNER_ONLY : MODES[kind]);
}

/** The key of the authority: who has it can make certificates that browsers trust. */
export async function keepForRoot(place: string): Promise<void> {
  await chmod(place, OWNER_ONLY);
}
