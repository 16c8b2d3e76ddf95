import path from 'node:path';
import { isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { programFile } from './program-files.ts';

/** The first script of the single binary and of its threads (src/single-binary/load-program.ts). */
const LOADER = 'load-program.cjs';

/** Starts a worker thread from its file (src/threads.ts), which the single binary holds among its files. */
export function startThread(threadEntry: URL | string, options: WorkerOptions = {}): Worker {
  if (!isSea()) return new Worker(threadEntry, options);
  const argv = [path.basename(String(threadEntry))];
  return new Worker(programFile(LOADER).toString('latin1'), { ...options, eval: true, argv });
}
