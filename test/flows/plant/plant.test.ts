import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { CodedError } from '../../../src/domain/error.ts';
import { machineId } from '../../../src/domain/machine/machine-names.ts';
import { EMPTY_PLANT, type PlantFile } from '../../../src/domain/plant/plant-entry.ts';
import { openPlant, plantFile } from '../plant-under-test.ts';

const LINE = `
catalogs:  [ { catalogId: 1, name: Standard, default: true } ]
locations: [ { code: WH-A1, name: Rack A1, category: Warehouse }, { code: RF-01, name: Rollformer 1, category: Machine } ]
machines:
  - { machineId: RF-01, topicRoot: plant1/rf-1, location: RF-01, serialNumber: SN-1, registrationKey: reg-1, variables: [ speed ], catalogs: [ 1 ], mqttPassword: pw-1 }
parts: [ { partId: P-100, partName: Panel 100 } ]
reasonCodes: [ { id: OR-1, codeSet: OverrideReasons, reason: Damaged } ]
mqttAccounts: [ { name: display, password: wall-secret, clientId: wall-1, read: [ plant1/# ], write: [ 'wall/%c' ], machines: [ RF-01 ] } ]
apiKeys: [ { principal: erp, key: erp-key-0123456789ab, role: business } ]
users: [ { name: pat, role: technician, password: word-1 } ]
`;

const RF01 = machineId('RF-01') ?? fail();

function fail(): never {
  throw new Error('no machine id');
}

function sortedBy<Field extends string>(field: Field, records: readonly Readonly<Record<Field, string>>[]) {
  return [...records].sort((one, other) => (one[field] < other[field] ? -1 : 1));
}

async function openLine() {
  const opened = openPlant();
  await opened.plant.applyFile(plantFile(LINE));
  return opened;
}

describe('Plant.applyFile', () => {
  it('seeds every kind, fills defaults, and shows it once it is on disk', async () => {
    const { plant, store } = openPlant();
    const seen: unknown[] = [];
    plant.onChange(() => seen.push(plant.machine('RF-01')?.topicRoot));
    const beforeCommit: unknown[] = [];
    store.beforeCommit = async () => void beforeCommit.push([...plant.machines()], [...seen]);
    const difference = await plant.applyFile(plantFile(LINE));
    expect(beforeCommit).toEqual([[], []]);
    expect(seen).toEqual(['plant1/rf-1']);
    expect(difference).toHaveLength(9);
    expect(plant.machine('RF-01')).toMatchObject({ name: 'RF-01', state: 'active', claims: [], variables: ['speed'] });
    expect(plant.part('P-100')).toEqual({ partId: 'P-100', partName: 'Panel 100', isNew: false });
    expect(store.writes).toHaveLength(1);
  });

  it('AUTH-02 stores secrets only as hashes', async () => {
    const { plant, store } = await openLine();
    const stored = JSON.stringify(store.stored());
    for (const secret of ['reg-1', 'pw-1', 'wall-secret', 'erp-key-0123456789ab', 'word-1'])
      expect(stored).not.toContain(secret);
    expect(plant.machine('RF-01')?.registrationKeyHash).toMatch(/^key:/);
    expect(plant.machine('RF-01')?.mqttPasswordHash).toMatch(/^devicePassword:/);
    expect(plant.users()[0]?.passwordHash).toMatch(/^personPassword:/);
    expect(plant.mqttAccounts()).toMatchObject([
      { name: 'display', passwordHash: expect.stringMatching(/^devicePassword:/) },
    ]);
    expect(
      JSON.stringify([plant.list('machines'), plant.list('mqttAccounts'), plant.list('apiKeys'), plant.list('users')]),
    ).not.toContain('Hash');
  });

  it('AUTH-02 writes nothing and hashes nothing when the same file comes again', async () => {
    const { plant, store, secrets } = await openLine();
    const { hashed } = secrets;
    const listener = vi.fn();
    plant.onChange(listener);
    expect(await plant.applyFile(plantFile(LINE))).toEqual([]);
    expect([store.writes.length, secrets.hashed, listener.mock.calls.length]).toEqual([1, hashed, 0]);
  });

  it('changes a secret that differs, and names it without showing it', async () => {
    const { plant } = await openLine();
    const difference = await plant.applyFile(plantFile(LINE.replace('reg-1', 'reg-2').replace('word-1', 'word-2')));
    expect(difference).toEqual([
      { kind: 'machines', id: 'RF-01', change: 'update', fields: ['registrationKey'] },
      { kind: 'users', id: 'pat', change: 'update', fields: ['password'] },
    ]);
  });

  it('keeps the records that the file does not name, and the fields that it does not name', async () => {
    const { plant } = await openLine();
    await plant.put('machines', 'RF-02', { machineId: 'RF-02', topicRoot: 'plant1/rf-2' });
    await plant.applyFile(plantFile('machines: [{ machineId: RF-01, topicRoot: plant1/rf-1, state: blocked }]'));
    expect(plant.machine('RF-02')).toMatchObject({ topicRoot: 'plant1/rf-2' });
    expect(plant.machine('RF-01')).toMatchObject({ state: 'blocked', variables: ['speed'], location: 'RF-01' });
    expect(plant.machine('RF-01')?.registrationKeyHash).toMatch(/^key:/);
  });

  it.each([
    [
      'MQTT-09 a TopicRoot inside one that is there',
      'machines: [{ machineId: X, topicRoot: plant1/rf-1/x }]',
      'machines[0].topicRoot',
    ],
    [
      'MQTT-09 a TopicRoot around one that is there',
      'machines: [{ machineId: X, topicRoot: plant1 }]',
      'machines[0].topicRoot',
    ],
    ['a second default catalog', 'catalogs: [{ catalogId: 2, name: B, default: true }]', 'catalogs[0].default'],
    [
      'a serial number that is taken',
      'machines: [{ machineId: X, topicRoot: x, serialNumber: SN-1 }]',
      'machines[0].serialNumber',
    ],
    ['a coil at no location', 'coils: [{ coilId: C-2, location: X }]', 'coils[0].location'],
    ['a new key without the key', 'apiKeys: [{ principal: new, role: admin }]', 'apiKeys[0].key'],
    [
      'D-66 an MQTT account for a machine that is not set up',
      'mqttAccounts: [{ name: relay, machines: [RF-9] }]',
      'mqttAccounts[0].machines',
    ],
    ['D-66 an MQTT account with the name of a machine', 'mqttAccounts: [{ name: RF-01 }]', 'mqttAccounts[0].name'],
    [
      'D-66 an MQTT account with the client id of a machine',
      'mqttAccounts: [{ name: relay, clientId: RF-01 }]',
      'mqttAccounts[0].clientId',
    ],
    [
      'D-66 an MQTT account with the client id of another one',
      'mqttAccounts: [{ name: relay, clientId: wall-1 }]',
      'mqttAccounts[0].clientId',
    ],
    [
      'D-66 a machine with the client id of an MQTT account',
      'machines: [{ machineId: wall-1, topicRoot: wall }]',
      'machines[0].machineId',
    ],
    ['a new user without a password', 'users: [{ name: new, role: admin }]', 'users[0].password'],
  ])('refuses %s, and changes nothing of the rest of the file', async (_what, yaml, path) => {
    const { plant, store } = await openLine();
    const file = plantFile(`${yaml}\nparts: [{ partId: P-200 }]`);
    await expect(plant.applyFile(file)).rejects.toMatchObject({ code: 'invalid-input', faults: [{ path }] });
    await expect(plant.diff(file)).rejects.toMatchObject({ code: 'invalid-input' });
    expect(plant.part('P-200')).toBeUndefined();
    expect(store.writes).toHaveLength(1);
  });

  it('lets two machines change their TopicRoots in one file', async () => {
    const { plant } = openPlant();
    const lines = (one: string, two: string) =>
      plantFile(`machines: [{ machineId: A, topicRoot: ${one} }, { machineId: B, topicRoot: ${two} }]`);
    await plant.applyFile(lines('x', 'y'));
    await plant.applyFile(lines('y', 'x'));
    expect(plant.machine('A')?.topicRoot).toBe('y');
  });

  it('takes a key again without its secret, as an export leaves it', async () => {
    const { plant } = await openLine();
    await plant.applyFile(plantFile('apiKeys: [{ principal: erp, role: admin }]'));
    expect(plant.apiKeys()).toMatchObject([{ role: 'admin', keyHash: expect.stringMatching(/^key:/) }]);
  });

  it('shows and announces nothing if the store fails', async () => {
    const { plant, store } = openPlant();
    const listener = vi.fn();
    plant.onChange(listener);
    store.failure = new CodedError('store-unavailable', 'no disk');
    await expect(plant.applyFile(plantFile(LINE))).rejects.toMatchObject({ code: 'store-unavailable' });
    expect([plant.machines(), listener.mock.calls]).toEqual([[], []]);
    store.failure = null;
    await plant.applyFile(plantFile(LINE));
    expect(plant.machines()).toHaveLength(1);
  });

  it('goes on with the other listeners if one fails', async () => {
    const { plant, log } = openPlant();
    const listener = vi.fn();
    plant.onChange(() => fail());
    plant.onChange(listener);
    await plant.applyFile(plantFile(LINE));
    expect([listener.mock.calls.length, log.lines.length]).toEqual([1, 1]);
  });

  it('lists the changes beforehand without making them', async () => {
    const { plant, store } = await openLine();
    const file = plantFile(LINE.replace('Rack A1', 'Rack A2').replace('P-100, partName', 'P-101, partName'));
    expect(await plant.diff(file)).toEqual([
      { kind: 'locations', id: 'WH-A1', change: 'update', fields: ['name'] },
      { kind: 'parts', id: 'P-101', change: 'create', fields: ['partId', 'partName', 'isNew'] },
    ]);
    expect(store.writes).toHaveLength(1);
  });

  it('D-03 is the same after a restart', async () => {
    const { plant, store } = await openLine();
    const again = openPlant(store.stored());
    for (const kind of ['machines', 'mqttAccounts', 'apiKeys', 'users', 'parts'] as const) {
      expect(again.plant.list(kind)).toEqual(plant.list(kind));
    }
    expect(again.plant.machines()).toEqual(plant.machines());
    expect(await again.plant.applyFile(plantFile(LINE))).toEqual([]);
  });

  it('D-54 lists every kind by its ids, in whatever order they came, and the same after a restart', async () => {
    const { plant, store } = openPlant();
    const records = [
      ['catalogs', [10, 9, 100].map((catalogId) => ({ catalogId, name: String(catalogId) }))],
      ['locations', ['b', 'B', 'a'].map((code) => ({ code, name: code, category: 'Bin' }))],
      ['machines', ['RF-2', 'RF-10', 'RF-1'].map((machineId) => ({ machineId, topicRoot: machineId }))],
      ['parts', ['P-2', 'P-1'].map((partId) => ({ partId }))],
      ['downtimeReasons', ['z', 'y'].map((id) => ({ id, reason: id }))],
      ['reasonCodes', ['OR-2', 'OR-1'].map((id) => ({ id, codeSet: 'OverrideReasons', reason: id }))],
      [
        'apiKeys',
        ['mes', 'erp'].map((principal) => ({ principal, key: `key-of-${principal}-0123456789`, role: 'business' })),
      ],
      ['users', ['pat', 'kim'].map((name) => ({ name, role: 'technician', password: 'word-1' }))],
    ] as const;
    for (const [kind, entries] of records) for (const entry of entries) await plant.create(kind, entry);
    const ids = ({ plant: opened }: Pick<ReturnType<typeof openPlant>, 'plant'>) => [
      opened.catalogs().map(({ catalogId }) => catalogId),
      opened.locations().map(({ code }) => code),
      opened.machines().map(({ machineId }) => machineId),
      opened.parts().map(({ partId }) => partId),
      opened.downtimeReasons().map(({ id }) => id),
      opened.reasonCodes().map(({ id }) => id),
      opened.apiKeys().map(({ principal }) => principal),
      opened.users().map(({ name }) => name),
    ];
    const inOrder = [
      [9, 10, 100],
      ['B', 'a', 'b'],
      ['RF-1', 'RF-10', 'RF-2'],
      ['P-1', 'P-2'],
      ['y', 'z'],
      ['OR-1', 'OR-2'],
      ['erp', 'mes'],
      ['kim', 'pat'],
    ];
    expect(ids({ plant })).toEqual(inOrder);
    expect(ids(openPlant(store.stored()))).toEqual(inOrder);
    expect(ids(openPlant([...store.stored()].reverse()))).toEqual(inOrder);
  });

  it('leaves a damaged row out, reports it, and keeps the rest', async () => {
    const { store } = await openLine();
    const damaged = store.stored().map((row) => (row.kind === 'parts' ? { ...row, json: '{"partId":' } : row));
    const { plant, store: after } = openPlant(damaged);
    expect([plant.parts().length, plant.machines().length]).toEqual([0, 1]);
    expect(after.damaged).toMatchObject([{ table: 'plant', key: 'parts P-100', content: '{"partId":' }]);
  });

  it('holds the records of any file, and the same file again changes nothing', async () => {
    const id = fc.stringMatching(/^[A-Za-z0-9]{1,6}$/);
    const machine = fc.record(
      {
        name: fc.stringMatching(/^[a-z]{1,9}$/),
        state: fc.constantFrom('active', 'inactive', 'blocked'),
        claims: fc.uniqueArray(id, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    const part = fc.record({ partName: fc.stringMatching(/^[!-~]{1,9}$/) }, { requiredKeys: [] });
    const file = fc.record({ machines: fc.dictionary(id, machine), parts: fc.dictionary(id, part, { minKeys: 1 }) });
    await fc.assert(
      fc.asyncProperty(file, async (named) => {
        const machines = Object.entries(named.machines).map(([machineId, more]) => ({
          machineId,
          topicRoot: `m/${machineId}`,
          ...more,
        }));
        const parts = Object.entries(named.parts).map(([partId, more]) => ({ partId, ...more }));
        const { plant, store } = openPlant();
        const read: PlantFile = plantFile(stringify({ machines, parts }, { defaultStringType: 'QUOTE_DOUBLE' }));
        await plant.applyFile(read);
        expect(plant.list('machines')).toMatchObject(sortedBy('machineId', machines));
        expect(plant.list('parts')).toMatchObject(sortedBy('partId', parts));
        expect(await plant.applyFile(read)).toEqual([]);
        expect(
          await plant.applyFile({ ...EMPTY_PLANT, machines: plant.list('machines'), parts: plant.list('parts') }),
        ).toEqual([]);
        expect(store.writes).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });
});

describe('Plant, one record at a time', () => {
  it('creates, shows, replaces and removes a record', async () => {
    const { plant } = openPlant();
    const created = await plant.create('machines', {
      machineId: 'RF-09',
      topicRoot: 'rf9',
      registrationKey: 'k',
      claims: ['c'],
    });
    expect(created).toMatchObject({ machineId: 'RF-09', name: 'RF-09', claims: ['c'] });
    await plant.put('machines', 'RF-09', { machineId: 'RF-09', topicRoot: 'rf9', name: 'Nine' });
    expect(await plant.get('machines', 'RF-09')).toMatchObject({ name: 'Nine', claims: [] });
    expect(plant.machine('RF-09')?.registrationKeyHash).toMatch(/^key:/);
    await plant.remove('machines', 'RF-09');
    expect(await plant.get('machines', 'RF-09')).toBeUndefined();
  });

  it('takes back a record as it is shown, and changes nothing', async () => {
    const { plant, store } = await openLine();
    for (const kind of ['catalogs', 'locations', 'machines', 'parts', 'mqttAccounts', 'apiKeys', 'users'] as const) {
      for (const record of plant.list(kind)) {
        const { catalogId, code, machineId, partId, principal, name } = record as unknown as Record<string, string>;
        const id = {
          catalogs: catalogId,
          locations: code,
          machines: machineId,
          parts: partId,
          mqttAccounts: name,
          apiKeys: principal,
          users: name,
        }[kind];
        expect(await plant.put(kind, String(id), record)).toEqual(record);
      }
    }
    expect(store.writes).toHaveLength(1);
  });

  it('refuses with paths of the record itself', async () => {
    const { plant } = await openLine();
    const body = { machineId: 'X', topicRoot: 'plant1/rf-1', locaton: 'A' };
    await expect(plant.create('machines', body)).rejects.toMatchObject({ faults: [{ path: 'locaton' }] });
    const inside = { machineId: 'X', topicRoot: 'plant1/rf-1' };
    await expect(plant.create('machines', inside)).rejects.toMatchObject({ faults: [{ path: 'topicRoot' }] });
    await expect(plant.put('machines', 'Y', inside)).rejects.toMatchObject({ faults: [{ path: 'machineId' }] });
    await expect(plant.put('machines', 'Y', [])).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('refuses to create an existing record and to remove a missing one', async () => {
    const { plant } = await openLine();
    await expect(plant.create('parts', { partId: 'P-100' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(plant.remove('parts', 'P-999')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('refuses to remove a record that others refer to, and names them', async () => {
    const { plant } = await openLine();
    await expect(plant.remove('locations', 'RF-01')).rejects.toMatchObject({
      code: 'conflict',
      message: 'location RF-01 is referred to by machine RF-01',
    });
    await expect(plant.remove('catalogs', '1')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('makes changes one after the other', async () => {
    const { plant } = openPlant();
    const results = await Promise.allSettled([
      plant.create('machines', { machineId: 'A', topicRoot: 'same' }),
      plant.create('machines', { machineId: 'B', topicRoot: 'same' }),
      plant.create('machines', { machineId: 'A', topicRoot: 'other' }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(plant.machines()).toHaveLength(1);
  });
});

describe('D-09 parts that devices report', () => {
  it('keeps an unconfigured part, flagged as new, until a person names it', async () => {
    const { plant } = openPlant();
    plant.noteReportedPart('P-7', null, RF01);
    plant.noteReportedPart('P-7', null, RF01);
    await vi.waitFor(() => expect(plant.part('P-7')).toEqual({ partId: 'P-7', partName: 'P-7', isNew: true }));
    plant.noteReportedPart('P-7', 'Ridge cap', RF01);
    await vi.waitFor(() => expect(plant.part('P-7')).toMatchObject({ partName: 'Ridge cap', isNew: true }));
    await plant.put('parts', 'P-7', { partId: 'P-7', partName: 'Ridge' });
    plant.noteReportedPart('P-7', 'Ridge cap', RF01);
    await plant.applyFile({ ...EMPTY_PLANT });
    expect(plant.part('P-7')).toEqual({ partId: 'P-7', partName: 'Ridge', isNew: false });
  });

  it('takes a part for confirmed when the plant file names it', async () => {
    const { plant } = openPlant();
    plant.noteReportedPart('P-7', 'Ridge', RF01);
    await plant.applyFile(plantFile('parts: [{ partId: P-7 }]'));
    expect(plant.part('P-7')).toEqual({ partId: 'P-7', partName: 'Ridge', isNew: false });
  });

  it('never undoes a person’s change that was made while it waited', async () => {
    const { plant } = openPlant();
    const named = plant.create('parts', { partId: 'P-7', partName: 'Ridge' });
    plant.noteReportedPart('P-7', 'other', RF01);
    await named;
    await plant.applyFile({ ...EMPTY_PLANT });
    expect(plant.part('P-7')).toMatchObject({ partName: 'Ridge', isNew: false });
  });

  it('reports the parts that it cannot keep: an invalid name, a flood, a failing store', async () => {
    const { plant, store, log } = openPlant();
    plant.noteReportedPart('x'.repeat(200), null, RF01);
    expect(log.lines).toHaveLength(1);
    store.failure = new CodedError('store-unavailable', 'no disk');
    for (let place = 0; place < 150; place++) plant.noteReportedPart(`P-${place}`, null, RF01);
    expect(log.lines).toHaveLength(51);
    await vi.waitFor(() => expect(log.lines).toHaveLength(151));
    expect(plant.parts()).toEqual([]);
  });
});
