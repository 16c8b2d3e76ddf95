import { expect, it } from 'vitest';
import { MessageFeed } from '../../../src/adapters/broker/readers/message-feed.ts';
import { NO_BYTES, payloadOf } from '../../../src/adapters/broker/readers/payload.ts';
import { collectAllStartGarbage } from '../../../src/adapters/store/thread/start-garbage.ts';

it.each([
  ['short', 4, 8],
  ['long', 1, 900],
  ['deep', 32, 8],
  ['deep and long', 32, 30],
])('MQTT-12 the feed takes no more memory than it counts: topics are %s', async (_, depth, length) => {
  await collectAllStartGarbage();
  const before = process.memoryUsage().heapUsed;
  const feed = new MessageFeed(0);
  for (let number = 0; number < 20_000; number++) {
    const level = (index: number) =>
      String(number * 31 + index * 7_919)
        .padStart(length, 'x')
        .slice(-length);
    const topic = Buffer.from(Array.from({ length: depth }, (_, index) => level(index)).join('/')).toString();
    const message = {
      topic,
      levels: topic.split('/'),
      payload: payloadOf(Buffer.from('1')),
      qos: 1,
      kind: 'other',
    } as const;
    feed.append({
      ...message,
      sender: 'hmi',
      retain: false,
      properties: NO_BYTES,
      expiresAtMs: Number.POSITIVE_INFINITY,
    });
  }
  await collectAllStartGarbage();
  const taken = process.memoryUsage().heapUsed - before;
  expect(feed.bytes).toBeGreaterThan(4_000_000);
  expect(taken / feed.bytes).toBeLessThan(1.15);
});
