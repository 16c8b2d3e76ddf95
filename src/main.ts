import { EXIT } from './cli/command-io.ts';
import { errorStack } from './domain/error-text.ts';
import { useCompileCache } from './engine/compile-cache.ts';
import { threadEntry } from './threads/thread-entry.ts';

/** A fault that nobody foresaw ends the process: the service starts it again, with everything acknowledged on disk. */
function die(error: unknown): void {
  const text = errorStack(error);
  process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: 'internal fault', error: text })}\n`);
  process.exit(EXIT.internal);
}

/** esbuild sets it in the bundled program. Sources are compiled by themselves. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

if (typeof PLANTGATE_BUNDLED !== 'undefined') useCompileCache();
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
// The reader of the output has left, as `head` does.
process.stdout.on('error', () => process.exit(EXIT.inputOutput));

const threads = { storeThreadEntry: threadEntry('store-thread'), watchThreadEntry: threadEntry('watch-thread') };
// A file of its own in the bundled program: the cache must be in use before it is compiled.
import('./cli/main-thread.ts')
  .then(({ runMainThread }) => runMainThread(threads))
  .then((code) => process.exit(code), die);
