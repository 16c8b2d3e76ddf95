import { chmodSync, chownSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

interface Access {
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
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
  writeFileSync(fresh, bytes, { mode: access.mode, flag: 'wx' });
  permit(fresh, access);
  syncFile(fresh);
  renameSync(fresh, file);
  syncFile(path.dirname(file));
  return step('done', file);
}

/** Makes a directory, and sets its owner and mode. */
export function placeDir(dir: string, access: Access): Step {
  const isNew = makeDirectorySync(dir);
  permit(dir, access);
  return step(isNew ? 'done' : 'unchanged', dir);
}

/** Removes a file, or a directory with all its content. */
export function removePlace(place: string): Step {
  const isThere = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  rmSync(place, { recursive: true, force: true });
  return isThere ? step('done', `${place} removed`) : step('unchanged', `${place} was not there`);
}

function permit(place: string, { mode, owner }: Access): void {
  if (owner !== undefined) chownSync(place, owner.uid, owner.gid);
  chmodSync(place, mode);
}
