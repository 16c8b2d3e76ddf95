import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, vi } from 'vitest';

/** The command of a sample. */
export interface Sample {
  readonly command: readonly string[];
  readonly transport: 'mqtt' | 'http';
  /** A sample that is switched off sends nothing before its end; its last will announces it. */
  readonly presence?: 'until its end';
  /** Its password is a setting that the environment may give. */
  readonly takesPassword?: true;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A sample that runs. It prints a line `run=1 light=0 override=0 message=…` whenever its decision changes. */
export class SampleDevice {
  readonly lines: readonly string[];
  readonly #process: ChildProcess;

  constructor({ command, environment = {} }: Sample, port: number, overrideAfterMs: number) {
    const lines: string[] = [];
    this.lines = lines;
    const [program = '', ...words] = command;
    this.#process = spawn(program, words, {
      env: {
        ...process.env,
        GATEWAY_HOST: '127.0.0.1',
        GATEWAY_PORT: String(port),
        MACHINE_ID: 'RF-01',
        TOPIC_ROOT: 'plant1/rollformer-1',
        OVERRIDE_AFTER_MS: String(overrideAfterMs),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }

  /** Waits until the newest decision is this one. Node-RED alone takes 20 s to start while other tests run. */
  async decides(decision: RegExp): Promise<void> {
    const newest = () => this.lines.findLast((line) => line.startsWith('run=')) ?? this.lines.join('\n');
    await vi.waitFor(() => expect(newest()).toMatch(decision), { timeout: 60_000 });
  }

  /** Ends it like its user; gives the exit code. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null)
      return Promise.resolve(this.#process.exitCode);
    return new Promise((resolve) => {
      this.#process.once('exit', (code) => resolve(code));
      this.#process.kill(signal);
    });
  }
}
