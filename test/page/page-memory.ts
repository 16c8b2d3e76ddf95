import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { type Point, straightLine } from '../../tools/measure/straight-line.ts';

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
const MEGABYTE = 1_000_000;
/** What is loaded and compiled at first is no growth. */
const WARM_UP_MINUTES = 2;

/** Looks at pages each minute for so many minutes, and prints heap and DOM nodes of each with their slope by the hour. */
export async function measureMemory(pages: Readonly<Record<string, Page>>, minutes: number): Promise<void> {
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

/** Its slope by the hour, with twice its standard error: a slope within that is none. */
function slopeOf(samples: readonly MemorySample[], figure: Exclude<keyof MemorySample, 'minute'>): string {
  const points = samples.map((sample): Point => ({ x: sample.minute / 60, y: sample[figure] }));
  const { slope, slopeError, start } = straightLine(points);
  return `${figure} ${start.toFixed(2)}, ${slope >= 0 ? '+' : ''}${slope.toFixed(2)} ± ${(2 * slopeError).toFixed(2)} an hour`;
}
