import { programFile } from '../runtime/program-files.ts';
import { cacheFile, holdsInCache, writeCacheFile } from './cache-files.ts';

/**
 * Gives the file of a native addon, because the system loads an addon only from a file. It is written if it is missing
 * or damaged; throws if that is not possible.
 */
export function unpackAddon(name: string): string {
  const addon = programFile(name);
  if (!holdsInCache(name, addon)) writeCacheFile(name, addon);
  return cacheFile(name);
}
