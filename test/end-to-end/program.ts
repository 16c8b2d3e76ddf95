import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterStart } from '../as-service.ts';
import { GATEWAY_PROCESS_FILE, PROGRAM_FILE } from '../bundle-program.ts';
import type { GatewayReply, GatewayRequest } from './gateway-process.ts';
import { inEnvironment, type TimeSlicer } from './pace.ts';

/** The value of a JSON body, as loosely as JSON.parse gives it. */
export type Json = ReturnType<typeof JSON.parse>;

const START_TIMEOUT_MS = 30_000;
/** The cache of compiled code, because programs are started hundreds of times. */
export const NODE_COMPILE_CACHE = path.join(tmpdir(), 'plantgate-compile-cache');

export const PLANT = `
catalogs: [ { catalogId: 1, name: Standard, default: true } ]
locations: [ { code: RF-01, name: Rollformer 1, category: Machine } ]
machines:
  - { machineId: RF-01, name: Rollformer 1, topicRoot: plant1/rollformer-1, location: RF-01, variables: [ lineSpeed, motorTemp ], catalogs: [ 1 ] }
  - { machineId: RF-02, topicRoot: plant1/rollformer-2 }
parts: [ { partId: P-100, partName: Panel 100 }, { partId: P-200, partName: Panel 200 } ]
downtimeReasons: [ { id: DT-01, reason: Coil change, group: Planned }, { id: DT-02, reason: Tooling, group: Setup } ]
apiKeys: [ { principal: shop, key: shop-key-01234567890, role: technician } ]
`;

export interface ProgramOptions {
  readonly plant?: string;
  /** By default `run`. */
  readonly command?: 'run' | 'central';
  /** More lines for plantgate.yaml. */
  readonly settings?: string;
  /** An earlier program's directory, to go on there. */
  readonly dir?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** The single binary instead of the program that it holds. */
  readonly binary?: string;
  /** A command that runs the program behind it, for example `prlimit`. */
  readonly under?: readonly string[];
  /** Whether it gets what the unit of the service gives it once it serves: real time for its main thread. */
  readonly isService?: boolean;
  /** How long it may take to serve. */
  readonly startTimeoutMs?: number;
  /** The gateway with faults and a clock at hand (`gateway-process.ts`) instead of the whole program. */
  readonly atHand?: boolean;
  /** The speed of time of a program that is started `atHand`. */
  readonly pace?: TimeSlicer;
}

/** The real program in its own process and its own directory. */
export class Program {
  readonly dir: string;
  readonly httpPort: number;
  readonly mqttPort: number;
  readonly process: ChildProcess;
  readonly log: readonly string[];

  private constructor(
    dir: string,
    child: ChildProcess,
    ports: { httpPort: number; mqttPort: number },
    log: readonly string[],
  ) {
    this.dir = dir;
    this.process = child;
    this.httpPort = ports.httpPort;
    this.mqttPort = ports.mqttPort;
    this.log = log;
  }

  /** Makes a directory with the files for a start. */
  static prepare(options: ProgramOptions = {}): string {
    const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-e2e-'));
    writeFileSync(path.join(dir, 'plant.yaml'), options.plant ?? PLANT);
    Program.configure(dir, options.settings);
    return dir;
  }

  /** Writes the configuration; `more` are further lines of it. */
  static configure(dir: string, more = ''): void {
    const settings = 'plant: ./plant.yaml\nhttp: { host: 127.0.0.1, port: 0 }\nmqtt: { host: 127.0.0.1, port: 0 }\n';
    writeFileSync(path.join(dir, 'plantgate.yaml'), settings + more);
  }

  static async start(options: ProgramOptions = {}): Promise<Program> {
    const dir = options.dir ?? Program.prepare(options);
    const { child, lines } = Program.spawn(dir, options);
    const ports = await new Promise<{ httpPort: number; mqttPort: number }>((resolve, reject) => {
      const { startTimeoutMs = START_TIMEOUT_MS } = options;
      const giveUp = setTimeout(() => reject(new Error(`not ready in time:\n${lines.join('\n')}`)), startTimeoutMs);
      child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${lines.join('\n')}`)));
      child.on('line', (line: string) => {
        if (!line.includes('"msg":"ready"')) return;
        clearTimeout(giveUp);
        resolve(JSON.parse(line));
      });
    });
    child.removeAllListeners('exit');
    const { isService = options.atHand !== true } = options;
    if (isService && child.pid !== undefined) afterStart(child.pid);
    return new Program(dir, child, ports, lines);
  }

  /** Runs the program to its end; gives its exit code and its output. */
  static run(dir: string, options: ProgramOptions = {}): Promise<{ code: number | null; output: string }> {
    const { child, lines } = Program.spawn(dir, options);
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: lines.join('\n') })));
  }

  private static spawn(dir: string, options: ProgramOptions): { child: ChildProcess; lines: string[] } {
    const file = path.join(dir, 'plantgate.yaml');
    const [command, ...words] =
      options.binary !== undefined
        ? [options.binary, 'run', '--config', file]
        : options.atHand === true
          ? [process.execPath, GATEWAY_PROCESS_FILE, file]
          : [process.execPath, PROGRAM_FILE, options.command ?? 'run', '--config', file];
    const [launched, ...others] = [...(options.under ?? []), command];
    const child = spawn(launched ?? command, [...others, ...words], {
      stdio: options.atHand === true ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
      env: options.environment ?? {
        ...process.env,
        NODE_COMPILE_CACHE,
        ...(options.pace && inEnvironment(options.pace)),
      },
      cwd: dir,
    });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        child.emit('line', line);
      });
    }
    return { child, lines };
  }

  get key(): string {
    return JSON.parse(readFileSync(path.join(this.dir, 'data', 'local-access.json'), 'utf8')).key;
  }

  /** Whether the started process still lives. */
  get lives(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Memory it holds, in bytes. */
  residentBytes(): number {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1_024;
  }

  /**
   * Asks a program that was started `atHand` to cause a fault, to set its clock, or to report the delay of its event
   * loop.
   */
  ask(request: GatewayRequest): Promise<GatewayReply> {
    return new Promise((resolve) => {
      this.process.once('message', (reply) => resolve(reply as GatewayReply));
      this.process.send(request);
    });
  }

  /** Any other path, without a key. */
  async get(place: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`http://127.0.0.1:${this.httpPort}${place}`);
    return { status: answer.status, text: await answer.text() };
  }

  /** Waits until no record waits for the disk. */
  async untilStored(): Promise<void> {
    while (!/^plantgate_store_pending_records 0$/m.test((await this.get('/metrics')).text)) await delay(20);
  }

  /** Calls the local API with the key of the command line. */
  async api(method: string, place: string, body?: object): Promise<{ status: number; body: Json }> {
    const answer = await fetch(`http://127.0.0.1:${this.httpPort}/api/local${place}`, {
      method,
      headers: {
        authorization: `ApiKey ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  async device(endpoint: 'status' | 'vars', body: object | string): Promise<{ status: number; body: Json }> {
    const answer = await fetch(`http://127.0.0.1:${this.httpPort}/api/device/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** Kills the program like a pulled plug. */
  kill(): Promise<void> {
    return this.#end('SIGKILL').then(() => undefined);
  }

  /** Starts a killed program again at the same HTTP port, by which a browser knows it; on another directory if wanted. */
  startAgain({ dir = this.dir, ...options }: ProgramOptions = {}): Promise<Program> {
    const file = path.join(dir, 'plantgate.yaml');
    const settings = readFileSync(file, 'utf8').replace(/(http: .*port: )0/, `$1${this.httpPort}`);
    writeFileSync(file, settings);
    return Program.start({ ...options, dir });
  }

  /** Stops the program normally; gives the exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Kills it, and removes its directory. */
  async end(): Promise<void> {
    await this.kill();
    this.cleanUp();
  }

  cleanUp(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null)
      return Promise.resolve(this.process.exitCode);
    return new Promise((resolve) => {
      this.process.once('exit', (code) => resolve(code));
      this.process.kill(signal);
      // A process stopped by SIGSTOP takes only these signals.
      this.process.kill('SIGCONT');
    });
  }
}

/** A whole status of RF-01; given fields replace the usual ones. */
export function statusOf(more: object = {}): Record<string, unknown> {
  return {
    machineId: 'RF-01',
    running: true,
    mSecSinceBoot: 1_000,
    cycle: 10,
    goodPart: 100,
    badPart: 1,
    override: false,
    machinePower: true,
    ...more,
  };
}
