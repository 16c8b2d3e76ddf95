import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../../../../../src/adapters/store/thread/database/migrations.ts';
import { CoilRows } from '../../../../../src/adapters/store/thread/warehouse/coil-rows.ts';
import { PreparedSeeds } from '../../../../../src/adapters/store/thread/warehouse/warehouse.ts';
import type { Seed } from '../../../../../src/flows/warehouse/warehouse-ports.ts';
import { openTestStore } from '../../open-test-store.ts';
import { coilOf } from './warehouse-under-test.ts';

const seedOf = (coilId: string, fields: object = {}): Seed<'coils'> => ({
  of: 'coils',
  entry: { coilId, location: 'WH-A1', description: 'new', ...fields },
  mode: 'merge',
});

it('contract.md, Plant file: a prepared seed is prepared again if its coil has moved since, or is gone', () => {
  const connection = new Database(':memory:');
  migrate(connection);
  const coils = new CoilRows(connection);
  const seeds = new PreparedSeeds(coils);
  const [stays, moves, goes, comes] = ['C-1', 'C-2', 'C-3', 'C-4'].map((coilId) => seedOf(coilId));
  if (stays === undefined || moves === undefined || goes === undefined || comes === undefined) throw new Error('four');
  for (const coilId of ['C-1', 'C-2', 'C-3']) coils.put(coilOf({ coilId, location: 'WH-A2' }));
  seeds.prepare([stays, moves, goes, comes].map((seed) => ({ kind: 'warehouseSeed', seed })));
  coils.move('C-2', 'WH-A3');
  coils.remove('C-3');
  coils.put(coilOf({ coilId: 'C-4', location: 'WH-A4' }));
  const rows = [stays, moves, goes, comes].map((seed) => JSON.parse(seeds.row(seed)));
  expect(rows.map(({ location }) => location)).toEqual(['WH-A2', 'WH-A3', 'WH-A1', 'WH-A4']);
  expect(rows.map(({ description }) => description)).toEqual(['new', 'new', 'new', 'new']);
});

it('contract.md, Plant file: a large file does not undo a move that was under way before it', async () => {
  const { store } = await openTestStore();
  const coilIds = Array.from({ length: 1_200 }, (_, index) => `C-${index}`);
  const write = (description: string) =>
    store.write(coilIds.map((coilId) => ({ kind: 'warehouseSeed', seed: seedOf(coilId, { description }) })));
  await write('first');
  const moved = store.write([{ kind: 'coilLocation', coilId: 'C-700', location: 'WH-A9' }]);
  await Promise.all([moved, write('second')]);
  expect(await store.coil('C-700')).toMatchObject({ location: 'WH-A9', description: 'second' });
  expect(await store.coil('C-701')).toMatchObject({ location: 'WH-A1', description: 'second' });
});
