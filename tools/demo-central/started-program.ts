import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');
/** The program ends within 5 s (contract.md). */
const KILLED_AFTER_MS = 10_000;

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly httpPort?: number;
  readonly mqttPort?: number;
}

/** `plantgate run` or `plantgate central` as a process of its own, which serves. */
export class StartedProgram {
  readonly httpUrl: string;
  readonly mqttUrl: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ready: LogLine) {
    this.#child = child;
    this.httpUrl = `http://127.0.0.1:${ready.httpPort}`;
    this.mqttUrl = `mqtt://127.0.0.1:${ready.mqttPort}`;
  }

  /** Resolves once it serves. `tell` gets its warnings, without the incidents, which its page shows. Rejects, with its last lines, if it ends instead. */
  static start(command: 'run' | 'central', config: string, tell: (line: string) => void): Promise<StartedProgram> {
    const child = spawn(process.execPath, [MAIN, command, '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const read = (line: string) => {
        lines.splice(0, lines.length - 10);
        lines.push(line);
        const { level, msg, ...fields } = logLine(line);
        if (msg === 'ready') resolve(new StartedProgram(child, fields));
        if (msg !== 'incident' && (level === 'warn' || level === 'error')) tell(line);
      };
      for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', read);
      child.once('exit', () => reject(new Error(`plantgate ${command} ended: ${lines.join('\n')}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), KILLED_AFTER_MS);
    await ended;
    clearTimeout(late);
  }
}

/** A line that is no JSON says something else. */
function logLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {};
  }
}
