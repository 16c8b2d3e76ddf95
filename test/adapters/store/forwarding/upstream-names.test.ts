import { expect, it } from 'vitest';
import { createdProfile } from '../../../../src/domain/profile/library.ts';
import { PROFILE_CONTENT } from '../../../domain/profile/any-profile.ts';
import { newDataDir, openTestCore, START_AT, type TestCore } from '../open-test-store.ts';
import { FORWARDING } from './queued-records.ts';

const CREATED = '2026-01-02T03:04:05.000Z';
const CREATED_AT = Date.parse(CREATED);
const EDIT = { principal: 'office', date: new Date(START_AT).toISOString() };

/** A gateway whose profile P-1 has the name up-1 at the central server with that address. */
function namedAt(server: string, createdAt: number | null, dataDir = newDataDir()): string {
  const core = openTestCore(dataDir, 'run', false, { ...FORWARDING, server });
  const profile = createdProfile('P-1', PROFILE_CONTENT, EDIT);
  core.write([
    { kind: 'profile', profile, thumbnail: null },
    { kind: 'profileNamed', profileId: 'P-1', upstreamId: 'up-1', createdAt },
  ]);
  core.close();
  return dataDir;
}

function nameIn({ forwarding }: TestCore) {
  return forwarding.memories.of(1, 'P-1').name;
}

/** Reads the list of profiles of the present server, which has one that is called up-1. */
async function mirrored(core: TestCore, record: object) {
  const { profiles } = core.mirror;
  profiles.begin();
  const bytes = Buffer.from(JSON.stringify([{ ...PROFILE_CONTENT, profileId: 'up-1', ...record }]));
  const read = await profiles.page(bytes);
  if (read.kind !== 'read') throw new Error(read.kind);
  return profiles.next().map(({ profileId, profileName }) => `${profileId} ${profileName}`);
}

it('D-30 the server’s name for our profile is valid at the server’s address, and unconfirmed at another', () => {
  const dataDir = namedAt('a', CREATED_AT);
  for (const [server, isElsewhere] of [
    ['a', false],
    ['b', true],
    ['a', false],
  ] as const) {
    const core = openTestCore(dataDir, 'run', false, { ...FORWARDING, server });
    expect(nameIn(core)).toEqual({ upstreamId: 'up-1', createdAt: CREATED_AT, isElsewhere });
    core.close();
  }
});

it('D-30 UP-07 the mirror notes the creation time of a named record, and recognises by it a server that moved', async () => {
  const dataDir = namedAt('a', null);
  const before = openTestCore(dataDir, 'run', false, { ...FORWARDING, server: 'a' });
  expect(await mirrored(before, { createdDate: CREATED })).toEqual([]);
  expect(nameIn(before)).toMatchObject({ createdAt: CREATED_AT });
  before.close();
  const moved = openTestCore(dataDir, 'run', false, { ...FORWARDING, server: 'b' });
  expect(await mirrored(moved, { createdDate: CREATED, profileName: 'as changed there' })).toEqual([
    'P-1 as changed there',
  ]);
  expect(nameIn(moved)).toEqual({ upstreamId: 'up-1', createdAt: CREATED_AT, isElsewhere: false });
  expect(moved.mirror.profiles.nameOf('P-1')).toBe('up-1');
  moved.close();
});

it.each([
  [CREATED_AT, { createdDate: '2026-01-02T03:04:06.000Z' }],
  [CREATED_AT, {}],
  [null, { createdDate: CREATED }],
])(
  'D-30 UP-07 a record with the name at another server but another creation time is not ours: %s, %j',
  async (at, record) => {
    const core = openTestCore(namedAt('a', at), 'run', false, { ...FORWARDING, server: 'b' });
    expect(await mirrored(core, { profileName: 'theirs', ...record })).toEqual(['up-1 theirs']);
    expect(nameIn(core)).toMatchObject({ isElsewhere: true });
    expect(core.mirror.profiles.nameOf('P-1')).toBe('P-1');
    core.close();
  },
);

it('D-30 UP-07 a record of another server with our own id changes nothing about the name at the first server', async () => {
  const dataDir = namedAt('a', CREATED_AT);
  const other = openTestCore(dataDir, 'run', false, { ...FORWARDING, server: 'b' });
  await mirrored(other, { profileId: 'P-1', createdDate: '2027-01-01T00:00:00.000Z' });
  expect(nameIn(other)).toEqual({ upstreamId: 'up-1', createdAt: CREATED_AT, isElsewhere: true });
  other.close();
  const back = openTestCore(dataDir, 'run', false, { ...FORWARDING, server: 'a' });
  expect(nameIn(back)).toMatchObject({ upstreamId: 'up-1', isElsewhere: false });
  back.close();
});

/** More complete readings in a row than it takes until a missing record is removed. */
const READINGS = 15;

it.each([
  ['is not archived while a record with its name cannot be read', { profileName: 7 }, []],
  ['is archived once it is missing', { profileId: 'up-2' }, ['P-1']],
])('D-30 UP-07 a profile of ours at a server that moved %s', async (_, record, expected) => {
  const core = openTestCore(namedAt('a', CREATED_AT), 'run', false, { ...FORWARDING, server: 'b' });
  const archived: string[] = [];
  for (let reading = 0; reading < READINGS; reading++) {
    await mirrored(core, record);
    await core.mirror.profiles.archiveGone(CREATED);
    archived.push(...core.mirror.profiles.next().map(({ profileId }) => profileId));
  }
  expect(archived).toEqual(expected);
  core.close();
});
