import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Program, statusOf } from '../program.ts';

const CONNECTIONS = Number(process.env.ATTACK_SCALE ?? 1) > 1 ? 3_000 : 600;
const PIPELINED = 8;
const MIB = 1_048_576;
const MAX_GROWTH_BYTES = 160 * MIB;

/** V8 has the settings of `npm start` and of the service. */
const environment = { ...process.env, NODE_OPTIONS: '--max-semi-space-size=8' };

let program: Program;
const sockets: Socket[] = [];

beforeEach(async () => {
  program = await Program.start({ environment });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await program.end();
});

/** Connections that send requests and read no answer. */
async function attack(requests: string): Promise<void> {
  for (let from = 0; from < CONNECTIONS; from += 100) {
    const opened = await Promise.all(
      Array.from({ length: 100 }, () => {
        return new Promise<Socket>((resolve) => {
          const socket = connect({ port: program.httpPort, host: '127.0.0.1' }, () => {
            socket.write(requests);
            resolve(socket);
          });
          socket.on('error', () => resolve(socket));
        });
      }),
    );
    sockets.push(...opened);
  }
}

async function scriptOfPage(): Promise<string> {
  const [, path = 'none'] = /src="([^"]+\.js)"/.exec((await program.get('/')).text) ?? [];
  return path;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('HTTP clients that send requests and read no answer', () => {
  // All answers of the first two would take more than 1 GiB; those of /metrics are small, but made for each request.
  // Resident memory depends on when V8 collects garbage, so a bad figure is measured again.
  it.each(['/openapi.json', 'the script of the page', '/metrics'])(
    'HTTP-01, D-25 do not hold memory with %s, and machines are answered',
    { timeout: 40_000, retry: 3 },
    async (name) => {
      const path = name.startsWith('/') ? name : await scriptOfPage();
      expect((await program.get(path)).status).toBe(200);
      const before = program.residentBytes();
      await attack(get(path).repeat(PIPELINED));
      const slowest = { ms: 0 };
      for (let count = 1; count <= 20; count++) {
        const from = performance.now();
        expect((await program.device('status', statusOf({ mSecSinceBoot: 1_000 + count }))).status).toBe(200);
        slowest.ms = Math.max(slowest.ms, performance.now() - from);
        await pause(100);
      }
      const growth = program.residentBytes() - before;
      console.info({
        path,
        connections: CONNECTIONS,
        growthMb: Math.round(growth / MIB),
        slowestMs: Math.round(slowest.ms),
      });
      expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
      expect(slowest.ms).toBeLessThan(1_000);
    },
  );

  it('D-25 lose a connection with more requests than may wait, and keep one that waits for its answers', async () => {
    await attack(get('/healthz').repeat(100));
    const waiting = connect({ port: program.httpPort, host: '127.0.0.1' });
    let answers = '';
    waiting.on('data', (bytes) => {
      answers += bytes;
    });
    waiting.write(get('/healthz').repeat(PIPELINED));
    await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)?.length, { timeout: 20_000 }).toBe(PIPELINED);
    waiting.destroy();
    const { body } = await program.api('GET', '/diagnostics');
    expect(body.counts.limitReached).toBeGreaterThan(0);
  }, 40_000);
});
