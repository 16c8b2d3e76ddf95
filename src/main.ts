import { hostname } from 'node:os';
import { isMainThread, workerData } from 'node:worker_threads';
import { CommanderError } from 'commander';
import { type CommandIo, EXIT } from './cli/command-io.ts';
import { createProgram } from './cli/program.ts';

/** esbuild sets it: the single binary runs itself as the store thread, for there is no other file. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

const storeThreadEntry: URL | string =
  typeof PLANTGATE_BUNDLED === 'undefined'
    ? new URL('./adapters/store/store-thread.ts', import.meta.url)
    : import.meta.filename;

/** SIGINT and SIGTERM ask politely; a second one is not waited for. */
function signals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT.internal);
      controller.abort();
    });
  }
  return controller.signal;
}

async function main(): Promise<number> {
  const io: CommandIo = {
    stdout: (line) => process.stdout.write(`${line}\n`),
    stderr: (line) => process.stderr.write(`${line}\n`),
    signal: signals(),
    environment: process.env,
  };
  const request = {
    environment: process.env,
    cwd: process.cwd(),
    hostName: hostname(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  let exitCode: number = EXIT.done;
  const program = createProgram({ io, request, storeThreadEntry, onExitCode: (code) => (exitCode = code) });
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}

/** A fault that nobody foresaw ends the process: the service starts it again, with everything acknowledged on disk. */
function die(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: 'internal fault', error: text })}\n`);
  process.exit(EXIT.internal);
}

if (isMainThread) {
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  // Whoever read along has left, as `head` does: there is nobody to tell the rest.
  process.stdout.on('error', () => process.exit(EXIT.inputOutput));
  main().then((code) => process.exit(code), die);
} else if (workerData?.role === 'store') {
  import('./adapters/store/store-thread.ts').then(({ runStoreThread }) => runStoreThread(), die);
} else if (workerData?.role === 'drawing') {
  import('./adapters/drawing/drawing-thread.ts').then(({ runDrawingThread }) => runDrawingThread()).catch(die);
} else if (workerData?.role === 'plantFile') {
  // What goes wrong there is told to whoever started the thread.
  void import('./config/plant-file-thread.ts').then(({ runPlantFileThread }) => runPlantFileThread());
}
