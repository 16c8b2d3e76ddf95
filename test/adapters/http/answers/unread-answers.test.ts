import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import Koa from 'koa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnreadAnswers } from '../../../../src/adapters/http/answers/unread-answers.ts';
import { LIMITS } from '../../../../src/adapters/http/limits.ts';
import { bind, createServer, stop } from '../../../../src/adapters/http/server.ts';
import { IncidentLog } from '../../../../src/flows/local-api/incident-log.ts';
import { OpenConnections } from '../../../../src/runtime/network/open-connections.ts';
import { quietLog } from '../../store/open-test-store.ts';

const certificates = path.join(import.meta.dirname, '../../broker/certificates');
const read = (file: string) => readFileSync(path.join(certificates, file));
const TLS = { cert: read('server.pem'), key: read('server.key'), pace: () => undefined };
const LINES = [
  ['plain', null],
  ['TLS', TLS],
] as const;
/** More than the system's buffers for one connection, and less than half of the bound for unread bytes. */
const LONG_BYTES = 5.5 * 1_048_576;
const SHARED = Buffer.alloc(LONG_BYTES, 'x');

let nowMs: number;
let incidents: IncidentLog;
let unread: UnreadAnswers;
let connections: OpenConnections;
let server: Server;
let port: number;
/** Answers to `/held` are made when this resolves. */
let gate: PromiseWithResolvers<void>;
const sockets: Socket[] = [];

beforeEach(() => {
  nowMs = 0;
  gate = Promise.withResolvers();
  incidents = new IncidentLog({ now: () => ({ monotonicMs: nowMs, wallMs: nowMs }) }, quietLog);
  unread = new UnreadAnswers(incidents, () => nowMs);
  connections = new OpenConnections(LIMITS, () => undefined);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await stop(server, connections);
});

async function serve(tls: typeof TLS | null): Promise<void> {
  const app = new Koa();
  app.use(async (context, next) => {
    try {
      await next();
    } catch {
      context.status = 503;
      context.body = 'too much';
    }
  });
  app.use(unread.guard);
  app.use(async (context) => {
    if (context.path === '/held') await gate.promise;
    if (context.path === '/shared') unread.share(context.res);
    context.body = context.path === '/shared' ? SHARED : Buffer.alloc(LONG_BYTES, 'x');
    if (context.path === '/short') context.body = 'short';
  });
  app.silent = true;
  server = createServer(app.callback(), tls, { connections, unread, incidents, proxies: null });
  port = await bind(server, 'http', { host: '127.0.0.1', port: 0 });
}

/** A client that sends a request and reads nothing until the test lets it. */
async function ask(tls: typeof TLS | null, where?: string): Promise<Socket> {
  const socket =
    tls === null ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, tls === null ? 'connect' : 'secureConnect');
  socket.pause();
  if (where !== undefined) socket.write(`GET ${where} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await settle();
  return socket;
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60));
}

/** Reads at least this number of bytes; gives the number of read bytes. */
async function take(socket: Socket, bytes: number): Promise<number> {
  let taken = 0;
  while (taken < bytes && !socket.destroyed) {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) await once(socket, 'readable');
    else taken += chunk.length;
  }
  return taken;
}

/** Lets the time pass, second by second. */
function pass(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    nowMs += 1_000;
    unread.sweep();
  }
}

async function statusOf(socket: Socket): Promise<string> {
  if (socket.readableLength === 0) await once(socket, 'readable');
  return String(socket.read()).slice(9, 12);
}

describe.each(LINES)('over %s', (_, tls) => {
  it('D-25 a client that reads nothing of its answer is cut off after 20 s, and named', async () => {
    await serve(tls);
    await ask(tls, '/long');
    pass(19);
    expect(incidents.entries('slowReader')).toEqual([]);
    pass(2);
    expect(incidents.entries('slowReader')).toMatchObject([
      { detail: expect.stringContaining('cut off: it read none') },
    ]);
    await expect.poll(() => connections.total).toBe(0);
  });

  it('D-25 a client that reads slowly and steadily gets the whole answer', async () => {
    await serve(tls);
    const socket = await ask(tls, '/long');
    for (let taken = 0; taken < LONG_BYTES; ) {
      taken += await take(socket, Math.min(2 * 1_048_576, LONG_BYTES - taken));
      await settle();
      pass(15);
    }
    expect(incidents.entries('slowReader')).toEqual([]);
  });

  it('D-25 simultaneous answers do not exceed the bound together', async () => {
    await serve(tls);
    const asking = await Promise.all(Array.from({ length: 12 }, () => ask(tls, '/held')));
    gate.resolve();
    const statuses = await Promise.all(asking.map(statusOf));
    expect(statuses).toContain('200');
    expect(statuses).toContain('503');
  });
});

it('D-25 clients that read nothing of a document share its memory', async () => {
  await serve(null);
  await Promise.all(Array.from({ length: 20 }, () => ask(null, '/shared')));
  nowMs += LIMITS.unreadCountMs;
  expect(await statusOf(await ask(null, '/short'))).toBe('200');
});

it('D-25 requests that wait behind unread answers take a bounded memory over all connections', async () => {
  await serve(null);
  const padded = `GET /shared HTTP/1.1\r\nHost: localhost\r\nX-Pad: ${'x'.repeat(15_000)}\r\n\r\n`;
  const clients = Math.ceil(LIMITS.waitingRequestBytes / (7 * padded.length)) + 10;
  const asking = await Promise.all(Array.from({ length: clients }, () => ask(null)));
  for (const socket of asking) socket.write(padded.repeat(8));
  await expect.poll(() => incidents.entries('limitReached').length).toBeGreaterThan(0);
  expect(incidents.entries('limitReached')[0]?.detail).toContain(`${LIMITS.waitingRequestBytes} bytes of such wait`);
  await expect.poll(() => connections.total).toBeLessThan(clients);
});
