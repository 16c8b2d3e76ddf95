import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainStatus } from '../../../../src/domain/machine/status/explain-status.ts';
import { NUMBER_AS_TEXT_RULE, parseStatus } from '../../../../src/domain/machine/status/status.ts';
import { matchField, STATUS_FIELDS } from '../../../../src/domain/machine/status/status-fields.ts';

const BODY = {
  machineId: 'RF-01',
  running: true,
  mSecSinceBoot: 120_000,
  cycle: 7,
  goodPart: 5,
  badPart: 2,
  override: false,
};

function parsed(body: unknown) {
  const result = parseStatus(body);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.status;
}

function faultPaths(body: unknown) {
  const result = parseStatus(body);
  return result.ok ? [] : result.faults.map((fault) => fault.path);
}

describe('the fields of a status', () => {
  it.each(Object.keys(BODY))('DEV-01 are reported if one is missing: %s', (field) => {
    expect(faultPaths({ ...BODY, [field]: undefined })).toEqual([field]);
    expect(faultPaths({ ...BODY, [field]: null })).toEqual([field]);
  });

  it('DEV-01 are reported all at once if they are missing', () => {
    expect(faultPaths({}).sort()).toEqual(Object.keys(BODY).sort());
  });

  it.each([
    ['running', 'ja'],
    ['running', 2],
    ['override', ''],
    ['machinePower', [true]],
    ['fault', -1],
    ['cycle', 'seven'],
    ['cycle', -1],
    ['goodPart', 1.5],
    ['badPart', Number.NaN],
    ['mSecSinceBoot', 2 ** 53],
    ['machineId', 12],
    ['machineId', 'a/b'],
    ['machineId', 'a\\b'],
    ['machineId', ''],
    ['machineId', 'ä'],
    ['userId', true],
    ['partId', { id: 1 }],
    ['partName', 'x'.repeat(257)],
    ['jobNumber', []],
  ])('DEV-01 DEV-02 are reported if one is wrong: %s with %o', (field, value) => {
    expect(faultPaths({ ...BODY, [field]: value })).toEqual([field]);
  });

  it.each([[null], [undefined], ['{}'], [[]], [5], [true]])('DEV-01 have to be in an object, not in %o', (body) => {
    expect(faultPaths(body)).toEqual(['status']);
  });

  it('DEV-02 keep the case of the machine id', () => {
    expect(parsed({ ...BODY, machineId: 'rf-01' }).machineId).toBe('rf-01');
  });

  it('D-01 are refused with more than 1,024 characters, most of which are padding', () => {
    expect(parsed({ ...BODY, jobNumber: `J-1${' '.repeat(1_021)}` }).jobNumber).toBe('J-1');
    expect(faultPaths({ ...BODY, jobNumber: `J-1${' '.repeat(1_022)}` })).toEqual(['jobNumber']);
  });

  it('D-01 are null if they are optional and absent, null or empty', () => {
    expect(parsed({ ...BODY, userId: null, partId: '', jobNumber: '  ' })).toMatchObject({
      machinePower: null,
      fault: null,
      userId: null,
      partId: null,
      partName: null,
      jobNumber: null,
      goodPartTotal: null,
    });
  });

  it('DEV-16 may be badges, parts and jobs that PLCs send as numbers or padded', () => {
    expect(parsed({ ...BODY, userId: 4711, partId: ' P-1 ', jobNumber: 'J\0\0', material: 26 })).toMatchObject({
      userId: '4711',
      partId: 'P-1',
      jobNumber: 'J',
      material: '26',
    });
  });

  it.each(['16045690984833335024', '9007199254740993', '1e400', '-9007199254740992'])(
    'D-34 DEV-15 DEV-16 are refused if a part or badge is a number that has lost its last digits: %s',
    (number) => {
      const sent: unknown = JSON.parse(number);
      expect(faultPaths({ ...BODY, partId: sent, userId: sent })).toEqual(['userId', 'partId']);
      expect(parsed({ ...BODY, partId: number }).partId).toBe(number);
    },
  );

  it('DEV-16 say how to send a number that has lost its last digits', () => {
    const result = parseStatus({ ...BODY, partId: 2 ** 60 });
    const found = '1152921504606847000';
    expect(result.ok || result.faults).toEqual([{ path: 'partId', found, expected: NUMBER_AS_TEXT_RULE }]);
    expect(NUMBER_AS_TEXT_RULE).toContain('send a longer one as text');
  });

  it('DEV-20 are kept unchanged if their meaning is not described', () => {
    const status = parsed({ ...BODY, goodTotal: 9, goodInputs: 'a,b', partsAtATime: 2, materialCode: 'G90' });
    expect(status).toMatchObject({ goodPartTotal: 9, goodPartInputs: 'a,b', piecesAtATime: 2, material: 'G90' });
    expect(parsed({ ...BODY, goodTotal: { odd: 1 } }).goodPartTotal).toBeNull();
  });

  it('D-13 are safe against keys that every object has', () => {
    const body: unknown = JSON.parse(
      `{"__proto__":{"running":false},"constructor":1,"toString":2,${JSON.stringify(BODY).slice(1)}`,
    );
    expect(parsed(body)).toEqual(parsed(BODY));
  });
});

describe('the names of fields', () => {
  const names = STATUS_FIELDS.flatMap((field) => [field.name, ...field.aliases].map((name) => ({ field, name })));

  it('DEV-03 are unique in every spelling', () => {
    const folded = names.map(({ name }) => name.toLowerCase());
    expect(new Set(folded).size).toBe(names.length);
  });

  it('DEV-03 may mix upper and lower case, hyphens and underscores', () => {
    const spelling = fc
      .constantFrom(...names)
      .chain(({ field, name }) =>
        fc
          .array(fc.constantFrom('', '-', '_', '__'), { minLength: name.length, maxLength: name.length })
          .chain((separators) =>
            fc
              .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
              .map((upper) => ({ field, key: mixed(name, separators, upper) })),
          ),
      );
    fc.assert(
      fc.property(spelling, ({ field, key }) => {
        const expected = key.length > 64 ? undefined : field.name;
        expect(matchField(key)?.definition.name).toBe(expected);
      }),
    );
  });

  it('DEV-03 are all still read after a flood of unknown ones', () => {
    for (let index = 0; index < 10_000; index++) expect(matchField(`junk${index}`)).toBeNull();
    for (const { field, name } of names) expect(matchField(name)?.definition.name).toBe(field.name);
  });

  it.each([
    [{ machinePower: false, power: true }, false],
    [{ power: true, machinePower: false }, false],
    [{ power: true, machine_power: false }, false],
    [{ machine_power: true, machinePower: false }, false],
    [{ machineOn: true, POWERED: false, powerOn: true }, false],
    [{ POWERED: true, powered: false }, false],
    [{ power: true, machinePower: null }, null],
  ])('DEV-05 the canonical name wins, then the order of the table: %o', (fields, expected) => {
    expect(parsed({ ...BODY, ...fields }).machinePower).toBe(expected);
    expect(parsed(reversed({ ...BODY, ...fields })).machinePower).toBe(expected);
  });

  it('DEV-05 mean the same in any order of keys', () => {
    const body = {
      ...BODY,
      run: false,
      cycles: 1,
      scrap: 9,
      Good: 3,
      uptimeMs: 5,
      deviceId: 'X',
      user: 'u',
      part: 'p',
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(body), { minLength: Object.keys(body).length }), (entries) => {
        expect(parsed(Object.fromEntries(entries))).toEqual(parsed(body));
      }),
    );
  });

  it('DEV-04 are explained: each key with its field, or as not read', () => {
    const explained = explainStatus({ ...BODY, power: true, machine_power: false, colour: 'red' });
    const byKey = new Map(explained.map((entry) => [entry.key, entry]));
    expect(byKey.get('running')).toMatchObject({ field: 'running', used: true });
    expect(byKey.get('power')).toMatchObject({ field: 'machinePower', used: false });
    expect(byKey.get('power')?.why).toContain('machine_power');
    expect(byKey.get('machine_power')).toMatchObject({ field: 'machinePower', used: true });
    expect(byKey.get('colour')).toMatchObject({ field: null, used: false });
  });

  it('D-13 are never read from random JSON without the required fields, and never throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(parseStatus(body).ok).toBe(false);
        if (typeof body === 'object' && body !== null && !Array.isArray(body)) explainStatus({ ...body });
      }),
    );
  });
});

function mixed(name: string, separators: readonly string[], upper: readonly boolean[]): string {
  return [...name]
    .map((letter, place) => `${separators[place]}${upper[place] ? letter.toUpperCase() : letter.toLowerCase()}`)
    .join('');
}

function reversed(body: object): object {
  return Object.fromEntries(Object.entries(body).reverse());
}
