import { enableCompileCache, flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/** The variable with pkg's directory for the addon, which the unit file sets to the service's cache directory. */
const CACHE_DIRECTORY = 'PKG_NATIVE_CACHE_PATH';

/**
 * Lets V8 keep the code that it compiled beside the addon, for this thread and those that it starts: compiling takes
 * 0.2 s of a start. If the directory cannot be written, each start compiles. NODE_COMPILE_CACHE names another
 * directory.
 */
export function useCompileCache(): void {
  const { NODE_COMPILE_CACHE, [CACHE_DIRECTORY]: beside } = process.env;
  if (NODE_COMPILE_CACHE !== undefined) return;
  const directory = path.join(beside ?? path.join(homedir(), '.cache'), 'plantgate-compiled');
  enableCompileCache(directory);
  // Threads take it from the environment.
  process.env.NODE_COMPILE_CACHE = directory;
}

/**
 * Writes the code that this thread compiled, because a killed process would not write it. Without new code it does
 * nothing.
 */
export function keepCompiledCode(): void {
  flushCompileCache();
}
