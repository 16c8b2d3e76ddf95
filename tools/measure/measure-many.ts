import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { bundleProgram } from '../../test/bundle-program.ts';
import { statusOf } from '../../test/end-to-end/program.ts';
import { closeBrowser } from '../../test/page/browser.ts';
import { PageUnderTest } from '../../test/page/page-under-test.ts';

/**
 * `npm run measure:many`: Andon with 2,000 machines at a quarter of the processor. Prints how long it takes to load it,
 * to open a machine, and to go back, and the long tasks meanwhile: once with all machines silent, as after a power
 * failure, and once with most of them at work.
 */
const MACHINES = 2_000;
const AREAS = 10;
const SLOWER_BY = 4;
/** Each machine at work speaks once in so long. */
const ROUND_MS = 5_000;
/** `devices.timeoutSeconds`, and a little more. */
const SILENT_AFTER_MS = 12_000;
const WATCHED_MS = 10_000;
const AT_ONCE = 50;

const machines = Array.from({ length: MACHINES }, (_, place) => ({
  machineId: `M-${place}`,
  name: `Line ${place}`,
  topicRoot: `plant1/m-${place}`,
  area: `Hall ${place % AREAS}`,
}));
let said = 0;
const users = [{ name: 'pat', role: 'technician', password: 'rolls and coils' }];
const parts = [{ partId: 'P-100', partName: 'Panel 100' }];

/** Each machine speaks in turn; every hundredth has a fault, and every twentieth never speaks. */
async function keepTalking(gate: PageUnderTest, signal: AbortSignal, rounds = Number.POSITIVE_INFINITY): Promise<void> {
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    said += 1;
    const startMs = performance.now();
    for (let first = 0; first < MACHINES && !signal.aborted; first += AT_ONCE) {
      const places = Array.from({ length: AT_ONCE }, (_, one) => first + one).filter((place) => place % 20 !== 0);
      await Promise.all(places.map((place) => say(gate, place, said)));
      await delay(Math.max(0, startMs + (ROUND_MS * (first + AT_ONCE)) / MACHINES - performance.now()));
    }
  }
}

function say(gate: PageUnderTest, place: number, round: number): Promise<unknown> {
  const counted = { running: true, fault: place % 100 === 1, goodPart: round, cycle: round };
  return gate.program.device(
    'status',
    statusOf({ machineId: `M-${place}`, mSecSinceBoot: round * ROUND_MS, partId: 'P-100', ...counted }),
  );
}

/** Watches tasks that block the page for more than 50 ms. */
const WATCH_TASKS = `
  window.tasks = [];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) tasks.push(duration); }).observe({ type: 'longtask' });
`;

async function measure(gate: PageUnderTest, what: string): Promise<void> {
  const { page } = gate;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_BY });
  const load = await secondsOf(async () => {
    await page.goto(gate.origin);
    await page.locator('.tile').first().waitFor();
    await settled(page);
  });
  await page.evaluate(WATCH_TASKS);
  await page.waitForTimeout(WATCHED_MS);
  const tasks = await page.evaluate<readonly number[]>('tasks');
  const nodes = await page.evaluate<number>("document.querySelectorAll('*').length");
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  const open = await secondsOf(async () => {
    await page.evaluate("document.querySelector('.tile a, a.tile').click()");
    await page.locator('.ladder').waitFor();
    await settled(page);
  });
  const back = await secondsOf(async () => {
    await page.evaluate('history.back()');
    await page.locator('.tile').first().waitFor();
    await settled(page);
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await session.detach();
  console.log(
    `${what}: load ${load} s, open a machine ${open} s, back ${back} s; ${nodes} elements, ${height} px; ` +
      `long tasks in ${WATCHED_MS / 1_000} s: ${tasks.length}, the longest ${Math.round(Math.max(0, ...tasks))} ms, ` +
      `in all ${Math.round(tasks.reduce((sum, task) => sum + task, 0))} ms`,
  );
}

/** Two frames after each other were drawn: the page answers again. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

async function secondsOf(act: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await act();
  return Math.round((performance.now() - startMs) / 10) / 100;
}

await bundleProgram();
const gate = await PageUnderTest.start({ plant: JSON.stringify({ machines, users, parts }) });
const talking = new AbortController();
let talk: Promise<void> | null = null;
try {
  await gate.open('/');
  await keepTalking(gate, talking.signal, 1);
  await delay(SILENT_AFTER_MS);
  await measure(gate, 'Machines silent');
  talk = keepTalking(gate, talking.signal);
  await delay(2 * ROUND_MS);
  await measure(gate, 'Most machines at work');
} finally {
  talking.abort();
  await Promise.resolve(talk)
    .finally(() => gate.end())
    .finally(closeBrowser);
}
