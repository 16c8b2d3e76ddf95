import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { mayMount } from '../this-computer.ts';
import type { Program } from './program.ts';

/** A disk that can be filled up, and given room again, while the program writes to it. */
export interface SmallDisk {
  readonly name: string;
  /** The words before a program so that it finds the disk full. */
  readonly whenFull: readonly string[];
  /** Puts the data directory of a program that is not started yet on this disk. */
  attach(dir: string): void;
  fill(program: Program): void;
  makeRoom(program: Program): void;
  detach(dir: string): void;
}

/** Enough for the database of a small plant. */
const SMALL_MIB = 48;
const CHUNK_BYTES = 65_536;

/** A separate file system, only for root: writing fails with ENOSPC. */
export const smallFileSystem = (sizeMib: number): SmallDisk => ({
  name: 'a file system without room',
  whenFull: [],
  attach: (dir) => {
    mkdirSync(dataDir(dir), { mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=0700`, 'tmpfs', dataDir(dir)]);
  },
  fill: (program) => fillUp(path.join(dataDir(program.dir), 'filler')),
  makeRoom: (program) => rmSync(path.join(dataDir(program.dir), 'filler')),
  detach: (dir) => {
    execFileSync('umount', [dataDir(dir)]);
  },
});

/** For any user: files cannot grow, nor be written beyond their first page; writing fails with EFBIG. */
const limitedFiles: SmallDisk = {
  name: 'files that may not grow',
  whenFull: ['prlimit', '--fsize=4096:'],
  attach: () => undefined,
  fill: (program) => limitFileBytes(program, '4096'),
  makeRoom: (program) => limitFileBytes(program, 'unlimited'),
  detach: () => undefined,
};

/** The small disks that are possible here. */
export function smallDisks(sizeMib = SMALL_MIB): readonly SmallDisk[] {
  return mayMount() ? [limitedFiles, smallFileSystem(sizeMib)] : [limitedFiles];
}

function dataDir(dir: string): string {
  return path.join(dir, 'data');
}

/** Sets only the soft limit, so that it can be lifted again without root. */
export function limitFileBytes({ process }: Program, limit: string): void {
  execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${limit}:`]);
}

function fillUp(file: string): void {
  const filler = openSync(file, 'a');
  try {
    for (let bytes = CHUNK_BYTES; bytes >= 1; ) {
      try {
        writeSync(filler, Buffer.alloc(bytes));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    closeSync(filler);
  }
}
