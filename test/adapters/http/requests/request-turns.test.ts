import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { expect, it } from 'vitest';
import { RequestTurns } from '../../../../src/adapters/http/requests/pipeline.ts';

const REQUESTS = 100;
const WORK_MS = 1;

/** Answers that take a millisecond each, in promise callbacks like koa's. */
function busyApp(): Koa {
  const app = new Koa();
  app.use(async (_, next) => await next());
  app.use(async (context) => {
    await Promise.resolve();
    const until = performance.now() + WORK_MS;
    while (performance.now() < until);
    context.body = context.path;
  });
  return app;
}

// Another program may be busy meanwhile, so a bad figure is measured again.
it('D-04 many requests that come at once leave turns of the event loop to the machines', { retry: 2 }, async () => {
  const turns = new RequestTurns(busyApp().callback());
  const lags: number[] = [];
  let before = performance.now();
  // They are handed over in one turn, as if hundreds of sockets could be read at the same time.
  const gathered: Parameters<typeof turns.handle>[] = [];
  const server = createServer((request, response) => {
    gathered.push([request, response]);
    if (gathered.length < REQUESTS) return;
    // The time that the client of this test needed to ask does not count.
    lags.length = 0;
    before = performance.now();
    for (const one of gathered) turns.handle(...one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const timer = setInterval(() => {
    const now = performance.now();
    lags.push(now - before);
    before = now;
  });
  const paths = Array.from({ length: REQUESTS }, (_, index) => `/${index}`);
  const answers = await Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()));
  clearInterval(timer);
  server.close();

  expect(answers).toEqual(paths);
  expect(Math.max(...lags)).toBeLessThan(REQUESTS * WORK_MS * 0.5);
});
