import { closeSync, openSync, readdirSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { makeDirectorySync } from '../runtime/disk/make-directory.ts';
import { programFile } from '../runtime/program-files.ts';

/** The fingerprint of the program's scripts and addon: two versions do not share their files. */
const identity = programFile('identity').toString();

/** The folder of all versions. Throws if neither PKG_NATIVE_CACHE_PATH is set nor the user has a home. */
function versions(): string {
  const { PKG_NATIVE_CACHE_PATH: named } = process.env;
  return path.join(named || path.join(homedir(), '.cache'), 'plantgate');
}

export function cacheFile(name: string): string {
  return path.join(versions(), identity, name);
}

/** Gives a file of the cache; null if it is missing or cannot be read, because it can be made again. */
export function readCacheFile(name: string): Buffer | null {
  try {
    return readFileSync(cacheFile(name));
  } catch {
    return null;
  }
}

/** A larger piece costs new pages of memory, which take longer than the reading. */
const PIECE_BYTES = 64 * 1024;

/** Tells whether a file of the cache holds exactly these bytes. A file that cannot be read can be made again. */
export function holdsInCache(name: string, bytes: Buffer): boolean {
  let file: number | null = null;
  try {
    file = openSync(cacheFile(name), 'r');
    return holds(file, bytes);
  } catch {
    return false;
  } finally {
    if (file !== null) closeSync(file);
  }
}

function holds(file: number, bytes: Buffer): boolean {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let at = 0; ; ) {
    const length = readSync(file, piece);
    if (length === 0) return at === bytes.length;
    if (piece.compare(bytes, at, Math.min(at + length, bytes.length), 0, length) !== 0) return false;
    at += length;
  }
}

/** Writes a file so that other processes and threads see it whole or not at all. Throws as `fs` does. */
export function writeCacheFile(name: string, bytes: Buffer): void {
  const file = cacheFile(name);
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

/** A version that still runs has its addon in memory, and makes its files again when it needs them. */
function removeOtherVersions(): void {
  for (const name of readdirSync(versions())) {
    if (name !== identity) rmSync(path.join(versions(), name), { recursive: true, force: true });
  }
}
