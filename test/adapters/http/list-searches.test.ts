import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderChoice } from '../../../src/domain/order/order-progress.ts';
import { keyOf } from './gateway-under-test.ts';
import { type LibraryUnderTest, profileOf, startLibrary } from './v1/warehouse-under-test.ts';

const PROFILES = 130;
const ORDERS = 230;

let library: LibraryUnderTest;
beforeAll(async () => {
  library = await startLibrary();
  for (let at = 0; at < PROFILES; at += 1) await addProfile(at);
  for (let at = 0; at < ORDERS; at += 1) await addOrder(at);
}, 60_000);
afterAll(() => library.close());

async function addProfile(at: number): Promise<void> {
  const profile = profileOf({
    profileName: `Profile ${String(at).padStart(3, '0')}`,
    description: at === 129 ? 'für den Ärmel' : null,
    category: at < 10 ? 'Trim' : 'Panel',
  });
  expect((await library.business('POST', '/profiles', profile)).status).toBe(200);
}

async function addOrder(at: number): Promise<void> {
  const day = String(28 - (at % 28)).padStart(2, '0');
  const order = {
    documentID: `D-${at}`,
    orderCode: `SO-${String(at).padStart(3, '0')}`,
    action: 'Put',
    products: [],
    schedule: {
      ...(at !== 7 && { requiredDateTime: `2096-11-${day}T08:00:00Z` }),
      ...(at % 10 === 0 && { onHold: true }),
    },
  };
  expect((await library.business('POST', '/orders/add', order)).status).toBe(200);
}

async function read<T>(path: string): Promise<T> {
  const { status, body } = await library.as(keyOf('technician'), 'GET', `/api/local${path}`);
  expect(status).toBe(200);
  return body as T;
}

interface Profiles {
  readonly total: number;
  readonly items: readonly { readonly profileName: string }[];
}

describe('F1: a search for profiles', () => {
  const names = ({ items }: Profiles) => items.map(({ profileName }) => profileName);

  it('counts all of them, and gives them a page at a time', async () => {
    const first = await read<Profiles>('/profiles');
    expect([first.total, first.items.length, first.items[0]?.profileName]).toEqual([PROFILES, 100, 'Profile 000']);
    const rest = await read<Profiles>('/profiles?skip=100');
    expect([rest.total, rest.items.length, rest.items.at(-1)?.profileName]).toEqual([PROFILES, 30, 'Profile 129']);
  });

  it.each([
    ['behind the first hundred', 'q=profile+128', ['Profile 128']],
    ['by a part of its note, in any case', 'q=ÄRMEL', ['Profile 129']],
    ['by its category and catalog', 'q=trim&catalogId=1&take=2', ['Profile 000', 'Profile 001']],
    ['in another catalog', 'q=trim&catalogId=2', []],
    ['that is not there', 'q=nothing', []],
  ])('finds one %s', async (_, query, expected) => {
    expect(names(await read<Profiles>(`/profiles?${query}`))).toEqual(expected);
  });
});

interface Orders {
  readonly rows: readonly { readonly orderCode: string; readonly onHold: boolean }[];
  readonly counts: Readonly<Record<OrderChoice, number>>;
  readonly next: { readonly orderCode: string } | null;
}

describe('F1: a search for orders', () => {
  const counts = { open: ORDERS, overdue: 0, onHold: 23, made: 0 };

  it('counts all and those on hold, by due date, with the one that is due first', async () => {
    const { rows, ...rest } = await read<Orders>('/orders');
    // Orders of one due date come by the texts of their documents: 111, 139, 167, 195, 223, 27, …
    const next = { orderCode: 'SO-111', requiredDateTime: '2096-11-01T08:00:00Z' };
    expect(rest).toEqual({ counts, next });
    expect([rows.length, rows[0]?.orderCode]).toEqual([200, 'SO-111']);
    const { rows: last } = await read<Orders>('/orders?skip=200');
    expect([last.length, last.at(-1)?.orderCode]).toEqual([30, 'SO-007']);
  });

  it('lists those on hold alone, and counts the others all the same', async () => {
    const held = await read<Orders>('/orders?choice=onHold&take=5');
    expect([held.rows.length, held.rows.every(({ onHold }) => onHold), held.counts]).toEqual([5, true, counts]);
    const none = await read<Orders>('/orders?q=nothing');
    expect(none).toEqual({ rows: [], counts: { open: 0, overdue: 0, onHold: 0, made: 0 }, next: null });
  });
});

it('F1: the audit counts all entries, and those that a search has found to its end', async () => {
  interface Entries {
    readonly entries: readonly object[];
    readonly next: number | null;
    readonly total: number | null;
  }
  const all = await read<Entries>('/audit?take=5');
  expect(all.total).toBeGreaterThanOrEqual(PROFILES + ORDERS);
  expect(all.entries).toHaveLength(5);
  expect(await read<Entries>('/audit?q=nothing-at-all')).toEqual({ entries: [], next: null, total: 0 });
  expect(await read<Entries>('/audit?q=D-22&take=2')).toMatchObject({ total: null });
});
