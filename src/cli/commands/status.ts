import { runningDir, runningGateways } from '../../adapters/system/running-gateways.ts';
import type { Result } from '../../domain/result.ts';
import { listOf, textAt } from '../answer-values.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import {
  type CommandFailure,
  type LocalAnswer,
  type LocalClient,
  openLocalClient,
  printFailure,
} from '../local-client.ts';
import { readReport } from './status-report.ts';
import { renderStatus } from './status-screen.ts';

export interface StatusOptions {
  readonly dataDir: string;
  /** The answers of the gateway as JSON instead of a screen. */
  readonly json?: boolean;
  /** The terminal of the output; null for a file or a pipe. */
  readonly terminal?: { readonly columns: number | undefined } | null;
}

/** Production is read machine by machine, so it is shown for at most this many. */
const MAX_MACHINES_WITH_PRODUCTION = 100;
const QUESTIONS_AT_ONCE = 8;

/**
 * `plantgate status`: one screen of the running gateway. Gives the exit code: 69 when the gateway does not answer, 77
 * when it may not be asked; when only a part of the questions failed, the code of that failure.
 */
export async function runStatus(options: StatusOptions, io: CommandIo): Promise<number> {
  const asked = await askMachines(options.dataDir);
  const shown = asked.ok || options.json === true ? asked : await askAnother(options.dataDir, asked, io);
  if (!shown.ok) return printFailure(shown, io);
  const { client, machines } = shown;
  const [sync, diagnostics] = await Promise.all([
    client.call('GET', '/api/local/sync'),
    client.call('GET', '/api/local/diagnostics'),
  ]);
  const failures = [sync, diagnostics].filter((answer) => !answer.ok);
  if (options.json === true) {
    const answers = { machines: machines.body, sync: bodyOf(sync), diagnostics: bodyOf(diagnostics) };
    io.stdout(JSON.stringify(answers, null, 2));
  } else {
    const production = await askProduction(client, machines.body);
    const report = readReport({
      url: client.url,
      machines: machines.body,
      sync: bodyOf(sync),
      diagnostics: bodyOf(diagnostics),
      production,
    });
    for (const line of renderStatus(report, screenOf(options, io))) io.stdout(line);
  }
  return failures.reduce<number>((_, failure) => printFailure(failure, io), EXIT.done);
}

type AskedMachines = Result<{ readonly client: LocalClient; readonly machines: AnsweredCall }, CommandFailure>;
type AnsweredCall = Extract<LocalAnswer, { readonly ok: true }>;

async function askMachines(dataDir: string): Promise<AskedMachines> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return opened;
  const machines = await opened.client.call('GET', '/api/local/machines');
  return machines.ok ? { ok: true, client: opened.client, machines } : machines;
}

/** Asks the demo, or another gateway of the same user, if no gateway runs on the data directory. */
async function askAnother(dataDir: string, failure: CommandFailure, io: CommandIo): Promise<AskedMachines> {
  if (failure.exitCode !== EXIT.unavailable) return failure;
  const running = await runningGateways(runningDir(io.environment), io.stderr);
  for (const gateway of running) {
    const asked = await askMachines(gateway.dataDir);
    if (!asked.ok) continue;
    io.stdout(`No gateway runs on ${dataDir}. This is the one on ${gateway.dataDir} (process ${gateway.pid}):`);
    for (const other of running.filter(({ pid }) => pid !== gateway.pid))
      io.stdout(`Another runs too: PLANTGATE_DATA_DIR=${other.dataDir} plantgate status`);
    io.stdout('');
    return asked;
  }
  return failure;
}

function screenOf({ terminal = null }: StatusOptions, { environment }: CommandIo) {
  const hasColor = terminal !== null && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb';
  // A terminal that does not tell its size has 0 columns.
  return { columns: terminal?.columns || null, hasColor };
}

/** A machine without an answer has no production on the screen. */
async function askProduction(client: LocalClient, machines: unknown): Promise<ReadonlyMap<string, unknown>> {
  const waiting = listOf(machines)
    .map((machine) => textAt(machine, 'machineId'))
    .filter((machineId) => machineId !== null)
    .slice(0, MAX_MACHINES_WITH_PRODUCTION);
  const production = new Map<string, unknown>();
  const askOneByOne = async () => {
    for (let machineId = waiting.pop(); machineId !== undefined; machineId = waiting.pop()) {
      const answer = await client.call('GET', `/api/local/machines/${encodeURIComponent(machineId)}/production`);
      if (answer.ok) production.set(machineId, answer.body);
      else if (answer.exitCode === EXIT.unavailable) waiting.length = 0;
    }
  };
  await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, askOneByOne));
  return production;
}

function bodyOf(answer: LocalAnswer): unknown {
  return answer.ok ? answer.body : null;
}
