import { expect, it } from 'vitest';
import { expectAccessible } from './browser.ts';
import { Calls } from './calls.ts';
import { PLANT, usePage } from './page-under-test.ts';
import { visitEveryPlace } from './places.ts';

const ROLES = ['viewer', 'technician', 'supervisor', 'admin'] as const;
const FOR_ADMINISTRATORS = ['People', 'Keys', 'Shifts and server', 'Backup'];

const users = ROLES.map((role) => ({ name: role, role, password: 'rolls and coils' }));
const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, users }) }, (gate) => gate.plantAtWork());

it.each(ROLES)('as %s the page makes no refused call by itself, in any place', async (role) => {
  const page = await gate.open('/', { as: role });
  const calls = new Calls(page);
  const names = await visitEveryPlace(gate, calls);
  expect(names.filter((name) => FOR_ADMINISTRATORS.includes(name))).toEqual(role === 'admin' ? FOR_ADMINISTRATORS : []);
  expect(calls.refused).toEqual([]);
});

it('says to a technician that the set-up is for administrators', async () => {
  await gate.open('/', { as: 'technician' });
  await gate.follow('/set-up');
  await gate.page.getByText('Only administrators see and change this.').waitFor();
  await expectAccessible(gate.page);
});
