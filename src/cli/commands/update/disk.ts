import { constants, copyFileSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';

/** The file operations of an update. Each is on disk when the call returns, so a power cut undoes no finished one. */
export interface Disk {
  /** The file always has the whole old text or the whole new one. */
  write(file: string, text: string): void;
  move(from: string, to: string): void;
  /** Gives the file a second name; a file that had that name before loses it. */
  link(from: string, to: string): void;
  copy(from: string, to: string): void;
  remove(file: string): void;
}

const OWNER_ONLY = 0o600;

export const realDisk: Disk = {
  write: (file, text) => {
    makeDirectorySync(path.dirname(file), 0o700);
    const fresh = `${file}.new`;
    writeFileSync(fresh, text, { mode: OWNER_ONLY });
    syncFile(fresh);
    realDisk.move(fresh, file);
  },
  move: (from, to) => {
    renameSync(from, to);
    syncFile(path.dirname(to));
  },
  link: (from, to) => {
    rmSync(to, { force: true });
    linkSync(from, to);
    syncFile(path.dirname(to));
  },
  copy: (from, to) => {
    // If the file system supports it, the copy shares the blocks of the original and takes no time.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    syncFile(to);
    syncFile(path.dirname(to));
  },
  remove: (file) => {
    rmSync(file, { force: true });
    syncFile(path.dirname(file));
  },
};
