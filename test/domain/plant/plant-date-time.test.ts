import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLocalDateTime, isUtcDateTime } from '../../../src/domain/plant/plant-date-time.ts';

describe('TASK-01 COIL-01 dates of the plant', () => {
  it('are read for every instant from 1970 on, as the interface writes it', () => {
    const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (instant) => {
        const text = instant.toISOString();
        expect(isUtcDateTime(text)).toBe(true);
        expect(isLocalDateTime(text.slice(0, -1))).toBe(true);
        expect(isLocalDateTime(text)).toBe(false);
        expect(isUtcDateTime(text.slice(0, -1))).toBe(false);
      }),
    );
  });

  it.each([
    '',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00z',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00Z',
    '2026-01-01',
    '+012026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
  ])('are refused for %j', (text) => {
    expect(isUtcDateTime(text)).toBe(false);
    expect(isLocalDateTime(text.replace(/Z$/, ''))).toBe(false);
  });
});
