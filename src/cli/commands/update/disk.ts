import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** The file operations of an update. Each is on disk when the call returns, so a power cut undoes no finished one. */
export interface Disk {
  /** Under its name the file has the old text or the new one, whole. */
  write(file: string, text: string): void;
  move(from: string, to: string): void;
  /** A second name of the same file; what had that name before loses it. */
  link(from: string, to: string): void;
  copy(from: string, to: string): void;
  remove(file: string): void;
}

const OWNER_ONLY = 0o600;

export const realDisk: Disk = {
  write: (file, text) => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.new`;
    writeFileSync(fresh, text, { mode: OWNER_ONLY });
    sync(fresh);
    realDisk.move(fresh, file);
  },
  move: (from, to) => {
    renameSync(from, to);
    sync(path.dirname(to));
  },
  link: (from, to) => {
    rmSync(to, { force: true });
    linkSync(from, to);
    sync(path.dirname(to));
  },
  copy: (from, to) => {
    // Where the file system can, the copy shares the blocks of the original and takes no time.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    sync(to);
    sync(path.dirname(to));
  },
  remove: (file) => {
    rmSync(file, { force: true });
    sync(path.dirname(file));
  },
};

function sync(place: string): void {
  const handle = openSync(place, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
