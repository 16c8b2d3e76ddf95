import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { LocalPostgres } from '../postgres/local-postgres.ts';
import { Latencies } from './latencies.ts';
import { GATEWAY_KEY, startCentralOn, type Target, VIEWER_KEY } from './targets.ts';

/** Batches of other gateways, sent to a central server on PostgreSQL. The database and the clients are on this computer too. */

const agent = new Agent({ connections: 256, pipelining: 1 });
/** A database as for a small server. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', checkpoint_timeout: '15min', wal_compression: 'pglz' };
/** The day before yesterday: it is over, and may be merged. */
const DAY = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS;
const SHIFT_DATE = new Date(DAY).toISOString().slice(0, 10);

interface Load {
  readonly gateways: number;
  readonly batches: number;
  readonly machines: number;
  readonly seriesPerMachine: number;
  readonly points: number;
  /** A status for each machine and a shift for every fifth, as a gateway sends them every few seconds. */
  readonly hasRecords: boolean;
  /** The pause between two batches of a gateway; 0: as fast as they are taken. */
  readonly everyMs: number;
}

const DRAIN: Load = {
  gateways: 16,
  batches: 6,
  machines: 50,
  seriesPerMachine: 1,
  points: 1_000,
  hasRecords: false,
  everyMs: 0,
};
const LIVE: Load = {
  gateways: 64,
  batches: 40,
  machines: 50,
  seriesPerMachine: 2,
  points: 5,
  hasRecords: false,
  everyMs: 0,
};
const FLEET: Load = {
  gateways: 250,
  batches: 8,
  machines: 50,
  seriesPerMachine: 2,
  points: 5,
  hasRecords: true,
  everyMs: 5_000,
};

export async function measureCentral(binary: string | null): Promise<void> {
  const postgres = await LocalPostgres.start({ isDurable: true, settings: SETTINGS });
  const target = await startCentralOn(postgres.url(), binary);
  try {
    await send(target, 'drain', DRAIN);
    await send(target, 'live', LIVE);
    await send(target, 'fleet', FLEET);
    await measureAnswers(target);
  } finally {
    await target.stop();
    await postgres.end();
  }
}

/** Sends the batches of all gateways, each gateway one by one, and prints what the central server took. */
async function send(target: Target, name: string, load: Load): Promise<void> {
  const gateways = Array.from({ length: load.gateways }, (_, index) => madeBatches(`${name}-${index}`, load));
  const latencies = new Latencies();
  const fromMs = performance.now();
  await Promise.all(
    gateways.map(async (batches) => {
      await delay(Math.random() * load.everyMs);
      for (const batch of batches) {
        const sentMs = performance.now();
        await deliver(target, batch);
        latencies.add(performance.now() - sentMs);
        await delay(Math.max(0, sentMs + load.everyMs - performance.now()));
      }
    }),
  );
  const tookSeconds = (performance.now() - fromMs) / 1_000;
  const points = load.gateways * load.batches * load.machines * load.seriesPerMachine * load.points;
  const [p50, p99] = latencies.quantiles([0.5, 0.99]);
  console.log(
    `${name.padEnd(6)} ${load.gateways} gateways  ${Math.round(points / tookSeconds)} points/s` +
      `  ${(latencies.count / tookSeconds).toFixed(0)} batches/s  p50 ${p50.toFixed(0)} ms  p99 ${p99.toFixed(0)} ms`,
  );
}

/** Sends it again until it is taken, as a gateway does. */
async function deliver({ httpPort }: Target, body: Buffer<ArrayBuffer>): Promise<void> {
  const headers = {
    authorization: `ApiKey ${GATEWAY_KEY}`,
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  };
  for (;;) {
    const {
      statusCode,
      headers: answered,
      body: answer,
    } = await agent.request({
      origin: `http://127.0.0.1:${httpPort}`,
      path: '/api/v1/sync',
      method: 'POST',
      headers,
      body,
    });
    const text = await answer.text();
    if (statusCode === 200) return;
    if (statusCode !== 429 && statusCode !== 503) throw new Error(`${statusCode} ${text}`);
    await delay(Number(answered['retry-after'] ?? 1) * 1_000);
  }
}

/** The batches of a gateway, made before anything is measured. */
function madeBatches(gatewayId: string, load: Load): readonly Buffer<ArrayBuffer>[] {
  const stream = randomUUID();
  const batches: Buffer<ArrayBuffer>[] = [];
  let previous = '';
  for (let index = 0; index < load.batches; index += 1) {
    const header = { version: 1, gatewayId, stream, directory: stream, previous };
    const json = JSON.stringify({ ...header, records: recordsOf(index, load), points: pointsOf(index, load) });
    previous = createHash('sha256').update(json).digest('hex');
    batches.push(Buffer.from(gzipSync(json, { level: 1 })));
  }
  return batches;
}

function machineOf(index: number): string {
  return `RF-${index}`;
}

function pointsOf(batch: number, { machines, seriesPerMachine, points }: Load) {
  return Array.from({ length: machines * seriesPerMachine }, (_, index) => {
    const at = Array.from({ length: points }, (_, place) => DAY + (batch * points + place) * 1_000);
    const value = at.map((time, place) => Math.round(Math.sin(time / 60_000 + index) * 500 + (place % 7)) / 10);
    const name = `variable-${index % seriesPerMachine}`;
    return { machineId: machineOf(Math.floor(index / seriesPerMachine)), name, shiftDate: SHIFT_DATE, at, value };
  });
}

function recordsOf(batch: number, { machines, hasRecords }: Load) {
  if (!hasRecords) return [];
  const none = { badParts: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
  return Array.from({ length: machines }, (_, index) => {
    const seq = batch * machines * 2 + index * 2;
    const machineId = machineOf(index);
    const at = DAY + batch * 5_000;
    const status = {
      machineId,
      running: true,
      override: false,
      mSecSinceBoot: at - DAY,
      cycle: batch,
      goodPart: batch,
    };
    const sample = { machineId, at, why: 'repeat', json: JSON.stringify({ ...status, badPart: 0 }) };
    const totals = { ...none, goodParts: batch, cycles: batch, runningMs: batch * 5_000 };
    const shift = { machineId, shiftDate: SHIFT_DATE, shiftName: 'Day', totals };
    const records: object[] = [{ seq, kind: 'status', sample }];
    if (index % 5 === 0) records.push({ seq: seq + 1, kind: 'shift', shift });
    return records;
  }).flat();
}

const ASKED = 10;

async function measureAnswers(target: Target): Promise<void> {
  const range = `from=${new Date(DAY).toISOString()}&to=${new Date(DAY + HOUR_MS * 24).toISOString()}`;
  const variable = `/gateways/drain-0/machines/RF-0/variables/variable-0?${range}`;
  for (const [what, path] of [
    ['6,000 points of a variable', variable],
    ['the same as 500 buckets', `${variable}&buckets=500`],
    ['all gateways', '/gateways'],
    ['2,500 machines of all gateways', '/fleet/machines?limit=2500'],
  ] as const) {
    const latencies = new Latencies();
    let bytes = 0;
    for (let asked = 0; asked < ASKED; asked += 1) {
      const askedMs = performance.now();
      const answer = await agent.request({
        origin: `http://127.0.0.1:${target.httpPort}`,
        path: `/api/local${path}`,
        method: 'GET',
        headers: { authorization: `ApiKey ${VIEWER_KEY}` },
      });
      bytes = (await answer.body.text()).length;
      if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
      latencies.add(performance.now() - askedMs);
    }
    const [p50, max] = latencies.quantiles([0.5, 1]);
    console.log(`${what.padEnd(40)} p50 ${p50.toFixed(1)} ms  max ${max.toFixed(1)} ms  ${bytes} bytes`);
  }
}
