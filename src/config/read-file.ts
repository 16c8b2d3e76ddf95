import { closeSync, openSync, readSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from '../domain/error-code.ts';

/** The bytes of a file, at most one more than `maxBytes`; null if the file does not exist. Other errors are Node's own. */
export function readFileBounded(file: string, maxBytes: number): Uint8Array | null {
  const handle = openIfThere(file);
  if (handle === null) return null;
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      count = readSync(handle, buffer, length, buffer.length - length, null);
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

function openIfThere(file: string): number | null {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The properties of a file or directory; null if it does not exist. Other errors are Node's own. */
export async function statOrNull(file: string): Promise<Stats | null> {
  try {
    return await stat(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
}
