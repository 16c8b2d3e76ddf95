import { expect, it } from 'vitest';
import { createdProfile } from '../../../../../src/domain/profile/library.ts';
import type { Profile } from '../../../../../src/domain/profile/profile.ts';
import { PROFILE_CONTENT } from '../../../../domain/profile/any-profile.ts';
import { newDataDir, openTestCore } from '../../open-test-store.ts';

/** A straight, and bends with straights behind them, `count` features in all. */
function features(count: number): readonly object[] {
  return Array.from({ length: count }, (_, place) =>
    place % 2 === 0 ? { type: 'Straight', length: 1 } : { type: 'Angle', angle: 1 },
  );
}

it.each([
  ['short', 45, 5, [20, 20, 5]],
  ['long', 5, 999, [2, 2, 1]],
])('UP-07 changed profiles are given a few at a time: %s ones', async (_, count, length, expected) => {
  const core = openTestCore(newDataDir());
  const { profiles } = core.mirror;
  profiles.begin();
  const list = Array.from({ length: count }, (__, number) => ({
    ...PROFILE_CONTENT,
    profileId: `P-${number}`,
    features: features(length),
  }));
  expect(await profiles.page(Buffer.from(JSON.stringify(list)))).toEqual({ kind: 'read', records: count, refused: [] });
  const given: string[][] = [];
  for (let next = profiles.next(); next.length > 0; next = profiles.next())
    given.push(next.map(({ profileId }) => profileId));
  expect(given.map((ids) => ids.length)).toEqual(expected);
  expect(given.flat()).toEqual(list.map(({ profileId }) => profileId));
  core.close();
});

it('UP-07 profiles that are gone at the server are given archived, a few at a time', async () => {
  const core = openTestCore(newDataDir());
  const { profiles } = core.mirror;
  const edit = { principal: 'office', date: '2026-01-02T03:04:05.000Z' };
  const kept = Array.from({ length: 25 }, (_, number) => createdProfile(`P-${number}`, PROFILE_CONTENT, edit));
  core.write(kept.map((profile) => ({ kind: 'profile', profile, thumbnail: null })));
  const given: Profile[][] = [];
  // A record is removed after two readings without it, or twelve if all are missing.
  for (let reading = 0; reading < 12; reading++) {
    profiles.begin();
    await profiles.page(Buffer.from('[]'));
    await profiles.archiveGone(edit.date);
    for (let next = profiles.next(); next.length > 0; next = profiles.next()) given.push([...next]);
  }
  expect(given.map((ones) => ones.length)).toEqual([20, 5]);
  expect(given.flat().every(({ archived }) => archived)).toBe(true);
  core.close();
});
