import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';

/**
 * Files that root writes for the owner of a data directory. The owner may have put a link in their place: it is removed,
 * not followed.
 */

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const OWNER_ONLY = 0o600;

/** Writes a new file with mode 0600, whole on the disk. */
export function writeFor(dataDir: string, file: string, text: string): void {
  rmSync(file, { force: true });
  finish(dataDir, openSync(file, 'wx', OWNER_ONLY), text);
}

/** Copies a file of any mode to a new one with mode 0600, whole on the disk. */
export function copyFor(dataDir: string, from: string, file: string): void {
  rmSync(file, { force: true });
  copyFileSync(from, file, constants.COPYFILE_EXCL);
  finish(dataDir, openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW));
}

function finish(dataDir: string, handle: number, text = ''): void {
  const { uid, gid } = statSync(dataDir);
  try {
    if (text !== '') writeFileSync(handle, text);
    fchmodSync(handle, OWNER_ONLY);
    if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
