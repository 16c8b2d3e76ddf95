import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, keyOf } from '../gateway-under-test.ts';
import { ANGLE, type LibraryUnderTest, profileOf, STRAIGHT, startLibrary } from './warehouse-under-test.ts';

let library: LibraryUnderTest;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library.close());

const DATE = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

describe('creating a profile', () => {
  it('D-22 PROF-03 PROF-05 PROF-06 answers 200 with the profile as it is stored', async () => {
    const sent = profileOf({
      description: 'For the north side',
      category: 'Trim',
      subCategory: 'Roof',
      paintedSide: 'Positive',
    });
    const { status, body } = await library.business('POST', '/profiles', sent);
    expect(status).toBe(200);
    expect(body).toEqual({
      profileId: expect.any(String),
      revision: 1,
      ...sent,
      owningCatalogId: 1,
      blankWidth: 4,
      features: [
        { ...STRAIGHT, hemHeight: 0 },
        { ...ANGLE, hemHeight: 0 },
        { ...STRAIGHT, hemHeight: 0 },
      ],
      archived: false,
      createdBy: 'business-principal',
      createdDate: DATE,
      editedBy: 'business-principal',
      editedDate: DATE,
    });
    const { profileId } = body as { readonly profileId: string };
    expect((await library.business('GET', `/profiles/${profileId}`)).body).toEqual(body);
  });

  it('D-34 takes a profile behind a byte order mark', async () => {
    const { status } = await library.business('POST', '/profiles', `\ufeff${JSON.stringify(profileOf())}`);
    expect(status).toBe(200);
  });

  it('PROF-01 PROF-06 D-23 D-24 ERR-01 refuses with 400 and every fault in a bare array', async () => {
    const { status, body, headers } = await library.business('POST', '/profiles', {
      owningCatalogId: 4,
      features: [
        { ...STRAIGHT, length: 0 },
        { type: 'OpenHem', hemHeight: 0 },
        { ...STRAIGHT, length: -1 },
      ],
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: [
        'ProfileName must not be empty.',
        'OwningCatalogId must refer to a valid catalog.',
        "Hems must have a hemDirection of 'Positive' or 'Negative'.",
        'Open hems require a non-negative hemHeight.',
        'Straight features require a non-negative, non-zero length.',
      ],
    });
    expect(JSON.parse(String(headers['plantgate-errors']))).toEqual([
      'profileName: found nothing',
      'owningCatalogId: found 4',
      'features[1].hemDirection: found nothing',
      'features[1].hemHeight: found 0',
      'features[0].length: found 0',
    ]);
  });

  it.each<[string, unknown, number, string]>([
    ['malformed JSON', '{"profileName":', 500, 'invalid JSON'],
    ['no JSON at all', 'profile', 500, 'invalid JSON'],
    ['an unrecognised type', profileOf({ features: [{ type: 'Bend' }] }), 500, 'features[0].type: found "Bend"'],
    [
      'an unrecognised hemDirection',
      profileOf({ features: [STRAIGHT, { type: 'ClosedHem', hemDirection: 'Up' }, STRAIGHT] }),
      500,
      'hemDirection: found "Up"',
    ],
    ['an unrecognised paintedSide', profileOf({ paintedSide: 'Both' }), 500, 'paintedSide: found "Both"'],
    ['an empty body', '', 500, 'body: found nothing'],
    ['a body of white space', ' \n', 500, 'invalid JSON'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 500, 'UTF-8'],
    ['Latin-1', Buffer.from(JSON.stringify(profileOf({ profileName: 'Türe' })), 'latin1'), 500, 'UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(profileOf())}`, 'utf16le'), 500, 'UTF-8'],
    ['UTF-16 without a mark', Buffer.from(JSON.stringify(profileOf()), 'utf16le'), 500, 'invalid JSON'],
    ['no profile behind a byte order mark', '\ufeff[', 500, 'invalid JSON'],
    ['half of a profile', JSON.stringify(profileOf()).slice(0, -1), 500, 'invalid JSON'],
    ['two profiles', JSON.stringify(profileOf()).repeat(2), 500, 'invalid JSON'],
    ['NaN', '{"profileName":"a","features":[{"type":"Straight","length":NaN}]}', 500, 'invalid JSON'],
    ['null', 'null', 400, 'ProfileName must not be empty.'],
    ['a key twice', '{"profileName":"a","profileName":"b"}', 400, 'twice'],
    ['too many values', `{"a":[${'{},'.repeat(12_000)}{}]}`, 400, 'at most 12000 values'],
    ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`, 400, 'levels'],
    ['more than 1 MiB', ' '.repeat(1_048_577), 413, 'at most 1048576 bytes'],
    ['__proto__', '{"__proto__":{"profileName":"x"},"features":[]}', 400, 'ProfileName must not be empty.'],
  ])('PROF-02 D-22 ERR-01 answers %s with a bare array', async (_, body, status, sentence) => {
    const answer = await library.business('POST', '/profiles', body);
    expect(answer).toMatchObject({ status, body: expect.arrayContaining([expect.stringContaining(sentence)]) });
  });

  it.each([
    ['', 'body: found nothing, expected a JSON object'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'body: found bytes that are not UTF-8, expected JSON in UTF-8'],
  ])('PROF-02 D-22 gives the same answer to %j that is sent to replace one', async (body, sentence) => {
    const { profileId } = await library.create();
    const answer = await library.business('PUT', `/profiles/${profileId}`, body);
    expect(answer).toMatchObject({ status: 500, body: [sentence] });
  });

  it('PROF-01 takes any text as text', async () => {
    const profileName = '‮ридж"<script>𝕏\u0000';
    const { profileId } = await library.create({ profileName, features: [{ ...STRAIGHT, name: 'Ä' }] });
    const { body } = await library.business('GET', `/profiles/${profileId}`);
    expect(body).toMatchObject({ profileName, features: [{ name: 'Ä' }] });
  });

  it('PROF-01 refuses half a character, because a machine could not read its changes past it', async () => {
    const { status, body } = await library.business('POST', '/profiles', profileOf({ profileName: '\ud800' }));
    expect({ status, body }).toEqual({ status: 400, body: ['body: found \\ud800, expected whole characters'] });
  });

  it('ERR-01 AUTH-01 answers a missing key like every other surface', async () => {
    const { status, body } = await call(`${library.url}/api/v1/profiles`, 'POST', profileOf(), {});
    expect({ status, body }).toEqual({ status: 401, body: { errors: [expect.any(String)] } });
  });
});

describe('changing a profile', () => {
  it('D-22 PROF-05 takes a profile that was read back as its next revision', async () => {
    const created = await library.create({ description: 'old' });
    const { status, body } = await library.business('PUT', `/profiles/${created.profileId}`, {
      ...created,
      description: 'new',
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...created, description: 'new', revision: 2, editedDate: DATE });
  });

  it('D-22 moves it to another catalog, or leaves it where it is', async () => {
    const { profileId } = await library.create({ owningCatalogId: 2 });
    expect((await library.business('PUT', `/profiles/${profileId}`, profileOf())).body).toMatchObject({
      owningCatalogId: 2,
    });
    const moved = await library.business('PUT', `/profiles/${profileId}`, profileOf({ owningCatalogId: 3 }));
    expect(moved.body).toMatchObject({ owningCatalogId: 3, revision: 3 });
  });

  it('PROF-01 PROF-02 ERR-01 judges it like a new one, and changes nothing if it refuses it', async () => {
    const created = await library.create();
    const path = `/profiles/${created.profileId}`;
    expect(await library.business('PUT', path, profileOf({ features: [] }))).toMatchObject({
      status: 400,
      body: ['Features list cannot be empty.'],
    });
    expect((await library.business('PUT', path, '{')).status).toBe(500);
    expect((await library.business('GET', path)).body).toEqual(created);
  });

  it('ERR-01 answers an unknown id with 404 and an archived one with 409', async () => {
    expect(await library.business('PUT', '/profiles/nobody', profileOf())).toMatchObject({
      status: 404,
      body: ['No profile with id "nobody"'],
    });
    const { profileId } = await library.create();
    await library.business('DELETE', `/profiles/${profileId}`);
    expect((await library.business('PUT', `/profiles/${profileId}`, profileOf())).status).toBe(409);
  });

  it('D-22 makes each of many edits at once a revision of its own', async () => {
    const { profileId } = await library.create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        library.business('PUT', `/profiles/${profileId}`, profileOf({ description: String(place) })),
      ),
    );
    const revisions = answers.map(({ body }) => (body as { readonly revision: number }).revision);
    expect([...revisions].sort((one, other) => one - other)).toEqual(
      Array.from({ length: 20 }, (_, place) => place + 2),
    );
  });
});

describe('deleting a profile', () => {
  it('D-22 PROF-07 archives it: 204, and again 204', async () => {
    const { profileId } = await library.create({ category: 'gone' });
    for (const round of [1, 2]) {
      const { status, text } = await library.business('DELETE', `/profiles/${profileId}`);
      expect({ round, status, text }).toEqual({ round, status: 204, text: '' });
    }
    const { status, body } = await library.business('GET', `/profiles/${profileId}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { archived: true, revision: 2 } });
    expect((await library.business('GET', '/profiles?category=gone')).body).toEqual([]);
  });

  it('ERR-01 answers an unknown id with 404', async () => {
    expect(await library.business('DELETE', '/profiles/a%2Fb%25')).toMatchObject({
      status: 404,
      body: ['No profile with id "a/b%"'],
    });
  });
});

describe('listing profiles', () => {
  it('D-22 PROF-07 filters by category, subcategory, catalog and name, sorts by name and pages', async () => {
    const category = 'listed';
    for (const [profileName, subCategory, owningCatalogId] of [
      ['beta', 'one', 1],
      ['Alpha', 'one', 2],
      ['gamma', 'two', 2],
    ] as const) {
      await library.create({ profileName, category, subCategory, owningCatalogId });
    }
    const names = async (query: string) => {
      const { body } = await library.business('GET', `/profiles?category=${category}${query}`);
      return (body as readonly { readonly profileName: string }[]).map(({ profileName }) => profileName);
    };
    expect(await names('')).toEqual(['Alpha', 'beta', 'gamma']);
    expect(await names('&subCategory=one')).toEqual(['Alpha', 'beta']);
    expect(await names('&owningCatalogId=2')).toEqual(['Alpha', 'gamma']);
    expect(await names('&name=beta')).toEqual(['beta']);
    expect(await names('&name=BETA')).toEqual(['beta']);
    await library.create({ profileName: 'Größe 3', category, subCategory: 'Über' });
    for (const query of ['&name=GRÖßE 3', '&subCategory=über', '&name=größe 3&subCategory=ÜBER']) {
      expect(await names(query)).toEqual(['Größe 3']);
    }
    expect(await names('&skip=1&take=1')).toEqual(['beta']);
    expect(await names('&subCategory=two&owningCatalogId=1')).toEqual([]);
  });

  it.each([
    ['take=0', 'take: found 0'],
    ['take=1001', 'take: found 1001'],
    ['take=x', 'take: found "x"'],
    ['skip=-1', 'skip: found -1'],
    ['owningCatalogId=Standard', 'owningCatalogId: found "Standard"'],
    ['colour=red', 'colour: unknown field'],
  ])('ERR-01 refuses %s with 400 and a bare array', async (query, sentence) => {
    const { status, body } = await library.business('GET', `/profiles?${query}`);
    expect({ status, body }).toEqual({ status: 400, body: [expect.stringContaining(sentence)] });
  });

  it('ERR-01 answers a list that is too long with 413', async () => {
    const description = 'x'.repeat(10_000);
    const features = Array.from({ length: 999 }, (_, place) =>
      place % 2 === 0 ? { ...STRAIGHT, name: `${place} ${'n'.repeat(250)}` } : ANGLE,
    );
    for (let count = 0; count < 70; count += 1) await library.create({ category: 'long', description, features });
    const answer = await library.business('GET', '/profiles?category=long&take=100');
    expect(answer).toMatchObject({ status: 413, body: [expect.stringContaining('ask for fewer')] });
    expect((await library.business('GET', '/profiles?category=long&take=20')).body).toHaveLength(20);
  });
});

it('D-22 PROF-07 the list of catalogs keeps names apart that differ only in case', async () => {
  const { status, body } = await library.business('GET', '/catalogs');
  expect({ status, body }).toEqual({
    status: 200,
    body: [
      { catalogId: 1, name: 'Standard', isDefault: true },
      { catalogId: 2, name: 'Trim', isDefault: false },
      { catalogId: 3, name: 'trim', isDefault: false },
    ],
  });
});

it('PROF-06 a catalog stays in the plant while profiles are in it', async () => {
  const path = '/api/local/plant/catalogs/4';
  await library.as(keyOf('admin'), 'PUT', path, { catalogId: 4, name: 'Short-lived' });
  const { profileId } = await library.create({ owningCatalogId: 4 });
  expect(await library.as(keyOf('admin'), 'DELETE', path)).toMatchObject({
    status: 409,
    body: { errors: [`catalog 4 is referred to by profile ${profileId}`] },
  });
  await library.business('DELETE', `/profiles/${profileId}`);
  expect((await library.as(keyOf('admin'), 'DELETE', path)).status).toBe(204);
});

it('PROF-07 a read of an unknown id is 404 with a bare array', async () => {
  expect(await library.as(keyOf('admin'), 'GET', '/api/v1/profiles/nobody')).toMatchObject({
    status: 404,
    body: ['No profile with id "nobody"'],
  });
});
