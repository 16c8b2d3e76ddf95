import type { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { readCacheFile, writeCacheFile } from './cache-files.ts';

/** The checksum and a gap: V8 copies code whose place in memory is no multiple of 8, which takes 15 ms. */
const HEADER_BYTES = 8;

const fileOf = (script: string) => `${script}.compiled`;

/**
 * Code that V8 compiled in an earlier start: compiling takes 0.2 s of a start. V8 checks that the code suits its version
 * and its flags, but not that it is whole, so each file begins with a checksum.
 */
export class CompiledCode {
  readonly #uncompiled = new Map<string, Script>();

  /** Gives the compiled code of a script. Gives undefined if the file is missing or damaged. */
  read(name: string): Buffer | undefined {
    const file = readCacheFile(fileOf(name));
    if (file === null || file.length <= HEADER_BYTES) return undefined;
    const code = file.subarray(HEADER_BYTES);
    return crc32(code) === file.readUInt32LE() ? code : undefined;
  }

  /** Remembers a script that had no compiled code. */
  add(name: string, script: Script): void {
    this.#uncompiled.set(name, script);
  }

  /** Writes the code of the remembered scripts, with each function that was used until now. Takes 50 ms. */
  keep(): void {
    try {
      for (const [name, script] of this.#uncompiled) writeCacheFile(fileOf(name), checked(script.createCachedData()));
    } catch {
      // Each start compiles then. `doctor` names the directory that cannot be written.
    }
    this.#uncompiled.clear();
  }
}

function checked(code: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(crc32(code));
  return Buffer.concat([header, code]);
}
