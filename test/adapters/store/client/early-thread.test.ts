import { expect, it } from 'vitest';
import { EarlyThread } from '../../../../src/adapters/store/client/store-thread.ts';
import { machineState, newDataDir, openTestStore, RF1, threadEntry } from '../open-test-store.ts';

it('the store opens in a thread that was started before the data directory was known', async () => {
  const earlyThread = new EarlyThread(threadEntry);
  const dataDir = newDataDir();
  const { store, testing } = await openTestStore({ dataDir, earlyThread });
  await store.write([machineState('{"cycle":7}')]);
  // The thread that replaces this one is an ordinary one.
  testing.crash();
  await store.write([machineState('{"cycle":8}')]);
  expect(store.counters().threadRestarts).toBe(1);
  await store.close();
  const { restored } = await openTestStore({ dataDir });
  expect(restored.machineStates).toEqual([{ machineId: RF1, json: '{"cycle":8}' }]);
});

it.each([
  ['ends', 'process.exit()'],
  ['fails', 'throw new Error("no memory")'],
])('the store also opens if the early thread %s', async (_, program) => {
  const ended = new Promise((resolve) => process.once('worker', (worker) => worker.once('exit', resolve)));
  const earlyThread = new EarlyThread(new URL(`data:text/javascript,${program}`));
  await ended;
  const { store } = await openTestStore({ earlyThread });
  await store.write([machineState('{}')]);
  expect(store.counters().threadRestarts).toBe(0);
});

it('an early thread that is not used ends by itself: ended by force while it loads SQLite, it would abort the process', async () => {
  const program = `import { parentPort } from "node:worker_threads";
    for (const startMs = performance.now(); performance.now() - startMs < 300; );
    parentPort.once("message", () => process.exit(7));`;
  const ended = new Promise((resolve) => process.once('worker', (worker) => worker.once('exit', resolve)));
  const earlyThread = new EarlyThread(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
  await earlyThread.discard();
  expect(await ended).toBe(7);
});

it('the early thread leaves nothing behind if the configuration turns out to be faulty', async () => {
  const earlyThread = new EarlyThread(threadEntry);
  await earlyThread.discard();
  expect(earlyThread.take()).toBeNull();
});
