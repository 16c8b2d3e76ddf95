import type { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { readCacheFile, writeCacheFile } from './cache-files.ts';

const CHECKSUM_BYTES = 4;

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
    if (file === null || file.length <= CHECKSUM_BYTES) return undefined;
    const code = file.subarray(CHECKSUM_BYTES);
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
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(code));
  return Buffer.concat([checksum, code]);
}
