import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { connectAsync } from 'mqtt';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { type OddGateway, oddHttpGateway, oddMqttGateway } from './odd-gateway.ts';

const MAY_RUN = '{"runEnabled":true,"attentionNeeded":false,"message":null,"timestamp":"2026-01-01T00:00:00Z"}';
const STOP = '{"runEnabled":false,"attentionNeeded":true,"message":"REASON","timestamp":"2026-01-01T00:00:00Z"}';
const NOT_RESPONDING = STOP.replace('REASON', 'Device not responding');
const SERVER_ERROR = STOP.replace('REASON', 'Server error - grain unavailable');
/** Unreadable answers count as "stop, and call the operator". */
const INVALID = ['', 'run', '[]', '{"runEnabled":true', '{"runEnabled":"yes","attentionNeeded":false,"message":null}'];
/** 60 s in a plant. */
const OVERRIDE_AFTER_MS = 2_500;
/** Longer than the 5 s between two tries after an HTTP 500. */
const OVERRIDE_AFTER_FAULTS_MS = 8_000;
const NEVER_MS = 3_600_000;
const WAIT = { timeout: 20_000 };

/**
 * The interface's recommendations to every device, proved with the real gateway and with one that answers oddly. A device
 * mostly waits for its next status, so the tests wait side by side, each with its own gateway.
 */
export function behavesAsADevice(sampleOf: () => Sample): void {
  describe.concurrent('as a device', { timeout: 90_000 }, () => {
    it('MQTT-01, HTTP-01 appears with its counters and follows the decision of the gateway', followsDecisions);
    it(
      'overrides after a set time without an answer, and takes commands again after a kill -9 of the gateway',
      overrides,
    );
    it('stops and calls the operator at each answer that it cannot read', stopsAtOddAnswers);
    it('stops at a fault inside the gateway, and overrides when it persists', overridesAtFaults);
    if (sampleOf().transport !== 'mqtt') return;
    if (sampleOf().takesPassword) it('gives the password of the machine when it connects', connectsWithPassword);
    it('goes on through a break of the network, after which the gateway says that it was silent', survivesABreak);
    it('hears only the topic of commands, whatever an older program under its id subscribed to', hearsOnlyCommands);
    it('goes on at the command about a silence that is over, and overrides when no other comes', ignoresPastSilence);
  });

  function start(test: TestContext, port: number, overrideAfterMs = NEVER_MS, more = {}): SampleDevice {
    const sample = sampleOf();
    const environment = { ...sample.environment, ...more };
    const device = new SampleDevice({ ...sample, environment }, port, overrideAfterMs);
    test.onTestFinished(() => device.end('SIGKILL').then(() => undefined));
    return device;
  }

  /** The odd gateway speaks MQTT 3.1.1 alone. */
  function startAtOdd(test: TestContext, odd: OddGateway, overrideAfterMs = NEVER_MS, more = {}): SampleDevice {
    return start(test, odd.port, overrideAfterMs, { MQTT_VERSION: '3.1.1', ...more });
  }

  async function startGateway({ onTestFinished }: TestContext) {
    const gateway = await SampleGateway.start();
    onTestFinished(() => gateway.cleanUp());
    const { mqttPort, httpPort } = gateway;
    return { gateway, port: sampleOf().transport === 'mqtt' ? mqttPort : httpPort };
  }

  async function startOddGateway({ onTestFinished }: TestContext): Promise<OddGateway> {
    const odd = await (sampleOf().transport === 'mqtt' ? oddMqttGateway(MAY_RUN) : oddHttpGateway(MAY_RUN));
    onTestFinished(() => odd.close());
    return odd;
  }

  async function followsDecisions(test: TestContext): Promise<void> {
    const { gateway, port } = await startGateway(test);
    const started = start(test, port);
    await started.decides(/run=0 light=[01] override=0 message=Part not selected/);
    await gateway.selectPart('P-100');
    await started.decides(/run=1 light=0 override=0 message=$/);
    await vi.waitFor(async () => expect((await gateway.machine()).status?.goodPart).toBeGreaterThan(2), WAIT);
    const { status, decision } = await gateway.machine();
    expect(status).toMatchObject({ running: true, machinePower: true, override: false, badPart: 0 });
    expect(status.cycle).toBe(status.goodPart);
    expect(decision).toMatchObject({ runEnabled: true });
    await gateway.clearPart();
    await started.decides(/run=0 .* message=Part not selected/);
    await started.end();
  }

  async function overrides(test: TestContext): Promise<void> {
    const { gateway, port } = await startGateway(test);
    await gateway.selectPart('P-100');
    const started = start(test, port, OVERRIDE_AFTER_MS);
    await started.decides(/run=1 light=0 override=0/);
    // A gateway that just met the machine has not yet stored what it knows of it.
    await vi.waitFor(async () => expect((await gateway.machine()).status?.goodPart).toBeGreaterThan(4), WAIT);
    await gateway.kill();
    const killedAt = performance.now();
    await started.decides(/run=1 light=0 override=1/);
    // The last answer came before the kill, by less than two intervals.
    expect(performance.now() - killedAt).toBeGreaterThan(OVERRIDE_AFTER_MS - 2_000);
    await gateway.startAgain();
    await started.decides(/run=1 light=0 override=0/);
    expectNoStop(started);
    await vi.waitFor(async () => expect((await gateway.machine()).status?.override).toBe(false), WAIT);
    await started.end();
  }

  async function stopsAtOddAnswers(test: TestContext): Promise<void> {
    const odd = await startOddGateway(test);
    const started = startAtOdd(test, odd);
    for (const invalid of INVALID) {
      odd.answer = MAY_RUN;
      await started.decides(/run=1 light=0 override=0/);
      odd.answer = invalid;
      await started.decides(/run=0 light=1 override=0/);
    }
    const newest = () => JSON.parse(odd.statuses.at(-1) ?? '');
    await vi.waitFor(
      () => expect(newest()).toMatchObject({ machineId: 'RF-01', override: false, running: false }),
      WAIT,
    );
    await started.end();
    if (sampleOf().transport === 'mqtt') await expectPresence(odd.others, sampleOf());
  }

  async function overridesAtFaults(test: TestContext): Promise<void> {
    const odd = await startOddGateway(test);
    const started = startAtOdd(test, odd, OVERRIDE_AFTER_FAULTS_MS);
    await started.decides(/run=1 light=0 override=0/);
    odd.answer = SERVER_ERROR;
    await started.decides(/run=0 light=1 override=0 message=Server error - grain unavailable$/);
    await started.decides(/run=1 light=0 override=1/);
    odd.answer = MAY_RUN;
    await started.decides(/run=1 light=0 override=0/);
    await started.end();
  }

  async function connectsWithPassword(test: TestContext): Promise<void> {
    const odd = await startOddGateway(test);
    const started = startAtOdd(test, odd, NEVER_MS, { MQTT_PASSWORD: 'a secret' });
    await started.decides(/run=1 light=0 override=0/);
    expect(odd.passwords).toEqual(['a secret']);
    await started.end();
  }

  async function hearsOnlyCommands(test: TestContext): Promise<void> {
    const odd = await startOddGateway(test);
    const options = { clientId: 'RF-01', clean: false, reconnectPeriod: 0 };
    const older = await connectAsync({ host: '127.0.0.1', port: odd.port, ...options });
    await older.subscribeAsync('plant1/rollformer-1/command/run-enabled', { qos: 1 });
    await older.endAsync();
    const started = startAtOdd(test, odd);
    await started.decides(/run=1 light=0 override=0/);
    const count = odd.statuses.length;
    await vi.waitFor(() => expect(odd.statuses.length).toBeGreaterThan(count + 2), WAIT);
    expectNoStop(started);
    await started.end();
  }

  async function survivesABreak(test: TestContext): Promise<void> {
    const { gateway, port } = await startGateway(test);
    await gateway.selectPart('P-100');
    const cable = await NetworkCable.to(port);
    test.onTestFinished(() => cable.pull());
    const started = start(test, cable.port);
    await started.decides(/run=1 light=0 override=0/);
    cable.pull();
    const message = async () => (await gateway.machine()).decision.message;
    await vi.waitFor(async () => expect(await message()).toBe('Device not responding'), WAIT);
    const before = (await gateway.machine()).status.cycle;
    await cable.plugIn();
    await vi.waitFor(async () => expect((await gateway.machine()).status.cycle).toBeGreaterThan(before), WAIT);
    await vi.waitFor(async () => expect(await message()).toBe(null), WAIT);
    expectNoStop(started);
    await started.end();
  }

  async function ignoresPastSilence(test: TestContext): Promise<void> {
    const odd = await startOddGateway(test);
    const started = startAtOdd(test, odd, OVERRIDE_AFTER_MS);
    await started.decides(/run=1 light=0 override=0/);
    odd.answer = NOT_RESPONDING;
    await started.decides(/run=1 light=0 override=1/);
    odd.answer = MAY_RUN;
    await started.decides(/run=1 light=0 override=0/);
    expectNoStop(started);
    await started.end();
  }
}

/**
 * Proves with the real gateway that a sample speaks MQTT 5, and that it shows the reason when its status is refused,
 * because another machine stands in it. One after the other: a sample may have its client id in its own settings.
 */
export async function speaksMqtt5(sample: Sample, wrongMachineId: string, reason: RegExp): Promise<void> {
  const gateway = await Program.start();
  const start = (more: NodeJS.ProcessEnv) => {
    const environment = { ...sample.environment, MQTT_VERSION: '5', ...more };
    return new SampleDevice({ ...sample, environment }, gateway.mqttPort, NEVER_MS);
  };
  const right = start({});
  try {
    await right.decides(/run=0 .*message=Part not selected/);
    const clients = (await gateway.api('GET', '/clients')).body;
    expect(clients).toMatchObject([{ clientId: 'RF-01', mqttVersion: '5' }]);
    expect(await right.end()).toBe(0);
    const wrong = start({ MACHINE_ID: wrongMachineId });
    await vi
      .waitFor(() => expect(wrong.lines).toContainEqual(expect.stringMatching(reason)), { timeout: 60_000 })
      .finally(async () => expect(await wrong.end()).toBe(0));
  } finally {
    await right.end();
    await gateway.end();
  }
}

/** A device that once ran has not stopped since. */
function expectNoStop({ lines }: SampleDevice): void {
  const first = lines.findIndex((line) => line.startsWith('run=1'));
  expect(lines.slice(first).filter((line) => line.startsWith('run=0'))).toEqual([]);
}

async function expectPresence(others: readonly string[], { presence }: Sample): Promise<void> {
  const last = presence === undefined ? 'online false retained' : 'lwt false retained';
  const told = ['plant1/rollformer-1/online true retained', `plant1/rollformer-1/${last}`];
  await vi.waitFor(() => expect(others).toEqual(told), WAIT);
}

/** The network between a device and the gateway: it can be pulled and plugged in again. */
class NetworkCable {
  readonly #gatewayPort: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  port = 0;

  private constructor(gatewayPort: number) {
    this.#gatewayPort = gatewayPort;
  }

  static async to(gatewayPort: number): Promise<NetworkCable> {
    const cable = new NetworkCable(gatewayPort);
    await cable.plugIn();
    return cable;
  }

  async plugIn(): Promise<void> {
    const server = createServer((socket) => {
      const gateway = connect(this.#gatewayPort, '127.0.0.1');
      for (const [one, other] of [
        [socket, gateway],
        [gateway, socket],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined).on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  pull(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}

/** A shorter silence than 10 s counts as one here, so that a test can wait for it. */
const SETTINGS = 'devices: { timeoutSeconds: 3 }\n';

/** The real gateway on ports that it keeps after a kill and a new start, as devices need it. */
class SampleGateway {
  #program: Program;
  readonly httpPort: number;
  readonly mqttPort: number;

  private constructor(program: Program) {
    this.#program = program;
    this.httpPort = program.httpPort;
    this.mqttPort = program.mqttPort;
  }

  static async start(): Promise<SampleGateway> {
    const program = await Program.start({ settings: SETTINGS });
    const { httpPort, mqttPort } = program;
    writeFileSync(
      path.join(program.dir, 'plantgate.yaml'),
      `plant: ./plant.yaml\nhttp: { host: 127.0.0.1, port: ${httpPort} }\nmqtt: { host: 127.0.0.1, port: ${mqttPort} }\n${SETTINGS}`,
    );
    return new SampleGateway(program);
  }

  /** Kills the gateway like a pulled plug. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  async startAgain(): Promise<void> {
    this.#program = await Program.start({ dir: this.#program.dir });
  }

  /** The view of RF-01 for the page. */
  async machine() {
    const machines = (await this.#program.api('GET', '/machines')).body;
    return machines.find(({ machineId }: { readonly machineId: string }) => machineId === 'RF-01');
  }

  async selectPart(partId: string): Promise<void> {
    const { status } = await this.#program.api('PUT', '/machines/RF-01/part', { partId });
    if (status !== 200) throw new Error(`selecting ${partId} was answered with ${status}`);
  }

  async clearPart(): Promise<void> {
    const { status } = await this.#program.api('DELETE', '/machines/RF-01/part');
    if (status !== 200) throw new Error(`clearing the part was answered with ${status}`);
  }

  async cleanUp(): Promise<void> {
    await this.kill();
    this.#program.cleanUp();
  }
}

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
