import { EarlyThread } from './adapters/store/client/store-thread.ts';
import { EXIT } from './cli/command-io.ts';
import { errorStack } from './domain/error-text.ts';
import { threadEntry } from './threads.ts';
import { VERSION } from './version.ts';

/** An unexpected fault ends the process: the service starts it again, and all acknowledged records are on disk. */
function die(error: unknown): void {
  const text = errorStack(error);
  process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: 'internal fault', error: text })}\n`);
  process.exit(EXIT.internal);
}

process.on('uncaughtException', die);
process.on('unhandledRejection', die);
// The reader of the output has left, for example `head`.
process.stdout.on('error', () => process.exit(EXIT.inputOutput));

// The answer does not need the program, which takes longer to load than Node itself.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(`${VERSION}\n`);
  process.exit(EXIT.done);
}

const storeThreadEntry = threadEntry('store-thread');
// The service's command is known before the program is loaded, and a database takes longer to open than the rest.
const early: { readonly earlyThread?: EarlyThread } = ['run', 'central'].includes(process.argv[2] ?? '')
  ? { earlyThread: new EarlyThread(storeThreadEntry) }
  : {};
const threads = { storeThreadEntry, watchThreadEntry: threadEntry('watch-thread'), ...early };
// The rest is a separate file in the bundled program, so that the store thread loads beside it.
import('./cli/main-thread.ts')
  .then(({ runMainThread }) => runMainThread(threads))
  .then(async (code) => {
    await early.earlyThread?.discard();
    process.exit(code);
  })
  .catch(die);
