import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Measured, measureLoad } from '../bench/measure-load.ts';
import { startForPages, type Target } from '../bench/targets.ts';
import type { ReadersPlan, ReadersReport } from './page-readers.ts';

/**
 * `npm run measure:pages [-- --rounds N] [--seconds S] [--readers N] [--machines N] [--binary FILE]`: how long machines wait for
 * their answer without open pages and with so many, one of which stops reading. Rounds alternate, so that whatever else the
 * computer does meets both alike. Compared are the medians of windows of two seconds: a burst of another program spoils one.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    machines: { type: 'string', default: '200' },
    readers: { type: 'string', default: '50' },
    binary: { type: 'string' },
  },
});
const machines = Number(values.machines);
const readers = Number(values.readers);
const keys = Array.from({ length: readers }, (_, page) => `key-of-measured-page-${page}`);
const RATE_HZ = 2;
const STALLED = 1;
const WINDOW_SECONDS = 2;

const without: Measured[] = [];
const withThem: Measured[] = [];

async function withPages(target: Target): Promise<ChildProcess> {
  const pages = fork(path.join(import.meta.dirname, 'page-readers.ts'));
  const url = `http://127.0.0.1:${target.httpPort}`;
  pages.send({ url, keys, stalled: STALLED } satisfies ReadersPlan);
  await delay(2_000);
  return pages;
}

async function reportOf(pages: ChildProcess): Promise<ReadersReport> {
  pages.send('report');
  const [report] = await once(pages, 'message');
  return report as ReadersReport;
}

function measure(target: Target): Promise<Measured> {
  return measureLoad(target, {
    kind: 'mqtt',
    port: target.mqttPort,
    machines,
    ratePerMachine: RATE_HZ,
    seconds: Number(values.seconds),
    connectRate: 500,
    returning: false,
    windowSeconds: WINDOW_SECONDS,
  });
}

function print(what: string, { sent, answered, p50Ms, p99Ms, maxMs, cpuUsPerMessage }: Measured, more = ''): void {
  console.log(
    `  ${what.padEnd(14)} p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms  max ${maxMs.toFixed(1)} ms  lost ${sent - answered}  cpu/status ${cpuUsPerMessage.toFixed(0)} us${more}`,
  );
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function compare(what: string, figures: (round: Measured) => readonly number[]): void {
  const [before, after] = [median(without.flatMap(figures)), median(withThem.flatMap(figures))];
  const more = 100 * (after / before - 1);
  console.log(
    `median ${what}: ${before.toFixed(2)} ms without, ${after.toFixed(2)} ms with ${readers} pages: ${more >= 0 ? '+' : ''}${more.toFixed(1)} %`,
  );
}

const target = await startForPages(machines, keys, values.binary ?? null);
try {
  console.log(
    `${cpus()[0]?.model}, ${availableParallelism()} processors; ${machines} machines at ${RATE_HZ} Hz, ${values.seconds} s a round`,
  );
  for (let round = 0; round < Number(values.rounds); round++) {
    without.push(await measure(target));
    print('no page', without.at(-1) as Measured);
    const pages = await withPages(target);
    try {
      withThem.push(await measure(target));
      const { open, bytes, cutOff } = await reportOf(pages);
      const heard = `  ${open} open, ${(bytes / 1e6).toFixed(0)} MB heard, ${cutOff} times cut off`;
      print(`${readers} pages`, withThem.at(-1) as Measured, heard);
    } finally {
      pages.send('end');
      await once(pages, 'exit');
    }
  }
  compare('p50 of rounds', (round) => [round.p50Ms]);
  compare('p99 of rounds', (round) => [round.p99Ms]);
  compare(`p99 of ${WINDOW_SECONDS} s`, (round) => round.windowP99Ms);
} finally {
  await target.stop();
}
