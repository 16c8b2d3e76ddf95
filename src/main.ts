import { EXIT } from './cli/command-io.ts';
import { errorStack } from './domain/error-text.ts';
import { threadEntry } from './threads/thread-entry.ts';

/** A fault that nobody foresaw ends the process: the service starts it again, with everything acknowledged on disk. */
function die(error: unknown): void {
  const text = errorStack(error);
  process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: 'internal fault', error: text })}\n`);
  process.exit(EXIT.internal);
}

process.on('uncaughtException', die);
process.on('unhandledRejection', die);
// The reader of the output has left, as `head` does.
process.stdout.on('error', () => process.exit(EXIT.inputOutput));

const threads = { storeThreadEntry: threadEntry('store-thread'), watchThreadEntry: threadEntry('watch-thread') };
import('./cli/main-thread.ts')
  .then(({ runMainThread }) => runMainThread(threads))
  .then((code) => process.exit(code), die);
