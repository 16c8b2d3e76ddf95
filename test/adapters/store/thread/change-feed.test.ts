import { expect, it } from 'vitest';
import { newDataDir, openTestCore, START_AT } from '../open-test-store.ts';

const DAY_MS = 86_400_000;

function order(documentID: string) {
  const json = JSON.stringify({ documentID, products: [] });
  return {
    kind: 'orderPut',
    order: { orderKey: `documentID ${documentID}`, json, at: START_AT, principal: 'erp' },
  } as const;
}

it('D-60 a cursor is known after a restart, and unknown to a database that lost the changes behind it', () => {
  const dataDir = newDataDir();
  const first = openTestCore(dataDir);
  first.write([order('D-1')]);
  const { next } = first.warehouse.changeFeed.page(null, 10, []);
  first.write([order('D-2')]);
  first.close();
  const again = openTestCore(dataDir, 'again');
  again.write([order('D-3')]);
  const { changes, isReset } = again.warehouse.changeFeed.page(next, 10, []);
  expect({ isReset, ids: changes.map(({ id }) => id) }).toEqual({ isReset: false, ids: ['D-2', 'D-3'] });
  const elsewhere = openTestCore(newDataDir(), 'other');
  for (const id of ['D-1', 'D-2', 'D-3', 'D-4']) elsewhere.write([order(id)]);
  expect(elsewhere.warehouse.changeFeed.page(next, 10, [])).toMatchObject({ isReset: true, changes: [] });
});

it('D-60 changes older than the retention are forgotten, and a cursor before them begins anew', async () => {
  const core = openTestCore(newDataDir());
  const { changeFeed } = core.warehouse;
  core.write([order('D-1')]);
  const { next: old } = changeFeed.page(null, 10, []);
  for (let count = 0; count < 500; count++) core.write([order(`E-${count}`)]);
  core.connection.prepare('UPDATE change_feed SET at = at - ?').run(8 * DAY_MS);
  core.write([order('D-2')]);
  const { next: young } = changeFeed.page(null, 10, []);
  core.write([order('D-3')]);
  await changeFeed.forget(Date.now() - 7 * DAY_MS);
  expect(changeFeed.page(old, 10, [])).toMatchObject({ isReset: true });
  expect(changeFeed.page(young, 10, [])).toMatchObject({ isReset: false, changes: [{ kind: 'order', id: 'D-3' }] });
  expect(core.connection.prepare('SELECT count(*) FROM change_feed').pluck().get()).toBe(2);
});

it('D-60 many records of a kind that change at once are one change without an id', () => {
  const core = openTestCore(newDataDir());
  const { changeFeed } = core.warehouse;
  core.write([order('D-1')]);
  const { next } = changeFeed.page(null, 10, []);
  changeFeed.noteMany('coil');
  changeFeed.noteMany('coil');
  expect(changeFeed.page(next, 10, []).changes).toMatchObject([{ kind: 'coil', id: null, isRemoved: false }]);
});
