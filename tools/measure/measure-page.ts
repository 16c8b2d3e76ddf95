import { type CpuInfo, cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { bundleProgram } from '../../test/bundle-program.ts';
import { statusOf } from '../../test/end-to-end/program.ts';
import { closeBrowser } from '../../test/page/browser.ts';
import { PageUnderTest } from '../../test/page/page-under-test.ts';
import { type Point, straightLine } from './straight-line.ts';

/**
 * `npm run measure:page [-- --memory MINUTES]`: Andon with 200 machines at 2 Hz. Prints the longest task and frames that came late, beside those
 * of a page that shows nothing of it, because machines, gateway and browser share the processors; how
 * long a status takes to the screen, the first paint at a quarter of the processor, and the heap over 10,000 events. With
 * `--memory` instead Andon and one machine for so long, with heap and DOM nodes each minute.
 */
const { values } = parseArgs({ options: { memory: { type: 'string' } } });
const MACHINES = 200;
const MEASURED_MS = 10_000;
/** Waits until an opened page is at rest. */
const SETTLING_MS = 6_000;
const PROBES = 10;
const MEGABYTE = 1_000_000;

const machines = Array.from({ length: MACHINES }, (_, place) => ({
  machineId: `M-${place}`,
  name: `Line ${place}`,
  topicRoot: `plant1/m-${place}`,
  ...(place === 0 && { variables: ['lineSpeed'] }),
}));
const users = [{ name: 'pat', role: 'technician', password: 'rolls and coils' }];
const parts = [{ partId: 'P-100', partName: 'Panel 100' }];

let bootMs = 1_000_000;
function say(gate: PageUnderTest, place: number, fields: object): Promise<unknown> {
  const status = statusOf({ machineId: `M-${place}`, mSecSinceBoot: bootMs, partId: 'P-100', ...fields });
  return gate.program.device('status', status);
}

/** Every machine speaks twice a second, one after the other. A probe has the last machine for itself. */
async function keepTalking(gate: PageUnderTest, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    const startMs = performance.now();
    bootMs += 500;
    await gate.program.device('vars', { machineId: 'M-0', lineSpeed: 100 + (round % 20) });
    for (let place = 0; place < MACHINES - 1 && !signal.aborted; place += 20) {
      const group = Array.from({ length: Math.min(20, MACHINES - 1 - place) }, (_, one) => place + one);
      await Promise.all(group.map((one) => say(gate, one, { running: true, goodPart: round, cycle: round })));
      await delay(Math.max(0, startMs + (500 * (place + 20)) / MACHINES - performance.now()));
    }
  }
}

const WATCH_TASKS = `
  window.tasks = []; window.frames = [];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) tasks.push(duration); }).observe({ type: 'longtask' });
  let last = performance.now();
  const frame = (now) => { frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;

/** How much of the computer's processors was at work since then, of all that runs there. */
function busySince(before: readonly CpuInfo[]): string {
  const sum = (all: readonly CpuInfo[]) => {
    const spent = all.map(({ times: { user, sys, irq, nice, idle } }) => [user + sys + irq + nice, idle] as const);
    return [
      spent.reduce((total, [busy]) => total + busy, 0),
      spent.reduce((total, [, idle]) => total + idle, 0),
    ] as const;
  };
  const [[busyBefore, idleBefore], [busy, idle]] = [sum(before), sum(cpus())];
  return `${Math.round((100 * (busy - busyBefore)) / (busy - busyBefore + idle - idleBefore))} %`;
}

/** Measures late frames. A page at rest is measured too: the difference is the cost of showing changes. */
async function measureFrames(page: Page, what: string): Promise<void> {
  await page.evaluate(WATCH_TASKS);
  const before = cpus();
  await delay(MEASURED_MS);
  const { tasks, frames } = await page.evaluate<{ tasks: number[]; frames: number[] }>('({ tasks, frames })');
  const late = frames.filter((ms) => ms > 25).length;
  console.log(
    `${what}: ${frames.length} frames in ${MEASURED_MS / 1_000} s, ${late} late (over 25 ms), the longest ${round(Math.max(...frames))} ms; long tasks (over 50 ms): ${tasks.length}, the longest ${round(Math.max(0, ...tasks))} ms; processors ${busySince(before)} busy`,
  );
}

/** From the status that is sent to the word that is on the screen. */
async function measureLatency(gate: PageUnderTest, page: Page): Promise<void> {
  const place = MACHINES - 1;
  const took: number[] = [];
  for (let probe = 0; probe < PROBES; probe += 1) {
    bootMs += 1_000;
    const fault = probe % 2 === 0;
    const shown = page.evaluate(`new Promise((resolve) => {
      const look = () => [...document.querySelectorAll('.tile')].some((tile) => tile.textContent.includes('Line ${place}')) === ${fault}
        ? resolve() : requestAnimationFrame(look);
      look();
    })`);
    const startMs = performance.now();
    await say(gate, place, { running: true, fault });
    await Promise.race([shown, delay(10_000)]);
    took.push(performance.now() - startMs);
    await delay(fault ? 200 : 3_500);
  }
  // A tile that becomes quiet waits 3 s, so that nothing hops under a finger: only those that appear count.
  const appeared = took.filter((_, probe) => probe % 2 === 0).sort((one, other) => one - other);
  console.log(
    `status to screen: median ${round(appeared[Math.floor(appeared.length / 2)] ?? 0)} ms, worst ${round(appeared.at(-1) ?? 0)} ms of ${appeared.length}`,
  );
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

async function measureHeap(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const before = await heapBytes(session);
  await page.evaluate(`window.heard = 0;
    new EventSource('/api/local/events').addEventListener('machine', () => { heard += 1; });`);
  const startMs = performance.now();
  while (Number(await page.evaluate('heard')) < 10_000 && performance.now() - startMs < 180_000) await delay(1_000);
  const after = await heapBytes(session);
  console.log(
    `heap: ${round(before / MEGABYTE)} MB, after ${String(await page.evaluate('heard'))} events ${round(after / MEGABYTE)} MB`,
  );
}

async function measureFirstPaint(gate: PageUnderTest, page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(gate.origin);
  await page.locator('.stage').waitFor();
  const paint = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`);
  const whole = await page.evaluate('performance.now()');
  console.log(
    `first paint at a quarter of the processor: ${round(Number(paint))} ms, Andon with ${MACHINES} machines ${round(Number(whole))} ms`,
  );
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

async function measureAll(): Promise<void> {
  await gate.page.waitForTimeout(SETTLING_MS);
  await measureFrames(gate.page, 'Andon, the machines silent');
  talk = keepTalking(gate, talking.signal);
  await gate.page.goto(`${gate.origin}/more`);
  await gate.page.waitForTimeout(SETTLING_MS);
  await measureFrames(gate.page, 'Another place, the machines at work');
  await gate.page.goto(gate.origin);
  await gate.page.waitForTimeout(SETTLING_MS);
  await measureFrames(gate.page, 'Andon, the machines at work');
  await measureLatency(gate, gate.page);
  await measureHeap(gate.page);
  await measureFirstPaint(gate, gate.page);
}

/** In windows of their own: a tab behind another does not listen. */
async function measureOverTime(minutes: number): Promise<void> {
  talk = keepTalking(gate, talking.signal);
  const context = await gate.newContext({ storageState: await gate.page.context().storageState() });
  const machine = await context.newPage();
  await machine.goto(`${gate.origin}/machine/M-0`);
  await machine.locator('.curve').waitFor();
  await measureMemory({ Andon: gate.page, Machine: machine }, minutes);
  await context.close();
}

await bundleProgram();
const gate = await PageUnderTest.start({ plant: JSON.stringify({ machines, users, parts }) });
const talking = new AbortController();
let talk: Promise<void> | null = null;
try {
  await gate.open('/');
  if (values.memory === undefined) await measureAll();
  else await measureOverTime(Number(values.memory));
} finally {
  talking.abort();
  await Promise.resolve(talk)
    .finally(() => gate.end())
    .finally(closeBrowser);
}

/** Figures of a page right after a garbage collection. */
interface MemorySample {
  readonly minute: number;
  readonly heapMb: number;
  readonly nodes: number;
  readonly listeners: number;
}

interface Watched {
  readonly name: string;
  readonly page: Page;
  readonly session: CDPSession;
  readonly samples: MemorySample[];
}

const MINUTE_MS = 60_000;
/** The first events load and compile code, so the heap that they take is not counted as growth. */
const WARM_UP_MINUTES = 2;

/** Looks at pages each minute for so many minutes, and prints heap and DOM nodes of each with their slope by the hour. */
async function measureMemory(pages: Readonly<Record<string, Page>>, minutes: number): Promise<void> {
  const watched = await Promise.all(
    Object.entries(pages).map(async ([name, page]): Promise<Watched> => {
      if (await page.evaluate('document.hidden')) throw new Error(`${name} is hidden: it would not listen`);
      return { name, page, session: await page.context().newCDPSession(page), samples: [] };
    }),
  );
  const startMs = performance.now();
  for (let minute = 0; minute <= minutes; minute += 1) {
    await delay(Math.max(0, startMs + minute * MINUTE_MS - performance.now()));
    for (const one of watched) one.samples.push(await sampleOf(one, minute));
    console.log(watched.map(({ name, samples }) => `${name}: ${textOf(samples.at(-1))}`).join('   '));
  }
  for (const { name, samples } of watched) {
    const settled = samples.filter(({ minute }) => minute >= Math.min(WARM_UP_MINUTES, minutes - 2));
    for (const figure of ['heapMb', 'nodes', 'listeners'] as const) console.log(`${name}: ${slopeOf(settled, figure)}`);
  }
}

async function sampleOf({ session }: Watched, minute: number): Promise<MemorySample> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { minute, heapMb: usedSize / MEGABYTE, nodes, listeners: jsEventListeners };
}

function textOf(sample: MemorySample | undefined): string {
  if (sample === undefined) return '';
  return `minute ${sample.minute}, ${sample.heapMb.toFixed(2)} MB, ${sample.nodes} nodes, ${sample.listeners} listeners`;
}

/** The growth by the hour, with twice its standard error. A growth below that error counts as none. */
function slopeOf(samples: readonly MemorySample[], figure: Exclude<keyof MemorySample, 'minute'>): string {
  const points = samples.map((sample): Point => ({ x: sample.minute / 60, y: sample[figure] }));
  const { slope, slopeError, start } = straightLine(points);
  return `${figure} ${start.toFixed(2)}, ${slope >= 0 ? '+' : ''}${slope.toFixed(2)} ± ${(2 * slopeError).toFixed(2)} an hour`;
}
