import { hostname } from 'node:os';
import { CommanderError } from 'commander';
import { type CommandIo, EXIT } from './command-io.ts';
import { installationIn } from './commands/service/installation.ts';
import { serviceEnvironment } from './commands/service/service-environment.ts';
import { createProgram, type ProgramOptions } from './program.ts';
import { readSecret } from './read-secret.ts';
import { printableLines } from './terminal-text.ts';
import { computerTimeZone } from './time-zone.ts';

/** SIGINT and SIGTERM ask the program to stop; a second one ends it at once. */
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

/** A closed terminal ends its programs as usual. */
function onHangUp(act: () => void): void {
  if (process.stdout.isTTY !== true) process.on('SIGHUP', act);
}

/** Runs the requested command; gives the exit code. */
export async function runMainThread(
  threads: Pick<ProgramOptions, 'storeThreadEntry' | 'watchThreadEntry' | 'early'>,
): Promise<number> {
  const io: CommandIo = {
    stdout: (line) => process.stdout.write(`${line}\n`),
    stderr: (line) => process.stderr.write(`${printableLines(line)}\n`),
    readSecret,
    signal: signals(),
    onHangUp,
    environment: process.env,
  };
  const request = {
    environment: process.env,
    cwd: process.cwd(),
    hostName: hostname(),
    get timeZone() {
      return computerTimeZone(process.env);
    },
  };
  let exitCode: number = EXIT.done;
  const ofService = { file: installationIn('/').config, environment: () => serviceEnvironment(io.stderr) };
  const program = createProgram({ io, request, ofService, ...threads, onExitCode: (code) => (exitCode = code) });
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}
