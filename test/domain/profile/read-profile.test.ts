import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultText } from '../../../src/domain/error.ts';
import { PROFILE_MESSAGES } from '../../../src/domain/profile/profile-messages.ts';
import { type ReadProfile, readProfile } from '../../../src/domain/profile/read-profile.ts';
import { SAMPLE_PROFILES } from '../../../src/simulator/plant/sample-profiles.ts';
import { anyFeatures } from './any-profile.ts';

const CATALOGS = { ids: new Set([1, 2]), fallback: 1 };
const MESSAGES = PROFILE_MESSAGES;

const STRAIGHT = { type: 'Straight', length: 2 };
const ANGLE = { type: 'Angle', angle: 90 };
const RADIUS = { type: 'Radius', radius: 0.5, radiusQuality: 'Fine', angle: 90 };
const OPEN = { type: 'OpenHem', hemHeight: 0.1, hemDirection: 'Positive' };
const CLOSED = { type: 'ClosedHem', hemDirection: 'Negative' };
const TEARDROP = { type: 'TearDropHem', hemDirection: 'Negative', hemClampOffset: 0 };

function bodyOf(changes: object = {}): object {
  return { profileName: 'Drip edge', features: [STRAIGHT, ANGLE, STRAIGHT], ...changes };
}

/** A profile around one bend, or around one straight. */
function around(feature: object): object {
  const isStraight = 'type' in feature && feature.type === 'Straight';
  return bodyOf({ features: isStraight ? [feature] : [STRAIGHT, feature, STRAIGHT] });
}

function read(body: unknown): ReadProfile {
  return readProfile(body, CATALOGS);
}

function contentOf(body: unknown) {
  const result = read(body);
  if (!result.ok) throw result.error;
  return result.content;
}

function refusalOf(body: unknown): { code: string; sentences: readonly string[] } {
  const result = read(body);
  if (result.ok) throw new Error(`taken: ${JSON.stringify(body)}`);
  return { code: result.error.code, sentences: result.error.faults.map(faultText) };
}

function without(fields: object, field: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
}

const OVERLONG = 'x'.repeat(20_000);

describe('a valid profile', () => {
  it('PROF-04 keeps the fields of its feature types, and a hem height of 0 except on open hems', () => {
    const noise = {
      length: 7,
      angle: 7,
      radius: 7,
      hemHeight: 7,
      hemClampOffset: 7,
      radiusQuality: 7,
      hemDirection: 'Up',
    };
    const features = [STRAIGHT, ANGLE, RADIUS, OPEN, CLOSED, TEARDROP].flatMap((feature, place) =>
      place === 0 ? [{ ...noise, ...feature }] : [{ ...noise, ...feature }, STRAIGHT],
    );
    expect(
      contentOf(bodyOf({ features, colour: 'red' })).features.filter((_, place) => place === 0 || place % 2 === 1),
    ).toEqual([
      { ...STRAIGHT, hemHeight: 0 },
      { ...ANGLE, hemHeight: 0 },
      { ...RADIUS, hemHeight: 0 },
      OPEN,
      { ...CLOSED, hemHeight: 0 },
      { ...TEARDROP, hemHeight: 0 },
    ]);
  });

  it('PROF-04 has trimmed names, and a blank name counts as none', () => {
    const named = [
      { ...STRAIGHT, name: '  Back leg ' },
      { ...ANGLE, name: '   ' },
      { ...STRAIGHT, name: null },
    ];
    expect(contentOf(bodyOf({ features: named })).features.map(({ name }) => name)).toEqual([
      'Back leg',
      undefined,
      undefined,
    ]);
  });

  it('PROF-05 may contain the fields that the server assigns, so that a profile can be sent back as it was read', () => {
    const assigned = { profileId: 'X', revision: 9, blankWidth: 1, archived: true, createdBy: 'me', editedDate: 'now' };
    const plain = contentOf(bodyOf());
    expect(contentOf(bodyOf(assigned))).toEqual(plain);
    expect(contentOf({ ...plain, ...assigned })).toEqual(plain);
  });

  it('PROF-06 goes to the catalog it names, else to the default one', () => {
    expect(contentOf(bodyOf({ owningCatalogId: 2 })).owningCatalogId).toBe(2);
    expect(contentOf(bodyOf()).owningCatalogId).toBe(1);
    expect(contentOf(bodyOf({ owningCatalogId: null })).owningCatalogId).toBe(1);
  });

  it('may be a single straight, have any angle between the bounds, or be a sample of the simulator', () => {
    expect(read(bodyOf({ features: [STRAIGHT] })).ok).toBe(true);
    for (const angle of [0, 179.999, -179.999]) expect(read(around({ type: 'Angle', angle })).ok).toBe(true);
    for (const sample of SAMPLE_PROFILES) expect(read(sample).ok, sample.profileName).toBe(true);
  });

  it('PROF-01 is every profile that the rules permit, and reads the same again', () => {
    fc.assert(
      fc.property(anyFeatures(), (features) => {
        const content = contentOf(bodyOf({ features }));
        expect(content.features).toEqual(features);
        expect(contentOf(content)).toEqual(content);
      }),
    );
  });
});

describe('PROF-01 PROF-06 D-24 each fault has its message', () => {
  it.each<[string, object, readonly (keyof typeof MESSAGES)[]]>([
    ['no name', without(bodyOf(), 'profileName'), ['profileName']],
    ['an empty name', bodyOf({ profileName: '' }), ['profileName']],
    ['a blank name', bodyOf({ profileName: ' \t' }), ['profileName']],
    ['a null name', bodyOf({ profileName: null }), ['profileName']],
    ['a number as name', bodyOf({ profileName: 7 }), ['profileName']],
    ['an overlong name', bodyOf({ profileName: OVERLONG }), ['profileNameLength']],
    ['an unknown catalog', bodyOf({ owningCatalogId: 3 }), ['owningCatalogId']],
    ['a catalog as text', bodyOf({ owningCatalogId: '1' }), ['owningCatalogId']],
    ['half a catalog', bodyOf({ owningCatalogId: 1.5 }), ['owningCatalogId']],
    ['no features', without(bodyOf(), 'features'), ['featuresEmpty']],
    ['null features', bodyOf({ features: null }), ['featuresEmpty']],
    ['an empty list', bodyOf({ features: [] }), ['featuresEmpty']],
    ['an object as features', bodyOf({ features: {} }), ['featuresAlternate']],
    ['an array-like object as features', bodyOf({ features: { length: 1, 0: STRAIGHT } }), ['featuresAlternate']],
    ['text as features', bodyOf({ features: 'Straight' }), ['featuresAlternate']],
    ['a null feature', bodyOf({ features: [null] }), ['featuresAlternate']],
    ['an array as feature', bodyOf({ features: [[STRAIGHT]] }), ['featuresAlternate']],
    ['two straights', bodyOf({ features: [STRAIGHT, STRAIGHT] }), ['featuresAlternate']],
    ['three straights', bodyOf({ features: [STRAIGHT, STRAIGHT, STRAIGHT] }), ['featuresAlternate']],
    ['an angle at the start', bodyOf({ features: [ANGLE, STRAIGHT, ANGLE] }), ['featuresAlternate']],
    ['an angle at the end', bodyOf({ features: [STRAIGHT, ANGLE] }), ['featuresAlternate']],
    ['two angles in a row', bodyOf({ features: [STRAIGHT, ANGLE, ANGLE, ANGLE, STRAIGHT] }), ['featuresAlternate']],
    ['a feature without a type', bodyOf({ features: [{ length: 1 }] }), ['featuresAlternate']],
    ['a feature with a number as type', bodyOf({ features: [{ type: 0, length: 1 }] }), ['featuresAlternate']],
    ['1001 features', bodyOf({ features: Array(1_001).fill(STRAIGHT) }), ['featuresTooMany']],
    [
      'the same name twice',
      bodyOf({ features: [{ ...STRAIGHT, name: 'A' }, ANGLE, { ...STRAIGHT, name: ' a' }] }),
      ['featureNames'],
    ],
    ['a number as feature name', around({ ...ANGLE, name: 7 }), ['featureName']],
    ['an overlong feature name', around({ ...ANGLE, name: OVERLONG }), ['featureName']],
    ['an angle of 180', around({ ...ANGLE, angle: 180 }), ['angle']],
    ['an angle of -180', around({ ...RADIUS, angle: -180 }), ['angle']],
    ['no angle', around(without(ANGLE, 'angle')), ['angle']],
    ['a null angle', around({ ...ANGLE, angle: null }), ['angle']],
    ['an angle as text', around({ ...ANGLE, angle: '90' }), ['angle']],
    ['no hem direction', around(without(OPEN, 'hemDirection')), ['hemDirection']],
    ['a null hem direction', around({ ...CLOSED, hemDirection: null }), ['hemDirection']],
    ['a number as hem direction', around({ ...TEARDROP, hemDirection: 1 }), ['hemDirection']],
    ['no hem height', around(without(OPEN, 'hemHeight')), ['hemHeight']],
    ['a hem height of 0', around({ ...OPEN, hemHeight: 0 }), ['hemHeight']],
    ['a hem height below 0', around({ ...OPEN, hemHeight: -1 }), ['hemHeight']],
    ['no clamp offset', around(without(TEARDROP, 'hemClampOffset')), ['hemClampOffset']],
    ['a clamp offset below 0', around({ ...TEARDROP, hemClampOffset: -0.1 }), ['hemClampOffset']],
    ['no radius', around(without(RADIUS, 'radius')), ['radius']],
    ['a radius of 0', around({ ...RADIUS, radius: 0 }), ['radius']],
    ['a radius as text', around({ ...RADIUS, radius: '1' }), ['radius']],
    ['no radius quality', around(without(RADIUS, 'radiusQuality')), ['radiusQuality']],
    ['another radius quality', around({ ...RADIUS, radiusQuality: 'fine' }), ['radiusQuality']],
    ['no length', around(without(STRAIGHT, 'length')), ['length']],
    ['a length of 0', around({ ...STRAIGHT, length: 0 }), ['length']],
    ['a length below 0', around({ ...STRAIGHT, length: -1 }), ['length']],
    ['a length as text', around({ ...STRAIGHT, length: '12' }), ['length']],
    ['a length beyond all numbers', around({ ...STRAIGHT, length: Number.POSITIVE_INFINITY }), ['dimension']],
    ['a radius beyond the bound', around({ ...RADIUS, radius: 1_000_001 }), ['dimension']],
    ['a number as description', bodyOf({ description: 7 }), ['description']],
    ['an overlong description', bodyOf({ description: OVERLONG }), ['description']],
    ['a number as category', bodyOf({ category: 7 }), ['category']],
    ['an overlong subcategory', bodyOf({ subCategory: OVERLONG }), ['subCategory']],
    ['a number as painted side', bodyOf({ paintedSide: 1 }), ['paintedSide']],
    ['an array as body', [], ['profileName', 'featuresEmpty', 'body']],
  ])('%s', (_, body, expected) => {
    expect(refusalOf(body)).toEqual({ code: 'invalid-input', sentences: expected.map((name) => MESSAGES[name]) });
  });

  it.each([null, 7, 'profile', true])('%s as body', (body) => {
    expect(refusalOf(body).sentences).toContain(MESSAGES.body);
  });

  it('D-24 a profile has 999 features at most', () => {
    const features = Array.from({ length: 999 }, (_, place) => (place % 2 === 0 ? STRAIGHT : ANGLE));
    expect(read(bodyOf({ features })).ok).toBe(true);
    expect(refusalOf(bodyOf({ features: [...features, ANGLE, STRAIGHT] })).sentences).toEqual([
      MESSAGES.featuresTooMany,
    ]);
  });

  it('PROF-06 a profile without a catalog is refused in a plant without a default one', () => {
    const result = readProfile(bodyOf(), { ids: new Set([5]), fallback: null });
    expect(result.ok ? [] : result.error.faults.map(faultText)).toEqual([MESSAGES.owningCatalogId]);
  });
});

describe('several faults', () => {
  it('D-23 are all listed, each once, in the order of the interface', () => {
    const wrong = [
      { type: 'Straight', length: 0, name: 'A' },
      { type: 'Radius', name: 'a' },
      { type: 'Straight', length: -1 },
      { type: 'TearDropHem' },
      { type: 'Straight', length: null },
      { type: 'OpenHem' },
    ];
    expect(refusalOf({ features: wrong, owningCatalogId: 9 }).sentences).toEqual([
      'ProfileName must not be empty.',
      'OwningCatalogId must refer to a valid catalog.',
      'Features must be a list of feature objects, that alternates between Straight and non-Straight types, and always starts and ends with a Straight.',
      'Feature names must be unique within a profile.',
      'Valid angle values are -180° - 180°.',
      "Hems must have a hemDirection of 'Positive' or 'Negative'.",
      'Open hems require a non-negative hemHeight.',
      'Teardrop hems require a non-negative hemClampOffset',
      'Radius bends require a non-negative radius.',
      "Radius bends must have a radiusQuality of 'Coarse', 'Medium', or 'Fine'.",
      'Straight features require a non-negative, non-zero length.',
    ]);
  });

  it('D-23 include a wrong place of a feature that is wrong in itself', () => {
    const { sentences } = refusalOf(bodyOf({ features: [{ type: 'Angle', angle: 200 }] }));
    expect(sentences).toEqual([MESSAGES.featuresAlternate, MESSAGES.angle]);
  });
});

describe('PROF-02 D-22 an unrecognised word is answered as malformed, naming field, value and words', () => {
  it.each([
    [
      'type',
      around({ type: 'Bend' }),
      'features[1].type: found "Bend", expected Straight, Angle, Radius, OpenHem, ClosedHem or TearDropHem',
    ],
    [
      'type in another case',
      bodyOf({ features: [{ type: 'straight', length: 1 }] }),
      'features[0].type: found "straight"',
    ],
    [
      'hemDirection',
      around({ ...CLOSED, hemDirection: 'Up' }),
      'features[1].hemDirection: found "Up", expected Positive or Negative',
    ],
    ['paintedSide', bodyOf({ paintedSide: 'Both' }), 'paintedSide: found "Both", expected Positive or Negative'],
    ['one beside other faults', { features: [{ type: '' }] }, 'features[0].type: found ""'],
  ])('%s', (_, body, expected) => {
    const { code, sentences } = refusalOf(body);
    expect(code).toBe('malformed');
    expect(sentences).toEqual([expect.stringContaining(expected)]);
  });

  it('hemDirection is ignored in a type that does not list it', () => {
    expect(read(around({ ...ANGLE, hemDirection: 'Up' })).ok).toBe(true);
  });
});

it('PROF-01 any bad body is refused without an exception', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.anything(), (body, features, feature) => {
      for (const candidate of [body, bodyOf({ features }), bodyOf({ features: [feature, ANGLE, feature] })]) {
        const result = read(candidate);
        if (!result.ok) expect(result.error.faults.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});
