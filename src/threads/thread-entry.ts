import path from 'node:path';

/** esbuild sets it in the bundled program, in which each thread has its own file beside the program's. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

export type ThreadName =
  | 'store-thread'
  | 'watch-thread'
  | 'drawing-thread'
  | 'verify-thread'
  | 'plant-file-thread'
  | 'discovery-thread'
  | 'support-thread'
  | 'update-thread';

/**
 * The file that a worker thread starts from. A thread loads only its own part of the program: the whole would take 30
 * MB more.
 */
export function threadEntry(name: ThreadName): string {
  const extension = typeof PLANTGATE_BUNDLED === 'undefined' ? 'ts' : 'cjs';
  return path.join(import.meta.dirname, `${name}.${extension}`);
}
