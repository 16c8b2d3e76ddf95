import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTopicRoot, machineId } from '../../../src/domain/machine/machine-names.ts';
import type { Machine } from '../../../src/domain/plant/plant.ts';
import { PLANT_CODECS } from '../../../src/domain/plant/plant-codecs.ts';
import { EMPTY_PLANT, type PlantContents } from '../../../src/domain/plant/plant-entry.ts';
import { referrersOf } from '../../../src/domain/plant/plant-references.ts';
import { checkPlant } from '../../../src/domain/plant/plant-rules.ts';
import { processorMs } from '../../rounds.ts';

function machine(id: string, topicRoot: string, more: Partial<Machine> = {}): Machine {
  const name = machineId(id);
  if (name === null) throw new Error(`${id} is no machine id`);
  return { ...PLANT_CODECS.machines.record({ machineId: name, topicRoot }, undefined), ...more };
}

function plant(contents: Partial<PlantContents>): PlantContents {
  return { ...EMPTY_PLANT, ...contents };
}

const rack = { code: 'WH-A1', name: 'Rack', category: 'Warehouse' } as const;
const coil = PLANT_CODECS.coils.record({ coilId: 'C-1', location: 'WH-A1' }, undefined);
const task = PLANT_CODECS.tasks.record(
  {
    taskId: 'T-1',
    machineId: 'RF-01',
    taskType: 'WarehouseToMachine',
    coilType: { coilTypeCode: 'C', materialType: '', color: '', gauge: 24, widthIn: 40, lbsPerFt: 3 },
    requiredFt: 10,
    sourceLocation: 'WH-A1',
    destinationLocation: 'WH-A1',
    requiredDate: '2026-03-04T08:00:00Z',
    preferredCoilIds: ['C-gone'],
  },
  undefined,
);

describe('MQTT-09 TopicRoots', () => {
  it.each(['a', 'plant1/rollformer-1', 'A_b-C/0/z', 'x'.repeat(256)])('may have %s', (topicRoot) => {
    expect(checkPlant(plant({ machines: [machine('M', topicRoot)] }))).toEqual([]);
  });

  it.each(['', '/', '/a', 'a/', 'a//b', 'a/#', '+/a', 'a b', 'ä', '$SYS', 'a.b', 'a\n', 'a\u0000', 'x'.repeat(257)])(
    'may not be %j',
    (topicRoot) => {
      const faults = checkPlant(plant({ machines: [machine('M', topicRoot)] }));
      expect(faults).toMatchObject([{ path: 'machines[0].topicRoot' }]);
    },
  );

  it.each([
    ['the same one', 'a/b', 'a/b', ['machines[1].topicRoot']],
    ['one inside the other', 'a/b', 'a/b/c', ['machines[0].topicRoot', 'machines[1].topicRoot']],
    ['one around the other', 'a/b/c/d', 'a', ['machines[0].topicRoot', 'machines[1].topicRoot']],
    ['only a common beginning', 'a/b', 'a/bc', []],
    ['another letter case', 'a/b', 'A/b', []],
  ])('are judged for two machines with %s', (_what, one, other, paths) => {
    const faults = checkPlant(plant({ machines: [machine('M1', one), machine('M2', other)] }));
    expect(faults.map(({ path }) => path)).toEqual(paths);
    const against = checkPlant(plant({ machines: [machine('M2', other)] }), plant({ machines: [machine('M1', one)] }));
    expect(against.length > 0).toBe(paths.length > 0);
  });

  it('collide exactly if one is the same as another or the beginning of its levels', () => {
    const level = fc.constantFrom('a', 'b', 'ab', 'A');
    const root = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
    fc.assert(
      fc.property(fc.array(root, { maxLength: 6 }), (roots) => {
        const faults = checkPlant(
          plant({ machines: roots.map((topicRoot, place) => machine(`M${place}`, topicRoot)) }),
        );
        const collide = roots.some((one, place) =>
          roots.some((other, otherPlace) => place !== otherPlace && `${other}/`.startsWith(`${one}/`)),
        );
        expect(faults.length > 0).toBe(collide);
      }),
    );
  });

  it('have exactly the characters of the interface', () => {
    const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(character, (text) => {
        expect(isTopicRoot(`a${text}b`)).toBe(/^[A-Za-z0-9_/-]$/.test(text));
      }),
    );
  });
});

describe('checkPlant', () => {
  it.each([
    ['a location that is not there', { machines: [machine('M', 'm', { location: 'X' })] }, 'machines[0].location'],
    [
      'a catalog that is not there',
      { machines: [machine('M', 'm', { catalogs: [1, 2] })], catalogs: [{ catalogId: 1, name: 'S', default: false }] },
      'machines[0].catalogs',
    ],
    ['a coil at no location', { coils: [coil] }, 'coils[0].location'],
    ['a task of no machine', { tasks: [task], locations: [rack] }, 'tasks[0].machineId'],
    [
      'a task for no location',
      { tasks: [{ ...task, destinationLocation: 'X' }], machines: [machine('RF-01', 'm')], locations: [rack] },
      'tasks[0].destinationLocation',
    ],
    [
      'a task with a coil that is not there',
      { tasks: [{ ...task, selectedCoilId: 'C' }], machines: [machine('RF-01', 'm')], locations: [rack] },
      'tasks[0].selectedCoilId',
    ],
    ['a record twice', { locations: [rack, { ...rack, name: 'Other' }] }, 'locations[1].code'],
    [
      'two default catalogs',
      {
        catalogs: [
          { catalogId: 1, name: 'A', default: true },
          { catalogId: 2, name: 'B', default: true },
        ],
      },
      'catalogs[1].default',
    ],
    [
      'a serial number twice',
      { machines: [machine('A', 'a', { serialNumber: 'S' }), machine('B', 'b', { serialNumber: 'S' })] },
      'machines[1].serialNumber',
    ],
  ])('refuses %s', (_what, contents, path) => {
    expect(checkPlant(plant(contents)).map((fault) => fault.path)).toEqual([path]);
  });

  it('resolves references to the rest of the plant, and does not check that rest again', () => {
    const rest = plant({ locations: [rack], machines: [machine('RF-01', 'm', { location: 'gone' })] });
    expect(checkPlant(plant({ coils: [coil], tasks: [task] }), rest)).toEqual([]);
  });

  it('counts existing records against the limit', () => {
    const keys = Array.from(
      { length: 400 },
      (_, place) =>
        ({
          id: `p${place}`,
          principal: `p${place}`,
          role: 'admin',
          since: null,
          isPanel: false,
          keyHash: 'h',
        }) as const,
    );
    const more = keys.map((key) => ({ ...key, principal: `q${key.principal}` }));
    expect(checkPlant(plant({ apiKeys: keys }))).toEqual([]);
    expect(checkPlant(plant({ apiKeys: more }), plant({ apiKeys: keys }))).toMatchObject([
      { path: 'apiKeys', found: '800 records' },
    ]);
  });

  it('judges 5,000 machines well within a second', () => {
    const machines = Array.from({ length: 5_000 }, (_, place) =>
      machine(`M${place}`, `plant/line-${place % 50}/m-${place}`),
    );
    const startedMs = processorMs();
    expect(checkPlant(plant({ machines }))).toEqual([]);
    expect(processorMs() - startedMs).toBeLessThan(500);
  });
});

describe('referrersOf', () => {
  const whole = plant({
    locations: [rack],
    coils: [coil],
    machines: [machine('RF-01', 'm', { location: 'WH-A1' })],
    tasks: [task],
  });

  it('names the records that refer to a record', () => {
    expect(referrersOf(whole, 'locations', 'WH-A1', 10)).toEqual(['machine RF-01', 'coil C-1', 'task T-1']);
    expect(referrersOf(whole, 'locations', 'WH-A1', 1)).toEqual(['machine RF-01']);
    expect(referrersOf(whole, 'coils', 'C-1', 10)).toEqual([]);
  });
});
