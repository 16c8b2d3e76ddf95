import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { makeDirectorySync } from '../runtime/disk/make-directory.ts';
import { programFile } from '../runtime/program-files.ts';

/** A larger piece costs new pages of memory, which take longer than the reading. */
const PIECE_BYTES = 64 * 1024;

/** The fingerprint of the program's scripts and addon: two versions do not share their files. */
const identity = programFile('identity').toString();

/** The folder of all versions. Throws if neither PKG_NATIVE_CACHE_PATH is set nor the user has a home. */
function versions(): string {
  const { PKG_NATIVE_CACHE_PATH: named } = process.env;
  return path.join(named || path.join(homedir(), '.cache'), 'plantgate');
}

/**
 * Gives the file of a native addon, because the system loads an addon only from a file. It is written if it is missing
 * or damaged; throws if that is not possible.
 */
export function unpackAddon(name: string): string {
  const addon = programFile(name);
  const file = path.join(versions(), identity, name);
  if (!hasContent(file, addon)) writeWhole(file, addon);
  return file;
}

/** Tells whether a file holds exactly these bytes. A file that cannot be read can be written again. */
function hasContent(file: string, bytes: Buffer): boolean {
  let opened: number | null = null;
  try {
    opened = openSync(file, 'r');
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let at = 0; ; ) {
      const length = readSync(opened, piece);
      if (length === 0) return at === bytes.length;
      if (piece.compare(bytes, at, Math.min(at + length, bytes.length), 0, length) !== 0) return false;
      at += length;
    }
  } catch {
    return false;
  } finally {
    if (opened !== null) closeSync(opened);
  }
}

/** Writes a file so that other processes and threads see it whole or not at all. Throws as `fs` does. */
function writeWhole(file: string, bytes: Buffer): void {
  const isNewVersion = makeDirectorySync(path.dirname(file));
  if (isNewVersion) removeOtherVersions();
  const temporary = `${file}.${process.pid}-${threadId}`;
  try {
    writeFileSync(temporary, bytes);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A version that still runs has its addon in memory, and writes its file again when it needs it. */
function removeOtherVersions(): void {
  for (const name of readdirSync(versions())) {
    if (name !== identity) rmSync(path.join(versions(), name), { recursive: true, force: true });
  }
}
