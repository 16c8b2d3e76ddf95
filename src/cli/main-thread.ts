import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { CommanderError } from 'commander';
import { type CommandIo, EXIT } from './command-io.ts';
import { installationOf } from './commands/service/installation.ts';
import { serviceEnvironment } from './commands/service/service-environment.ts';
import { ignoreOutputFaults } from './ignore-output-faults.ts';
import { createProgram, type ProgramOptions } from './program.ts';
import { printableLines } from './terminal-text.ts';

/** npm passes Ctrl-C on to its program, which has it from the terminal already. */
const PASSED_ON_WITHIN_MS = 2_000;

/**
 * SIGINT and SIGTERM ask the program to stop; a later one ends it at once. SIGHUP asks it to stop if its terminal was
 * closed, or if the command has nothing to do at SIGHUP.
 */
function signals(): Pick<CommandIo, 'signal' | 'onHangUp'> {
  const controller = new AbortController();
  // A closed terminal does not count as a terminal.
  const hasTerminal = [0, 1, 2].some((file) => isatty(file));
  let reload: (() => void) | null = null;
  let askedMs = 0;
  const ask = () => {
    if (!controller.signal.aborted) askedMs = performance.now();
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const isPassedOn = signal === 'SIGINT' && performance.now() - askedMs < PASSED_ON_WITHIN_MS;
      if (controller.signal.aborted && !isPassedOn) process.exit(EXIT.internal);
      ask();
    });
  }
  process.on('SIGHUP', () => {
    if (reload !== null && !hasTerminal) return reload();
    ignoreOutputFaults();
    ask();
  });
  return { signal: controller.signal, onHangUp: (act) => (reload = act) };
}

/** Runs the requested command; gives the exit code. */
export async function runMainThread(
  threads: Pick<ProgramOptions, 'storeThreadEntry' | 'watchThreadEntry' | 'earlyThread'>,
): Promise<number> {
  const io: CommandIo = {
    stdout: (line) => process.stdout.write(`${line}\n`),
    stderr: (line) => process.stderr.write(`${printableLines(line)}\n`),
    readSecret,
    ...signals(),
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
  const ofService = (file: string) => {
    const { config, service } = installationOf(file);
    return file === config ? serviceEnvironment(service, io.stderr) : {};
  };
  const program = createProgram({ io, request, ofService, ...threads, onExitCode: (code) => (exitCode = code) });
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}

const UTC_NAMES = ['UTC', 'Etc/UTC', '/usr/share/zoneinfo/UTC', '/usr/share/zoneinfo/Etc/UTC'];

/** The computer's time zone. A computer in UTC does not pay for the first use of Intl, which takes 20 ms. */
export function computerTimeZone({ TZ }: { readonly TZ?: string | undefined }): string {
  return UTC_NAMES.includes(TZ ?? localZoneFile()) ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The file of the zone that is set for the computer. Gives no text on a computer that has a copy of it. */
function localZoneFile(): string {
  try {
    return readlinkSync('/etc/localtime');
  } catch {
    return '';
  }
}

/**
 * Reads a secret: typed on a terminal without being shown, else the first line of standard input. Empty if none was
 * given.
 */
async function readSecret(prompt: string): Promise<string> {
  // Loaded here, because the gateway does not need it.
  const { createInterface } = await import('node:readline');
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write(prompt);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  return new Promise((resolve) => {
    let secret = '';
    lines.once('line', (line) => {
      secret = line;
      lines.close();
    });
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      resolve(secret);
    });
  });
}
