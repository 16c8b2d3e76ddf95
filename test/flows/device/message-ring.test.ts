import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_RING_BYTES,
  MAX_RING_MESSAGES,
  MessageRing,
  type RingMessage,
} from '../../../src/flows/device/message-ring.ts';

function messageOf(text: string, more: Partial<RingMessage> = {}): RingMessage {
  const of = { topic: 'status', name: '', raw: null, rawAt: 0, transport: 'mqtt', qos: 1 } as const;
  return { ...of, text, isRetained: false, outcome: 'taken', reason: null, at: 1, ...more };
}

interface Sent {
  readonly text: string;
  readonly name: string;
  readonly reason: string | null;
}

/** Each message that is kept is one that was sent, in its order. */
function expectSent(ring: MessageRing, all: readonly Sent[]): void {
  for (const [age, message] of ring.messages().entries()) {
    const at = all.length - 1 - age;
    const sent = all[at];
    if (sent === undefined) throw new Error('a message that was never sent');
    const whole = Buffer.from(sent.text);
    const { topic, reason, length } = message;
    expect(message.bytes.equals(whole.subarray(0, message.bytes.length))).toBe(true);
    expect({ topic, reason, length, at: message.at }).toEqual({
      topic: `status/${sent.name}`,
      reason: sent.reason,
      length: whole.length,
      at,
    });
  }
}

describe('the last messages of a machine', () => {
  it('DEV-20 are kept word for word, the newest first, at most 50', () => {
    const ring = new MessageRing();
    for (let count = 0; count < 120; count++) ring.keep(messageOf(`message ${count}`, { at: count }));
    const kept = ring.messages();
    expect(kept.length).toBe(MAX_RING_MESSAGES);
    expect(kept.map(({ bytes }) => bytes.toString())).toEqual(
      Array.from({ length: MAX_RING_MESSAGES }, (_, age) => `message ${119 - age}`),
    );
    expect(ring.total).toBe(120);
  });

  it('D-25 hold the newest messages of any lengths whole, in bounded memory', () => {
    const one = fc.record({
      text: fc.string({ unit: 'grapheme', maxLength: 1_500 }),
      name: fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
      reason: fc.option(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 300 })),
      isRaw: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 150 }), (all) => {
        const ring = new MessageRing();
        for (const [at, { text, name, reason, isRaw }] of all.entries()) {
          const raw = isRaw ? Buffer.from(`..${text}`) : null;
          const outcome = reason === null ? 'taken' : 'refused';
          ring.keep(messageOf(text, { at, name, reason, raw, rawAt: 2, topic: 'status/', outcome }));
          const kept = ring.messages();
          expect(kept.length).toBeGreaterThan(0);
          expect(kept.length).toBeLessThanOrEqual(MAX_RING_MESSAGES);
          expect(kept.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(MAX_RING_BYTES);
        }
        expectSent(ring, all);
      }),
    );
  });

  it('D-25 a long message is cut, and its whole length stays known', () => {
    const ring = new MessageRing();
    ring.keep(messageOf('x'.repeat(100_000)));
    const [kept] = ring.messages();
    expect(kept?.bytes.length).toBe(4_096);
    expect(kept?.length).toBe(100_000);
  });
});
