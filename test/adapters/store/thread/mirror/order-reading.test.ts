import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlItems } from '../../../../../src/adapters/store/thread/mirror/yaml-items.ts';
import { EVERY_ORDER } from '../../../../../src/adapters/store/thread/orders/order-queries.ts';
import { newDataDir, openTestCore, type TestCore } from '../../open-test-store.ts';

let core: TestCore;

beforeEach(() => {
  core = openTestCore(newDataDir(), 'run', false, { maxBytes: 1e9, gatewayId: 'g1', server: 'central' });
});

async function read(yaml: string): Promise<unknown> {
  await core.mirror.orders.begin();
  return core.mirror.orders.read(new TextEncoder().encode(yaml), 1_000_000);
}

async function codes(filter: object = {}): Promise<readonly unknown[]> {
  const summary = await core.orders.summary({ ...EVERY_ORDER, ...filter });
  const rows: readonly { orderCode: string }[] = parse(new TextDecoder().decode(summary?.bytes));
  return rows.map(({ orderCode }) => orderCode);
}

describe('summaries of orders', () => {
  it('UP-07 D-21 are those of the central server, and are found by their fields', async () => {
    expect(await read('- orderCode: "O-1"\n  materialCode: "M"\n- orderCode: 2\n  documentID: D-2\n')).toBe(null);
    // As the server wrote it.
    expect(await codes()).toEqual([2, 'O-1']);
    expect(await codes({ materialCode: 'M' })).toEqual(['O-1']);
    expect(await read('- orderCode: "O-3"\n')).toBe(null);
    expect(await codes()).toEqual(['O-3']);
    expect(await read('[]\n')).toBe(null);
    expect(await codes()).toEqual([]);
  });

  it.each(['<html>', 'a: 1', '- a\n- b\n', '- "cut', '{'])(
    'UP-07 stay unchanged if the answer is %j, which is a fault',
    async (yaml) => {
      await read('- orderCode: "O-1"\n');
      expect(await read(yaml)).toMatchObject({ fault: expect.any(String) });
      expect(await codes()).toEqual(['O-1']);
    },
  );

  it('UP-07 may have thirty thousand rows', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `- orderCode: "O-${index}"\n`);
    expect(await read(rows.join(''))).toBe(null);
    expect(await codes()).toHaveLength(rows.length);
  });
});

it.each([
  ['a plain list', '- a: 1\n  b: 2\n- a: 3\n', ['- a: 1\n  b: 2\n', '- a: 3\n']],
  ['a list that ends at once', '- a: 1\n- a: 2', ['- a: 1\n', '- a: 2']],
  ['a flow list', '[{a: 1}, {a: 2}]', ['[{a: 1}, {a: 2}]']],
  ['a list with a head', '---\n- a: 1\n- a: 2\n', ['---\n- a: 1\n- a: 2\n']],
])('UP-07 %s is split into items if possible', (_, text, items) => {
  expect([...yamlItems(text)]).toEqual(items);
});

it('UP-07 a long list that cannot be split is refused', () => {
  expect(() => [...yamlItems(`[${'1,'.repeat(200_000)}1]`)]).toThrow('no plain one');
});
