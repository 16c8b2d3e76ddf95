import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError, type LocatedFault } from '../../../src/config/located-fault.ts';
import { applyPlantFile, openPlantFile } from '../../../src/config/plant-file/apply-plant-file.ts';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import { CodedError, invalidInput } from '../../../src/domain/error.ts';

function faultsOf(source: string | Uint8Array): readonly LocatedFault[] {
  const reading = readPlantFile(source, 'plant.yaml');
  return reading.ok ? [] : reading.faults;
}

const contractPlant = `
catalogs:  [ { catalogId: 1, name: Standard, default: true }, { catalogId: 2, name: Trim } ]
locations: [ { code: WH-A1, name: Rack A1, category: Warehouse }, { code: RF-01, name: Rollformer 1, category: Machine } ]
machines:
  - machineId: RF-01
    name: Rollformer 1
    topicRoot: plant1/rollformer-1
    location: RF-01
    serialNumber: SN-0001
    registrationKey: reg-secret-1            # stored only as a hash; export leaves it out
    claims: [ service.machine.warehouse ]
    variables: [ lineSpeed, motorTemp ]      # the tracking list
    catalogs: [ 1 ]                          # subscribed
    state: active                            # active | inactive | blocked
    mqttPassword: secret
parts:           [ { partId: P-100, partName: Panel 100 } ]
downtimeReasons: [ { id: DT-01, reason: Coil change, group: Planned } ]
reasonCodes:     [ { id: OR-1, codeSet: OverrideReasons, reason: Preferred coil damaged }, { id: UR-1, codeSet: UnattainableReasons, reason: Coil not found } ]
coils: [ { coilId: C-1, location: WH-A1, gauge: 24, widthIn: 41.5, dateIn: 2026-03-04T08:00:00 }, { coilId: C-2, location: WH-A1, color: null } ]
tasks:
  - taskId: T-1
    machineId: RF-01
    taskType: WarehouseToMachine
    taskState: Ready
    coilType: { coilTypeCode: CT, materialType: Steel, color: Red, gauge: 24, widthIn: 41.5, lbsPerFt: 3.25 }
    requiredFt: 1200.5
    sourceLocation: WH-A1
    destinationLocation: RF-01
    requiredDate: 2026-03-04T08:00:00Z
    availableDate: null
    preferredCoilIds: [ C-1 ]
apiKeys: [ { principal: erp, key: erp-key-0123456789ab, role: business } ]
users:   [ { name: pat, role: technician, password: p } ]
`;

const task = (more: string) =>
  `tasks: [{ taskId: T-1, machineId: RF-01, taskType: WarehouseToMachine, requiredFt: 1, sourceLocation: A, destinationLocation: B, requiredDate: 2026-03-04T08:00:00Z, coilType: { coilTypeCode: C, materialType: S, color: R, gauge: 1, widthIn: 1, lbsPerFt: 1 }, ${more} }]`;

describe('readPlantFile', () => {
  it('TASK-01 COIL-01 reads every kind of the contract', () => {
    const reading = readPlantFile(contractPlant, 'plant.yaml');
    if (!reading.ok) throw new ConfigError(reading.faults);
    expect(reading.plantFile.machines).toMatchObject([{ machineId: 'RF-01', catalogs: [1], mqttPassword: 'secret' }]);
    expect(reading.plantFile.tasks).toMatchObject([{ taskId: 'T-1', availableDate: null, preferredCoilIds: ['C-1'] }]);
    expect(reading.plantFile.coils).toHaveLength(2);
    expect(reading.plantFile.users).toEqual([{ name: 'pat', role: 'technician', password: 'p' }]);
  });

  it('an unknown kind hides no fault in the other kinds', () => {
    const reading = readPlantFile('machnes: []\nparts: [ { partId: 7 } ]\ncoils: nothing\n', 'plant.yaml');
    expect(reading.ok ? [] : reading.faults.map(({ path }) => path).sort()).toEqual([
      'coils',
      'machnes',
      'parts[0].partId',
    ]);
  });

  it.each([
    ['an empty file', '', { path: '(root)', found: 'null' }],
    ['a file of words', 'hello', { path: '(root)' }],
    ['an empty map', '{}', { path: '(root)' }],
    [
      'an unknown kind',
      'machnes: []',
      { line: 1, column: 1, path: 'machnes', expected: 'a known key; did you mean machines?' },
    ],
    ['a kind that is no list', 'parts: { partId: P }', { path: 'parts', found: 'an object' }],
    ['a kind with nothing behind it', 'parts:\nmachines: []', { path: 'parts', found: 'null' }],
    ['an entry that is no record', 'parts: [P-1]', { path: 'parts[0]', found: '"P-1"' }],
    ['an unknown key', 'parts:\n  - partId: P-1\n    partNmae: x', { line: 3, column: 5, path: 'parts[0].partNmae' }],
    ['a key __proto__', 'parts: [{ partId: P, __proto__: { x: 1 } }]', { path: 'parts[0].__proto__' }],
    [
      'a coil that the search would hide',
      'coils: [{ coilId: search, location: A }]',
      {
        path: 'coils[0].coilId',
        expected: 'text of 1 to 128 characters, no space at its ends, and not search, . or ..',
      },
    ],
    ['a task that a list would hide', task('').replace('T-1', 'reasonCodes'), { path: 'tasks[0].taskId' }],
    ['a task that no client can name', task('').replace('T-1', '..'), { path: 'tasks[0].taskId', found: '".."' }],
    ['a key twice', 'parts:\n  - partId: P\n    partId: Q', { line: 3, path: 'parts[0].partId' }],
    [
      'a missing id',
      'parts:\n  - { partId: A }\n  - { partName: x }',
      { line: 3, path: 'parts[1].partId', found: 'nothing' },
    ],
    [
      'a number as id',
      'parts: [{ partId: 0001 }]',
      { path: 'parts[0].partId', found: '1', expected: expect.stringContaining('in quotes') },
    ],
    ['an empty id', 'parts: [{ partId: "" }]', { path: 'parts[0].partId' }],
    ['an id with a space at its end', 'parts: [{ partId: "P " }]', { path: 'parts[0].partId' }],
    ['an id with a line break', 'parts: [{ partId: "P\\n1" }]', { path: 'parts[0].partId' }],
    [
      'a machineId with a slash (DEV-02)',
      'machines: [{ machineId: a/b, topicRoot: t }]',
      { path: 'machines[0].machineId', found: '"a/b"' },
    ],
    [
      'a machine without TopicRoot',
      'machines: [{ machineId: a }]',
      { path: 'machines[0].topicRoot', found: 'nothing' },
    ],
    [
      'an unknown state',
      'machines: [{ machineId: a, topicRoot: t, state: off }]',
      { path: 'machines[0].state', expected: 'active, inactive or blocked' },
    ],
    [
      'a variable twice',
      'machines: [{ machineId: a, topicRoot: t, variables: [v, v] }]',
      { path: 'machines[0].variables' },
    ],
    [
      'a catalog by name',
      'machines: [{ machineId: a, topicRoot: t, catalogs: [Trim] }]',
      { path: 'machines[0].catalogs[0]' },
    ],
    ['a catalog 0', 'catalogs: [{ catalogId: 0, name: x }]', { path: 'catalogs[0].catalogId' }],
    [
      'an unknown category',
      'locations: [{ code: A, name: A, category: warehouse }]',
      { path: 'locations[0].category' },
    ],
    [
      'a location code with a prefix',
      'locations: [{ code: Locations/A, name: A, category: Bin }]',
      { path: 'locations[0].code' },
    ],
    [
      'a task id with its prefix (TASK-01)',
      task('taskId: MaterialTasks/T-1').replace('taskId: T-1, ', ''),
      { path: 'tasks[0].taskId' },
    ],
    ['a date of the year 0', task('availableDate: 0000-01-01T00:00:00Z'), { path: 'tasks[0].availableDate' }],
    ['the 30th of February', task('availableDate: 2026-02-30T00:00:00Z'), { path: 'tasks[0].availableDate' }],
    ['a date with an offset', task('availableDate: 2026-02-03T00:00:00+01:00'), { path: 'tasks[0].availableDate' }],
    ['an unknown task state', task('taskState: Done'), { path: 'tasks[0].taskState' }],
    [
      'a coil date with a zone (COIL-01)',
      'coils: [{ coilId: C, location: A, dateIn: 2026-02-03T00:00:00Z }]',
      { path: 'coils[0].dateIn' },
    ],
    ['a gauge with a fraction', 'coils: [{ coilId: C, location: A, gauge: 1.5 }]', { path: 'coils[0].gauge' }],
    ['a length below 0', 'coils: [{ coilId: C, location: A, lengthStartFt: -1 }]', { path: 'coils[0].lengthStartFt' }],
    [
      'a length without end',
      'coils: [{ coilId: C, location: A, lengthStartFt: .inf }]',
      { path: 'coils[0].lengthStartFt' },
    ],
    [
      'null for a flag',
      'coils: [{ coilId: C, location: A, isComplete: null }]',
      { path: 'coils[0].isComplete', found: 'null' },
    ],
    ['an unknown role', 'users: [{ name: x, role: boss, password: y }]', { path: 'users[0].role' }],
    ['bytes that are not UTF-8', new Uint8Array([0x70, 0x3a, 0xff]), { path: 'YAML' }],
    ['a text cut off in a word', 'machines:\n  - machineId: RF-01\n    topicRo', { line: 3, path: 'YAML' }],
  ])('refuses %s', (_what, source, expected) => {
    const faults = faultsOf(source);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ file: 'plant.yaml', ...expected });
  });

  it('reports every fault, with its line', () => {
    const faults = faultsOf('parts:\n  - partId: 1\n  - partId: 2\nusers:\n  - { name: x, role: y }');
    expect(faults.map(({ line, path }) => `${line} ${path}`)).toEqual([
      '2 parts[0].partId',
      '3 parts[1].partId',
      '5 users[0].role',
    ]);
  });

  it('AUTH-02 never repeats a secret in a fault', () => {
    const faults = faultsOf('apiKeys: [{ principal: p, role: admin, key: 4711 }]');
    expect(faults).toMatchObject([{ path: 'apiKeys[0].key' }]);
    expect(JSON.stringify(faults)).not.toContain('4711');
  });

  it.each([
    ['#', true],
    ['plant/#', true],
    ['/+/%c/#', true],
    ['tools/%c', true],
    ['', false],
    ['plant/#/status', false],
    ['plant#', false],
    ['plant/+1', false],
    ['tools/%c-1', false],
    ['tools/a%c', false],
    ['a\u0000b', false],
    [Array.from({ length: 32 }, () => 'x').join('/'), true],
    [Array.from({ length: 33 }, () => 'x').join('/'), false],
    ['x'.repeat(256), true],
    ['x'.repeat(257), false],
  ])('D-66 the right %j of an MQTT account is a filter: %s', (filter, isFilter) => {
    const paths = faultsOf(stringify({ mqttAccounts: [{ name: 'wall', read: ['#'], write: [filter] }] })).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(isFilter ? [] : ['mqttAccounts[0].write[0]']);
  });

  it.each([
    ['write', 64, Array.from({ length: 65 }, (_, place) => `t/${place}`)],
    ['machines', 1_000, Array.from({ length: 1_001 }, (_, place) => `M${place}`)],
  ])('D-66 an MQTT account has at most so many %s: %d', (field, most, values) => {
    const expected = expect.stringContaining(`at most ${most} `);
    expect(faultsOf(stringify({ mqttAccounts: [{ name: 'wall', [field]: values }] }))).toMatchObject([
      { path: `mqttAccounts[0].${field}`, expected },
    ]);
    expect(faultsOf(stringify({ mqttAccounts: [{ name: 'wall', [field]: values.slice(1) }] }))).toEqual([]);
  });

  it('refuses more machines than a gateway can have', () => {
    const machines = Array.from({ length: 5_001 }, (_, place) => ({ machineId: `M${place}`, topicRoot: `m/${place}` }));
    expect(faultsOf(stringify({ machines }))).toMatchObject([
      { path: 'machines', expected: 'a list of at most 5000 records' },
    ]);
  });
});

describe('applyPlantFile', () => {
  it('names the line of a record that the plant refuses', async () => {
    const refuse = () => Promise.reject(invalidInput([{ path: 'parts[1].partId', found: '"B"', expected: 'another' }]));
    await expect(
      applyPlantFile(openPlantFile('parts:\n  - partId: A\n  - partId: B', 'p.yaml'), refuse),
    ).rejects.toMatchObject({
      faults: [{ file: 'p.yaml', line: 3, column: 13, path: 'parts[1].partId' }],
    });
  });

  it('passes on an error that is not the fault of the file', async () => {
    const error = new CodedError('store-unavailable', 'no disk');
    await expect(applyPlantFile(openPlantFile('parts: []', 'p.yaml'), () => Promise.reject(error))).rejects.toBe(error);
  });
});
