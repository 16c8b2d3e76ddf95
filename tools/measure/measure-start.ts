import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LoadDevice } from '../bench/load-device.ts';
import { machineName, statusJson, topicRoot } from '../bench/load-plan.ts';
import { usageOf } from '../bench/process-usage.ts';
import { fillHistory } from './start-data.ts';

/** `npm run measure:start [-- --binary FILE] [--millions N] [--rounds N] [--port N]`: from the start of the process to its first answers. */

const { values } = parseArgs({
  options: {
    binary: { type: 'string', default: `dist/plantgate-linux-${process.arch}` },
    millions: { type: 'string', default: '0,5' },
    rounds: { type: 'string', default: '7' },
    port: { type: 'string', default: '22080' },
  },
});
const HTTP_PORT = Number(values.port);
const MQTT_PORT = HTTP_PORT + 1;
const MACHINES = 200;
const GIVE_UP_MS = 30_000;
const POLL_MS = 5;
const LOAD_MS = 2_000;
const SEND_EVERY_MS = 100;

interface Start {
  /** The time until a machine that tries to connect from the first moment has its command. */
  readonly machineMs: number;
  readonly readyMs: number;
  /** The CPU time of all threads until then, without that of other programs. */
  readonly cpuMs: number;
}

function prepare(millions: number): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-start-'));
  const claims = '[ service.machine.warehouse ]';
  const machines = Array.from(
    { length: MACHINES },
    (_, index) =>
      `  - { machineId: ${machineName(index)}, topicRoot: ${topicRoot(index)}, variables: [ speed ], claims: ${claims} }`,
  );
  writeFileSync(
    path.join(dir, 'plant.yaml'),
    `machines:\n${machines.join('\n')}\nparts: [ { partId: P-100, partName: Panel 100 } ]\n`,
  );
  writeFileSync(
    path.join(dir, 'plantgate.yaml'),
    `plant: ./plant.yaml\nhttp: { host: 127.0.0.1, port: ${HTTP_PORT} }\nmqtt: { host: 127.0.0.1, port: ${MQTT_PORT} }\n`,
  );
  mkdirSync(path.join(dir, 'cache'));
  if (millions > 0) fillHistory(path.join(dir, 'data'), millions);
  return dir;
}

/** Repeats the call until it does not throw. Gives the milliseconds since `from`. */
async function since(from: number, attempt: () => Promise<unknown>): Promise<number> {
  for (;;) {
    try {
      await attempt();
      return performance.now() - from;
    } catch (error) {
      if (performance.now() - from > GIVE_UP_MS) throw error;
      await delay(POLL_MS);
    }
  }
}

/** Asks whether the port is open. The question is cheap, because the gateway shares the processors. */
function portOpens(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: MQTT_PORT, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

/** Acts as a machine: connects, subscribes, sends its status and gets its command. */
function machineAnswered(): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (result: () => void) => {
      device.close();
      result();
    };
    const device = new LoadDevice(0, MQTT_PORT, { command: () => done(resolve), puback: () => undefined });
    device.ready().then(
      () => device.publish('status', statusJson(0, 1)),
      (error: unknown) => done(() => reject(error)),
    );
  });
}

async function isReady(): Promise<void> {
  const { ok, status } = await fetch(`http://127.0.0.1:${HTTP_PORT}/readyz`);
  if (!ok) throw new Error(`/readyz: ${status}`);
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

async function start(dir: string): Promise<Start & { readonly child: ChildProcess }> {
  const env = { PKG_NATIVE_CACHE_PATH: path.join(dir, 'cache') };
  const from = performance.now();
  const child = spawn(path.resolve(values.binary), ['run', '--config', path.join(dir, 'plantgate.yaml')], {
    stdio: 'ignore',
    env,
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  await since(from, portOpens);
  const [machineMs, readyMs] = await Promise.all([since(from, machineAnswered), since(from, isReady)]);
  const cpuMs = child.pid === undefined ? Number.NaN : usageOf(child.pid).cpuUs / 1_000;
  return { machineMs, readyMs, cpuMs, child };
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

/** The acknowledged values of the machines: the numbers from 1 on. */
async function loadUntil(ms: number): Promise<{ readonly acknowledged: number[]; readonly stop: () => void }> {
  const acknowledged = new Array<number>(MACHINES).fill(0);
  const devices = acknowledged.map(
    (_, index) =>
      new LoadDevice(index, MQTT_PORT, {
        command: () => undefined,
        puback: () => {
          acknowledged[index] = (acknowledged[index] ?? 0) + 1;
        },
      }),
  );
  await Promise.all(devices.map((device) => device.ready()));
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    for (const device of devices) device.publish('vars/speed', String(sent));
  }, SEND_EVERY_MS);
  await delay(ms);
  const stop = () => {
    clearInterval(timer);
    for (const device of devices) device.close();
  };
  return { acknowledged, stop };
}

/** The number of acknowledged values that the gateway does not have. */
async function lost(dir: string, from: number, acknowledged: readonly number[]): Promise<number> {
  let missing = 0;
  for (const [index, count] of acknowledged.entries()) {
    const range = `from=${new Date(from).toISOString()}&to=${new Date(Date.now() + 1_000).toISOString()}`;
    const url = `http://127.0.0.1:${HTTP_PORT}/api/local/machines/${machineName(index)}/variables/speed?${range}`;
    let kept = new Set<number>();
    // The question is repeated if it was rate-limited, or if the new key is not written yet.
    await since(performance.now(), async () => {
      const access = readFileSync(path.join(dir, 'data/local-access.json'), 'utf8');
      const { key } = JSON.parse(access) as { readonly key: string };
      const answer = await fetch(url, { headers: { authorization: `ApiKey ${key}` } });
      if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
      const { points } = (await answer.json()) as { readonly points: readonly { readonly value: number }[] };
      kept = new Set(points.map(({ value }) => value));
    });
    for (let value = 1; value <= count; value++) if (!kept.has(value)) missing += 1;
  }
  return missing;
}

function told(numbers: readonly number[]): string {
  const sorted = numbers.map((ms) => ms / 1_000).sort((left, right) => left - right);
  const at = (index: number) => (sorted.at(index) ?? Number.NaN).toFixed(2);
  return `${at(Math.floor(sorted.length / 2))} s (${at(0)} to ${at(-1)})`;
}

function print(what: string, starts: readonly Start[]): void {
  const machine = told(starts.map(({ machineMs }) => machineMs));
  const ready = told(starts.map(({ readyMs }) => readyMs));
  const cpu = told(starts.map(({ cpuMs }) => cpuMs));
  console.log(`${what}: first machine answered after ${machine}, serving after ${ready}, processor ${cpu}`);
}

async function measure(millions: number, rounds: number): Promise<void> {
  const dir = prepare(millions);
  try {
    // The first start unpacks the addon and compiles.
    await end((await start(dir)).child, 'SIGTERM');
    const starts: Start[] = [];
    const afterKill: Start[] = [];
    let acknowledgedInAll = 0;
    let lostInAll = 0;
    for (let round = 0; round < rounds; round++) {
      const first = await start(dir);
      starts.push(first);
      const from = Date.now();
      const { acknowledged, stop } = await loadUntil(LOAD_MS);
      await end(first.child, 'SIGKILL');
      stop();
      const second = await start(dir);
      afterKill.push(second);
      acknowledgedInAll += acknowledged.reduce((sum, count) => sum + count, 0);
      lostInAll += await lost(dir, from, acknowledged);
      await end(second.child, 'SIGTERM');
    }
    print(`${millions} million rows, a start`, starts);
    print(`${millions} million rows, after kill -9`, afterKill);
    console.log(`  ${acknowledgedInAll} values were acknowledged before the kills, ${lostInAll} are lost`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

console.log(`${cpus()[0]?.model}, ${availableParallelism()} processors`);
for (const millions of values.millions.split(',')) await measure(Number(millions), Number(values.rounds));
