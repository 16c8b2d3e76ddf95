import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';

/** The result of a step: done, nothing to change, not possible on this computer, or tried in vain. */
export interface Step {
  readonly outcome: 'done' | 'unchanged' | 'skipped' | 'failed';
  readonly text: string;
}

export function step(outcome: Step['outcome'], text: string): Step {
  return { outcome, text };
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Access {
  readonly mode: number;
  readonly owner?: Owner | undefined;
}

/**
 * Puts a file in its place, as a whole or not at all. It is on the disk when the call returns. A program that runs from
 * the old file keeps that file.
 */
export function placeFile(file: string, content: string | Buffer, access: Access): Step {
  const bytes = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(bytes)) return step('unchanged', file);
  makeDirectorySync(path.dirname(file));
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, bytes, { mode: access.mode, flag: 'wx' });
    permit(fresh, access);
    syncFile(fresh);
    renameSync(fresh, file);
  } catch (error) {
    // A part of a program would keep the last bytes of a full disk, which the gateway needs.
    rmSync(fresh, { force: true });
    throw error;
  }
  syncFile(path.dirname(file));
  return step('done', file);
}

/** Makes a directory, and sets its owner and mode. */
export function placeDir(dir: string, access: Access): Step {
  const isNew = makeDirectorySync(dir);
  permit(dir, access);
  return step(isNew ? 'done' : 'unchanged', dir);
}

/**
 * Makes a directory of the service. If another user owns it, as after the system was installed anew, all that it holds
 * goes to the owner as well: systemd does the same, but no more once the directory itself has the right owner.
 */
export function placeOwnDir(dir: string, { mode, owner }: Access): Step {
  if (owner === undefined || !existsSync(dir) || statSync(dir).uid === owner.uid) return placeDir(dir, { mode, owner });
  for (const name of readdirSync(dir)) giveWithContent(path.join(dir, name), owner);
  permit(dir, { mode, owner });
  return step('done', `${dir}, with all that it holds, belongs to the service's user now`);
}

/** Follows no symbolic link, unlike the recursive `readdir`: the former owner may have made it. */
function giveWithContent(place: string, owner: Owner): void {
  if (lstatSync(place).isDirectory())
    for (const name of readdirSync(place)) giveWithContent(path.join(place, name), owner);
  lchownSync(place, owner.uid, owner.gid);
}

/** Lets the service read a file that was there before its user. */
export function letServiceRead(file: string, access: Access, user: { readonly uid: number } | undefined): Step {
  if (user === undefined || mayRead(statSync(file), { uid: user.uid, gid: access.owner?.gid })) {
    return step('unchanged', file);
  }
  permit(file, access);
  return step('done', `${file} can be read by the service now`);
}

function mayRead(file: Stats, user: { readonly uid: number; readonly gid: number | undefined }): boolean {
  if (file.uid === user.uid) return (file.mode & 0o400) !== 0;
  return (file.mode & (file.gid === user.gid ? 0o040 : 0o004)) !== 0;
}

/** Removes a file, or a directory with all its content. A directory that is a mount point stays, and is empty. */
export function removePlace(place: string): Step {
  const isThere = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  try {
    rmSync(place, { recursive: true, force: true });
  } catch (error) {
    // Node gives no code for a directory that is busy.
    if (!isMountPoint(place) || readdirSync(place).length > 0) throw error;
    return step('done', `${place} emptied; it is a mount point`);
  }
  return isThere ? step('done', `${place} removed`) : step('unchanged', `${place} was not there`);
}

function permit(place: string, { mode, owner }: Access): void {
  if (owner !== undefined) chownSync(place, owner.uid, owner.gid);
  chmodSync(place, mode);
}

function isMountPoint(place: string): boolean {
  return statSync(place).dev !== statSync(path.dirname(place)).dev;
}
