import { readdir } from 'node:fs/promises';
import { errorCode } from '../../domain/error-code.ts';

/** The names in a directory; none if it does not exist. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
