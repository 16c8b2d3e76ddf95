import path from 'node:path';

/** esbuild sets it in the bundled program, in which each thread has its own file beside the program's. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

/**
 * The worker threads, and the file that each starts from. A thread loads only its own part of the program: the whole
 * would take 30 MB more.
 */
export const THREADS = {
  'store-thread': 'adapters/store/thread/run-store-thread.ts',
  'watch-thread': 'adapters/system/watch/run-watch-thread.ts',
  'drawing-thread': 'adapters/drawing/run-drawing-thread.ts',
  'verify-thread': 'adapters/store/backup/run-verify-thread.ts',
  'plant-file-thread': 'config/plant-file/run-plant-file-thread.ts',
  'discovery-thread': 'adapters/discovery/run-discovery-thread.ts',
  'support-thread': 'cli/commands/support/run-support-thread.ts',
  'update-thread': 'cli/commands/update/run-update-thread.ts',
} as const;

export function threadEntry(name: keyof typeof THREADS): string {
  const file = typeof PLANTGATE_BUNDLED === 'undefined' ? THREADS[name] : `${name}.cjs`;
  return path.join(import.meta.dirname, file);
}
