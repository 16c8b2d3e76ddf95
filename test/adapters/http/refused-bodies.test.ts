import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const PIECE = Buffer.alloc(45_000, ' ');
const TRIES = 10;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ requestsPerSecond: 1 });
});
afterAll(() => gateway.close());

/** Sends a body as quickly as a program does that writes all of it before it reads. Gives the answer, or the error. */
function upload(key: string, bodyBytes: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    const head = `POST /api/v1/orders/add HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ApiKey ${key}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${bodyBytes}\r\n\r\n`);
    let leftBytes = bodyBytes;
    const writing = setInterval(() => {
      if (leftBytes <= 0) return;
      socket.write(PIECE.subarray(0, Math.min(PIECE.length, leftBytes)));
      leftBytes -= PIECE.length;
    }, 1);
    const settle = (result: string) => {
      clearInterval(writing);
      socket.destroy();
      resolve(result);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error) => settle(error.message));
    socket.on('close', () => settle(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 401'.length)));
  });
}

it.each([
  ['an unknown key', 'no-such-key-0123456789', ['401']],
  ['a key of another role, or of one that asks too often', keyOf('viewer'), ['403', '429']],
])('a client that still writes its body reads the refusal of %s', { timeout: 30_000 }, async (_, key, statuses) => {
  const answers: string[] = [];
  for (let count = 0; count < TRIES; count += 1) answers.push(await upload(key, 900_000));
  expect([...new Set(answers)].sort()).toEqual(statuses);
});
