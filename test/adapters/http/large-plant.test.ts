import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { fragmentStream, jsonArray } from '../../../src/adapters/http/answers/send-fragments.ts';
import { keyOf, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

/** Several lists, because the number of statuses during one depends on the load of the computer. */
const LISTS = 5;

it('statuses are answered while a list of 5,000 machines is written', { timeout: 60_000 }, async () => {
  const machines = Array.from({ length: 5_000 }, (_, place) => machineOf(`M-${place}`));
  const gateway = await startGateway({ machines, maxUpdatesPerSecond: 10 });
  const list = () => gateway.as(keyOf('technician'), 'GET', '/api/local/machines');
  const listOften = async () => {
    for (let times = 1; times < LISTS; times += 1) expect((await list()).body).toHaveLength(5_000);
    return list();
  };
  let answered = 0;
  let isListed = false;
  const listed = listOften().then((answer) => {
    isListed = true;
    return answer;
  });
  while (!isListed) {
    expect((await gateway.postStatus(statusOf({ machineId: 'M-1' }))).status).toBe(200);
    answered += 1;
  }
  expect((await listed).body).toHaveLength(5_000);
  expect(answered).toBeGreaterThan(LISTS);
  await gateway.close();
});

it('a long answer never keeps the loop for longer than a slice', async () => {
  const points = Array.from({ length: 100_000 }, (_, place) => ({ at: place, value: place / 3 }));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let text = '';
  const render = ({ at, value }: { at: number; value: number }) => ({ time: new Date(at).toISOString(), value });
  for await (const slice of fragmentStream(jsonArray(points, render))) text += slice;
  delay.disable();
  expect(JSON.parse(text)).toHaveLength(100_000);
  // The longest delay does not count, because another process may hold this one up.
  expect(delay.percentile(90) / 1e6).toBeLessThan(50);
});
