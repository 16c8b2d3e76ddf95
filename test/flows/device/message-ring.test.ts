import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_RING_BYTES, MAX_RING_MESSAGES, MessageRing } from '../../../src/flows/device/message-ring.ts';

interface Said {
  readonly at?: number;
  readonly name?: string;
  readonly reason?: string | null;
  readonly raw?: Buffer;
}

function keep(ring: MessageRing, text: string, { at = 1, name = '', reason = null, raw }: Said = {}): void {
  const sent = { transport: 'mqtt', duplicate: false } as const;
  const origin = raw === undefined ? sent : { ...sent, raw, rawAt: 2 };
  ring.keep({ topic: 'status/', name, text, origin }, { outcome: reason === null ? 'taken' : 'refused', reason }, at);
}

interface Sent {
  readonly text: string;
  readonly name: string;
  readonly reason: string | null;
}

/** Checks that the kept messages are sent ones, in their order. */
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
    for (let count = 0; count < 120; count++) keep(ring, `message ${count}`, { at: count });
    const kept = ring.messages();
    expect(kept.length).toBe(MAX_RING_MESSAGES);
    expect(kept.map(({ bytes }) => bytes.toString())).toEqual(
      Array.from({ length: MAX_RING_MESSAGES }, (_, age) => `message ${119 - age}`),
    );
    expect(ring.total).toBe(120);
  });

  it('D-25 are the newest ones and complete for any lengths, in bounded memory', () => {
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
          keep(ring, text, { at, name, reason, ...(isRaw && { raw: Buffer.from(`..${text}`) }) });
          const kept = ring.messages();
          expect(kept.length).toBeGreaterThan(0);
          expect(kept.length).toBeLessThanOrEqual(MAX_RING_MESSAGES);
          expect(kept.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(MAX_RING_BYTES);
        }
        expectSent(ring, all);
      }),
    );
  });

  it('D-25 are cut if they are long, and their whole length stays known', () => {
    const ring = new MessageRing();
    keep(ring, 'x'.repeat(100_000));
    const [kept] = ring.messages();
    expect(kept?.bytes.length).toBe(4_096);
    expect(kept?.length).toBe(100_000);
  });
});

describe('the rings of all machines', () => {
  it.each([
    [1, 12_288],
    [500, 12_288],
    [1_000, 6_291],
    [100_000, 4_096],
  ])('D-25 share the room: each of %i machines keeps its newest message, in %i bytes', (machines, mostBytes) => {
    const ring = new MessageRing(machines);
    for (let count = 0; count < 200; count++) {
      keep(ring, 'x'.repeat(5_000), { at: count, name: 'y'.repeat(500), reason: 'z'.repeat(2_000) });
      expect(ring.messages()[0]?.at).toBe(count);
    }
    for (let count = 0; count < 200; count++) keep(ring, 'x'.repeat(500));
    const keptBytes = ring.messages().reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(keptBytes).toBeLessThanOrEqual(mostBytes);
    expect(keptBytes).toBeGreaterThan(mostBytes - 1_000);
    keep(ring, 'the newest');
    expect(ring.messages()[0]?.bytes.toString()).toBe('the newest');
  });
});
