import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { uploadMs } from '../../../src/domain/sync/slowest-uplink.ts';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const BODY_BYTES = 1_048_576;
const LONGER_MS = LIMITS.requestTimeoutMs + uploadMs(BODY_BYTES);
/** Two turns of the sweep. */
const SWEPT_MS = 2_200;

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A request whose body is not complete, after that time: what came back, or null while it may go on. */
async function answerAfter(path: string, key: string, forMs: number): Promise<string | null> {
  const socket: Socket = connect(gateway.port, '127.0.0.1');
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ApiKey ${key}\r\n`;
  const body = `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n{`;
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(head + body);
  await new Promise((resolve) => setTimeout(resolve, 300));
  gateway.pass(forMs);
  await new Promise((resolve) => setTimeout(resolve, SWEPT_MS));
  socket.destroy();
  return text === '' ? null : text.slice(0, 'HTTP/1.1 408'.length);
}

describe('a body that comes slowly', () => {
  it.each<readonly [string, string, () => string, number, string | null]>([
    ['of a batch goes on after 20 s', '/api/v1/sync', () => keyOf('gateway'), LIMITS.requestTimeoutMs, null],
    ['of a batch ends with the slowest line', '/api/v1/sync', () => keyOf('gateway'), LONGER_MS, 'HTTP/1.1 408'],
    ['of an order ends after 20 s', '/api/v1/orders/add', () => keyOf('business'), 20_000, 'HTTP/1.1 408'],
    ['of an order goes on before', '/api/v1/orders/add', () => keyOf('business'), 15_000, null],
  ])('D-27 D-25 %s', { timeout: 10_000 }, async (_, path, key, forMs, answer) => {
    expect(await answerAfter(path, key(), forMs)).toBe(answer);
  });

  it('D-27 of a batch without a right key is refused at once', async () => {
    expect(await answerAfter('/api/v1/sync', 'no-such-key-0123456789', 0)).toBe('HTTP/1.1 401');
  });
});
