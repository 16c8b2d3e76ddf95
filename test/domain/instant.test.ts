import { afterEach, expect, it, vi } from 'vitest';
import { instantOf } from '../../src/domain/instant.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02t03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04:05.678', '2026-01-02T03:04:05.678Z'],
  ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02 03:04:05-0500', '2026-01-02T08:04:05.000Z'],
])('UP-07 a time without a zone is UTC wherever the gateway stands: %s', (text, expected) => {
  vi.stubEnv('TZ', 'Europe/Rome');
  expect(new Date(instantOf(text)).toISOString()).toBe(expected);
});

it('UP-07 a text that is not a time gives null', () => {
  expect(instantOf('yesterday')).toBeNaN();
});
