import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptMessage } from '../../../src/flows/device/kept-message.ts';

describe('the last message of a device', () => {
  it('DEV-20 keeps each message word for word after any other message', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { minLength: 1 });
    fc.assert(
      fc.property(texts, ([first = '', ...later]) => {
        const kept = new KeptMessage(first, 1, 'mqtt');
        expect(kept.text).toBe(first);
        for (const [place, text] of later.entries()) {
          kept.replace(text, place, 'http');
          expect({ ...kept, text: kept.text }).toEqual({ text, at: place, transport: 'http' });
        }
      }),
    );
  });

  it('is cut when it is long', () => {
    const kept = new KeptMessage('ä'.repeat(10_000), 1, 'mqtt');
    expect(kept.text).toBe('ä'.repeat(4_096));
  });
});
