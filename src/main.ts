import path from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';
import { EXIT } from './cli/command-io.ts';
import { errorStack } from './domain/error-text.ts';

/** esbuild sets it in the single binary, where the files of the threads lie beside this one. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

function threadEntry(folder: string, name: string): URL | string {
  if (typeof PLANTGATE_BUNDLED !== 'undefined') return path.join(import.meta.dirname, `${name}.cjs`);
  return new URL(`./adapters/${folder}/${name}.ts`, import.meta.url);
}

const threadEntries = {
  storeThreadEntry: threadEntry('store/thread', 'store-thread'),
  watchThreadEntry: threadEntry('system', 'watch-thread'),
};

/** A fault that nobody foresaw ends the process: the service starts it again, with everything acknowledged on disk. */
function die(error: unknown): void {
  const text = errorStack(error);
  process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: 'internal fault', error: text })}\n`);
  process.exit(EXIT.internal);
}

// Each thread loads its own part of the program alone: the main thread's part takes tens of megabytes.
if (isMainThread) {
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  // The reader of the output has left, as `head` does.
  process.stdout.on('error', () => process.exit(EXIT.inputOutput));
  import('./cli/main-thread.ts')
    .then(({ runMainThread }) => runMainThread(threadEntries))
    .then((code) => process.exit(code), die);
} else if (workerData?.role === 'drawing') {
  import('./adapters/drawing/drawing-thread.ts').then(({ runDrawingThread }) => runDrawingThread()).catch(die);
} else if (workerData?.role === 'verifyBackup') {
  // Faults go to the thread that started this one.
  void import('./adapters/store/backup/verify-thread.ts').then(({ runVerifyThread }) => runVerifyThread());
} else if (workerData?.role === 'plantFile') {
  // Faults go to the thread that started this one.
  void import('./config/plant-file/plant-file-thread.ts').then(({ runPlantFileThread }) => runPlantFileThread());
}
