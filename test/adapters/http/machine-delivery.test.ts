import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from './gateway-under-test.ts';
import { ANGLE, type LibraryUnderTest, profileOf, STRAIGHT, startLibrary } from './v1/warehouse-under-test.ts';

const FIRST = 'SN-01:reg:secret-1';
const SECOND = 'SN-02:reg:secret-2';

let library: LibraryUnderTest;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library.close());

interface Changes {
  readonly cursor: string;
  readonly more: boolean;
  readonly changes: readonly { readonly profileId: string }[];
}

async function fetched(credentials: string, since?: string): Promise<Changes> {
  const { status, body } = await library.fetch(
    credentials,
    since === undefined ? '' : `?since=${encodeURIComponent(since)}`,
  );
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as Changes;
}

/** The cursor of a machine that has fetched everything. */
async function cursorOf(credentials: string): Promise<string> {
  let answer = await fetched(credentials);
  while (answer.more) answer = await fetched(credentials, answer.cursor);
  return answer.cursor;
}

describe('SYNC-01 the sender of a fetch', () => {
  it.each<[string, string | undefined]>([
    ['nobody', undefined],
    ['an API key', `ApiKey ${keyOf('admin')}`],
    ['an API key as Basic', `Basic ${Buffer.from(`erp:${keyOf('admin')}`).toString('base64')}`],
    ['an unknown serial number', `Basic ${Buffer.from('SN-99:reg:secret-1').toString('base64')}`],
    ['a wrong registration key', `Basic ${Buffer.from('SN-01:wrong').toString('base64')}`],
    ['the key of another machine', `Basic ${Buffer.from('SN-01:reg:secret-2').toString('base64')}`],
    ['no registration key', `Basic ${Buffer.from('SN-01').toString('base64')}`],
    ['no base64', 'Basic SN-01:reg:secret-1'],
  ])('may not be %s: 401 in the same words', async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await library.call('GET', '/api/machine/profiles', undefined, headers);
    expect(answer).toMatchObject({
      status: 401,
      body: { errors: ['Authorization: expected "Basic " and a machine’s serial number and registration key'] },
    });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="plantgate", charset="UTF-8"');
  });

  it('may be a machine with its serial number and registration key, which may contain colons', async () => {
    expect((await library.fetch(FIRST)).status).toBe(200);
  });

  it('SYNC-01 is slowed down after too many wrong tries, while a known machine goes on', async () => {
    const strict = await startLibrary();
    try {
      expect((await strict.fetch(FIRST)).status).toBe(200);
      const wrong = (count: number) => strict.fetch(`SN-01:${count}`);
      for (let count = 0; count < 10; count += 1) expect((await wrong(count)).status).toBe(401);
      const startedMs = performance.now();
      const slowed = await Promise.all([10, 11, 12, 13, 14, 15].map(wrong));
      expect(slowed.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 429, 429]);
      expect(slowed.find(({ status }) => status === 429)).toMatchObject({
        headers: { 'retry-after': '5' },
        body: { errors: [expect.stringContaining('too many wrong registration keys')] },
      });
      expect(performance.now() - startedMs).toBeGreaterThan(900);
      expect((await strict.fetch(FIRST)).status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  it('loses access when its key changes', async () => {
    await library.setMachine('RF-02', { registrationKey: 'new' });
    expect((await library.fetch(SECOND)).status).toBe(401);
    expect((await library.fetch('SN-02:new')).status).toBe(200);
    await library.setMachine('RF-02', { registrationKey: 'reg:secret-2' });
  });

  it('cannot act on the business interface with it', async () => {
    const headers = { authorization: `Basic ${Buffer.from(FIRST).toString('base64')}` };
    expect((await library.call('GET', '/api/v1/profiles', undefined, headers)).status).toBe(401);
  });
});

describe('profiles that a machine fetches', () => {
  let cursor: string;
  beforeEach(async () => {
    cursor = await cursorOf(FIRST);
  });

  it('SYNC-03 have every field except the labels of the features, and a picture', async () => {
    const content = { description: 'Notes', category: 'Trim', subCategory: 'Roof', paintedSide: 'Negative' };
    const { profileId } = await library.create({
      ...content,
      features: [{ ...STRAIGHT, name: 'Leg' }, ANGLE, STRAIGHT],
    });
    const { changes, more } = await fetched(FIRST, cursor);
    expect(more).toBe(false);
    expect(changes).toEqual([
      {
        change: 'upsert',
        profileId,
        revision: 1,
        name: 'Drip edge',
        ...content,
        blankWidth: 4,
        features: [
          { ...STRAIGHT, hemHeight: 0 },
          { ...ANGLE, hemHeight: 0 },
          { ...STRAIGHT, hemHeight: 0 },
        ],
        thumbnail: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/),
      },
    ]);
  });

  it('SYNC-02 SYNC-04 are those changed, moved here, moved away or archived since its cursor', async () => {
    const [changed, arriving, leaving, archived] = await Promise.all([
      library.create(),
      library.create({ owningCatalogId: 2 }),
      library.create(),
      library.create(),
    ]);
    const before = await cursorOf(FIRST);
    await library.business('PUT', `/profiles/${changed.profileId}`, profileOf({ description: 'new' }));
    await library.business('PUT', `/profiles/${arriving.profileId}`, profileOf({ owningCatalogId: 1 }));
    await library.business('PUT', `/profiles/${leaving.profileId}`, profileOf({ owningCatalogId: 2 }));
    await library.business('DELETE', `/profiles/${archived.profileId}`);
    const { changes } = await fetched(FIRST, before);
    expect(changes).toEqual([
      expect.objectContaining({ change: 'upsert', profileId: changed.profileId, revision: 2, description: 'new' }),
      expect.objectContaining({ change: 'upsert', profileId: arriving.profileId, revision: 2 }),
      { change: 'remove', profileId: leaving.profileId },
      { change: 'remove', profileId: archived.profileId },
    ]);
  });

  it.each(['blocked', 'inactive'])('SYNC-05 are an empty change set while the machine is %s', async (state) => {
    await library.create();
    await library.setMachine('RF-01', { state });
    expect(await fetched(FIRST, cursor)).toEqual({ cursor, more: false, changes: [] });
    await library.setMachine('RF-01', { state: 'active' });
    expect((await fetched(FIRST, cursor)).changes).toHaveLength(1);
  });

  it('SYNC-06 come only on request: no route starts a fetch', async () => {
    const { profileId } = await library.create();
    const paths = ['/machines', `/profiles/${profileId}/sync`, `/profiles/${profileId}/publish`];
    for (const path of paths) expect((await library.business('POST', path, {})).status).toBeGreaterThanOrEqual(404);
    expect((await library.call('POST', '/api/machine/profiles', {})).status).toBe(405);
    expect((await fetched(FIRST, cursor)).changes).toHaveLength(1);
  });

  it('SYNC-02 are refused for any other query', async () => {
    expect((await library.fetch(FIRST, '?cursor=1')).status).toBe(400);
    expect((await library.fetch(FIRST, '?since=1&since=2')).status).toBe(400);
  });

  it('SYNC-02 come in pages of bounded size, with any content', async () => {
    for (let count = 0; count < 12; count += 1) {
      const features = Array.from({ length: 999 }, (_, place) => (place % 2 === 0 ? STRAIGHT : ANGLE));
      await library.create({ features, description: 'x'.repeat(10_000) });
    }
    let answer = await library.fetch(FIRST, `?since=${cursor}`);
    let changes = 0;
    let pages = 0;
    for (; ; pages += 1) {
      expect(answer.text.length).toBeLessThan(700_000);
      const page = answer.body as Changes;
      changes += page.changes.length;
      if (!page.more) break;
      answer = await library.fetch(FIRST, `?since=${page.cursor}`);
    }
    expect(changes).toBe(12);
    expect(pages).toBeGreaterThan(0);
  });

  it('SYNC-02 survive an end of the store thread', async () => {
    const { profileId } = await library.create();
    library.testing.crash();
    await expect
      .poll(async () => (await library.fetch(FIRST, `?since=${cursor}`)).status, { timeout: 10_000 })
      .toBe(200);
    expect((await fetched(FIRST, cursor)).changes).toEqual([expect.objectContaining({ profileId })]);
  });
});
