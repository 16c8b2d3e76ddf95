import { afterEach, expect, it, vi } from 'vitest';
import { mayBe } from '../../../src/domain/sync/profile-match.ts';
import { PROFILE_CONTENT } from '../profile/any-profile.ts';

const SENT_AT = Date.parse('2026-01-02T12:00:00Z');

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['America/New_York', '2026-01-02T12:00:00', true],
  ['Asia/Tokyo', '2026-01-02T12:00:00', true],
  ['America/New_York', '2026-01-02T07:00:00', false],
  ['Asia/Tokyo', '2026-01-02T12:00:00Z', true],
])('D-30 a time without a zone is UTC wherever the gateway stands: in %s, %s', (timeZone, createdDate, expected) => {
  vi.stubEnv('TZ', timeZone);
  const sent = { content: PROFILE_CONTENT, principal: null, at: SENT_AT };
  expect(mayBe(sent, { ...PROFILE_CONTENT, createdDate })).toBe(expected);
});
