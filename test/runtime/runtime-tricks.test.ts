import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { collectAllStartGarbage } from '../../src/adapters/store/thread/start-garbage.ts';
import { tlsPeerAddress } from '../../src/runtime/network/tls-peer.ts';
import { endInBody, onReceived, readIntoSharedBuffer } from '../../src/runtime/tune-engine.ts';

/** Each trick on the internals of the engine or of Node silently has no effect if these have changed. */
describe('settings of the engine', () => {
  const flags = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });

  it.each([
    'allocation-site-pretenuring',
    'heap-growing-percent',
    'wasm-wrapper-tiering-budget',
    'max-semi-space-size',
    'optimize-for-size',
    'compact',
  ])('the engine has the flag --%s', (flag) => {
    expect(flags).toMatch(new RegExp(`^\\s+--(no-)?${flag} `, 'm'));
  });

  it('garbage of a thread is collected on request', async () => {
    let large: number[][] | null = Array.from({ length: 100 }, () => Array.from({ length: 10_000 }, Math.random));
    const before = process.memoryUsage().heapUsed;
    expect(large.length).toBe(100);
    large = null;
    await collectAllStartGarbage();
    expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(4_000_000);
  });

  it('a thread that collects leaves the flags of all threads alone', async () => {
    setFlagsFromString('--expose-gc');
    await collectAllStartGarbage();
    const seen: unknown = runInNewContext('typeof gc');
    setFlagsFromString('--no-expose-gc');
    expect(seen).toBe('function');
  });
});

/** Runs a script in a process of its own, with one argument; gives the MiB that it prints. */
function printedMiB(script: string, choice: string, youngHalfMiB: number): number {
  const options = [`--max-semi-space-size=${youngHalfMiB}`, '--input-type=commonjs'];
  return Number(execFileSync(process.execPath, [...options, '--eval', script, choice], { encoding: 'utf8' }));
}

/**
 * Holds 120 MB for a moment, and makes garbage all the time. With `afterOther` another thread holds as much before.
 * Prints the resident MiB when the heap was small for two seconds.
 */
const FLOOD = `
  const { Worker } = require('node:worker_threads');
  const { returnUnusedHeap } = require('./src/runtime/tune-engine.ts');
  require('node:v8').setFlagsFromString('--heap-growing-percent=10');
  const choice = process.argv[1];
  const timing = { lookMs: 50, calmMs: 500 };
  const numbers = (count) => Array.from({ length: count }, Math.random);
  let flood = Array.from({ length: 5_000 }, () => numbers(3_000));
  let isOver = false;
  const endFlood = () => {
    flood = null;
    isOver = true;
  };
  if (choice === 'afterOther') {
    const hold = 'globalThis.kept = Array.from({ length: 120 }, () => new Array(131_072).fill(1.5));';
    const other = new Worker(hold + "require('node:worker_threads').parentPort.on('message', () => 0).postMessage(0);", { eval: true });
    other.once('message', () => {
      returnUnusedHeap(timing);
      setTimeout(() => other.terminate(), 700);
      setTimeout(endFlood, 1_800);
    });
  } else {
    returnUnusedHeap(timing);
    setTimeout(endFlood, 500);
  }
  const work = [];
  let made = 0;
  setInterval(() => {
    for (let count = 0; count < 40; count++) work[made++ % 1_000] = numbers(500);
  }, 10);
  let calm = 0;
  setInterval(() => {
    const { heapTotal, rss } = process.memoryUsage();
    calm = isOver && heapTotal < 60 * 1_048_576 ? calm + 1 : 0;
    if (calm === 20) {
      console.log(Math.round(rss / 1_048_576));
      process.exit();
    }
  }, 100);
`;

describe('a heap that was large in a flood', () => {
  it.each([
    ['is given back while the thread works', 'return'],
    ['is given back although another thread held as much memory before', 'afterOther'],
  ])('%s', (_, choice) => {
    expect(printedMiB(FLOOD, choice, 8)).toBeLessThanOrEqual(130);
  });
});

/** Answers one request by Koa, and prints whether Node loaded fetch for it. */
const ANSWER_BY_KOA = `
  const { get } = require('node:http');
  const Koa = require('koa');
  const { keepFetchUnloaded } = require('./src/runtime/tune-engine.ts');
  if (process.argv[1] === 'keep') keepFetchUnloaded();
  const server = new Koa().use((context) => { context.body = { status: 'ok' }; }).listen(0, () => {
    get({ port: server.address().port, agent: false }, (answer) => {
      answer.resume().on('end', () => {
        console.log(process.moduleLoadList.some((name) => name.includes('undici/undici')));
        server.close();
      });
    });
  });
`;

describe('an answer by Koa', () => {
  it.each([
    ['keep', 'false'],
    ['leave', 'true'],
  ])('loads fetch unless its Response is replaced: %s', (choice, isLoaded) => {
    const words = ['--input-type=commonjs', '--eval', ANSWER_BY_KOA, choice];
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' }).trim()).toBe(isLoaded);
  });
});

describe('a TLS client that hangs up', () => {
  it('is known by its address if the address of the lower socket was read before', async () => {
    const server = createTlsServer({});
    server.on('connection', (socket: Socket) => socket.remoteAddress);
    const address = new Promise((resolve) => {
      server.once('tlsClientError', (_, secured) => resolve(tlsPeerAddress(secured)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    const client = connect(bound instanceof Object ? bound.port : 0, '127.0.0.1', () => client.end());
    expect(await address).toBe('127.0.0.1');
    client.destroy();
    server.close();
  });
});

describe('the shared read buffer', () => {
  it('all connections of a server read into one buffer, and the server counts and ends them', async () => {
    const buffers: ArrayBufferLike[] = [];
    const texts: string[] = [];
    const sockets: Socket[] = [];
    const server = createServer(() => expect.unreachable('the connection came the ordinary way'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    readIntoSharedBuffer(server, 1_024, (socket) => {
      sockets.push(socket);
      onReceived(socket, (bytes) => {
        buffers.push(bytes.buffer);
        texts.push(bytes.toString());
      });
      socket.resume();
    });
    const address = server.address();
    const port = address instanceof Object ? address.port : 0;
    const clients = ['one', 'two'].map((text) =>
      connect(port, '127.0.0.1', function (this: Socket) {
        this.write(text);
      }),
    );
    await expect.poll(() => texts.toSorted()).toEqual(['one', 'two']);
    expect(new Set(buffers).size).toBe(1);
    for (const client of clients) client.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
});

describe('a body in chunks of one byte', () => {
  const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

  it('is not read beyond the chunk at which its connection was ended, and the next connection is read whole', async () => {
    let chunks = 0;
    const server = createHttpServer((request, response) => {
      request.on('data', () => {
        chunks += 1;
        if (chunks % 10 === 0) endInBody(request);
      });
      request.on('end', () => response.end('whole'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    const send = (count: number) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const client = connect(bound instanceof Object ? bound.port : 0, '127.0.0.1', () =>
          client.write(`${CHUNKED}${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`),
        );
        client.on('error', () => undefined);
        client.on('data', (bytes) => {
          answer += bytes;
          client.end();
        });
        client.on('close', () => resolve(answer));
      });
    for (const round of [1, 2, 3]) {
      expect(await send(5_000)).toBe('');
      expect(chunks).toBe(10 * round);
    }
    expect(await send(9)).toMatch(/whole$/);
    expect(chunks).toBe(39);
    server.close();
  });
});
