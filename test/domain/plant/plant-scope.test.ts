import { expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/domain/plant/plant.ts';
import { PLANT_CODECS } from '../../../src/domain/plant/plant-codecs.ts';
import { isInScope, plantNames, plantScope, scopeFaults } from '../../../src/domain/plant/plant-scope.ts';

it.each(ROLES)('D-108 without a list a %s is for the first plant, and an administrator is for all', (role) => {
  expect(isInScope(plantScope({ role }), 'default')).toBe(true);
  expect(isInScope(plantScope({ role }), 'tulsa')).toBe(role === 'admin');
});

it.each([
  [['tulsa'], ['tulsa']],
  [
    ['tulsa', 'dayton'],
    ['tulsa', 'dayton'],
  ],
  [['*'], ['default', 'tulsa', 'dayton']],
])('D-108 a list names the plants: %j', (plants, expected) => {
  for (const role of ['business', 'admin'] as const) {
    const scope = plantScope({ role, plants });
    expect(['default', 'tulsa', 'dayton'].filter((plantId) => isInScope(scope, plantId)).sort()).toEqual(
      expected.toSorted(),
    );
  }
});

it('D-108 the first plant is always there, under the name that the configuration gives it', () => {
  const tulsa = { id: 'tulsa', name: 'Tulsa' };
  expect(plantNames([])).toEqual([{ plantId: 'default', name: 'default' }]);
  expect(plantNames([tulsa]).map(({ plantId }) => plantId)).toEqual(['default', 'tulsa']);
  expect(plantNames([tulsa, { id: 'default', name: 'Boise' }])).toEqual([
    { plantId: 'tulsa', name: 'Tulsa' },
    { plantId: 'default', name: 'Boise' },
  ]);
});

const key = (role: Role, plants: readonly string[]) =>
  PLANT_CODECS.apiKeys.record({ principal: 'erp', role, plants }, undefined);

it.each([
  ['business', ['tulsa'], null],
  ['business', ['tulsa', 'default'], null],
  ['business', ['*'], null],
  ['business', ['boise'], 'apiKeys[0].plants: found "boise", expected default or tulsa'],
  ['gateway', ['tulsa'], null],
  ['gateway', ['*'], 'apiKeys[0].plants: found "*", expected one plant'],
  ['gateway', ['tulsa', 'default'], 'apiKeys[0].plants: found "tulsa, default", expected one plant'],
] as const)('D-108 a key of role %s for %j is checked', (role, plants, expected) => {
  const faults = scopeFaults({ apiKeys: [key(role, plants)], users: [] }, ['default', 'tulsa']);
  const texts = faults.map((fault) => `${fault.path}: found ${fault.found}, expected ${fault.expected}`);
  expect(texts).toEqual(expected === null ? [] : [expect.stringContaining(expected)]);
});

it('D-108 a plant besides the first one has no keys and people of its own', () => {
  expect(scopeFaults({ apiKeys: [], users: [] }, [])).toEqual([]);
  const faults = scopeFaults({ apiKeys: [key('business', ['tulsa'])], users: [] }, []);
  expect(faults).toEqual([
    { path: 'apiKeys', found: '1 records', expected: expect.stringContaining('none in this plant') },
  ]);
});
