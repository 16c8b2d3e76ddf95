import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Coil } from '../../../../../src/domain/plant/plant.ts';
import { searchWords } from '../../../../../src/domain/warehouse/task.ts';
import { COIL_SORT_FIELDS, type CoilSearch } from '../../../../../src/flows/warehouse/warehouse-ports.ts';
import { rounds } from '../../../../rounds.ts';
import { newDataDir, openTestCore, type TestCore } from '../../open-test-store.ts';
import { ANY_COIL, coilOf, parsed } from './warehouse-under-test.ts';

interface Found {
  readonly total: number;
  readonly items: readonly Coil[];
}

/** SQLite's order of texts, by code points. */
function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Compares texts in any case. */
function sameText(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

/** The expected result of a search, by a plain scan. */
function expectedOf(coils: readonly Coil[], search: CoilSearch): { total: number; ids: readonly string[] } {
  const { materialCode, location, materialType, color, gauge, widthIn, minimumLengthFt, q, sort } = search;
  const beginnings = searchWords(q ?? '');
  const isWanted = (coil: Coil) => {
    const { coilId, description, gauge: ownGauge, location: place, vendorName, heatNumber, purchaseOrder } = coil;
    const words = searchWords(
      [
        coilId,
        coil.materialCode,
        description,
        coil.materialType,
        coil.color,
        ownGauge,
        place,
        vendorName,
        heatNumber,
        purchaseOrder,
      ].join(' '),
    );
    return (
      (materialCode === null || sameText(coil.materialCode, materialCode)) &&
      (location === null || sameText(coil.location, location)) &&
      (search.includeComplete || !coil.isComplete) &&
      (materialType === null || sameText(coil.materialType, materialType)) &&
      (color === null || sameText(coil.color, color)) &&
      (gauge === null || coil.gauge === gauge) &&
      (widthIn === null || coil.widthIn === widthIn) &&
      (minimumLengthFt === null || (coil.lengthRemainingFt ?? Number.NEGATIVE_INFINITY) >= minimumLengthFt) &&
      beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)))
    );
  };
  const inOrder = coils.filter(isWanted).sort((one, other) => {
    const [a, b] = [one[sort.field], other[sort.field]];
    const byId = compare(one.coilId, other.coilId);
    if (a === null || b === null) return Number(a === null) - Number(b === null) || byId;
    return (sort.descending ? compare(b, a) : compare(a, b)) || byId;
  });
  const ids = inOrder.slice(search.skip, search.skip + search.take).map(({ coilId }) => coilId);
  return { total: inOrder.length, ids };
}

const text = fc.constantFrom(
  'White',
  'WHITE',
  'Barn red',
  'barn RED',
  'Ünï çode',
  'ÜNÏ ÇODE',
  '',
  '\u{1f9f5} coil',
  '\uffee x',
  null,
);
const amount = fc.constantFrom(0, 0.5, 26, 41.5625, 1e6, null);
const coil = fc
  .record({
    coilId: fc.constantFrom(
      ...Array.from({ length: 12 }, (_, place) => `C-${place}`),
      'C/1 %',
      'ä',
      '\u{1f9f5}',
      '\uffee',
    ),
    materialCode: text,
    description: text,
    materialType: text,
    color: text,
    gauge: fc.constantFrom(24, 26, null),
    widthIn: amount,
    lengthRemainingFt: amount,
    currentWeightLbs: amount,
    isComplete: fc.boolean(),
    location: fc.constantFrom('WH-A1', 'WH-A2', 'RF-01'),
    dateIn: fc.constantFrom('2026-03-04T08:00:00', '2025-01-01T00:00:00.5', null),
    vendorName: text,
    heatNumber: fc.constantFrom('H83000', 'H83017', null),
  })
  .map(coilOf);

const act = fc.oneof(
  coil.map((put) => ({ kind: 'put', put }) as const),
  fc.nat(15).map((place) => ({ kind: 'remove', place }) as const),
  fc.record({ kind: fc.constant('move' as const), place: fc.nat(15), location: fc.constantFrom('WH-A1', 'RF-01') }),
);

const search: fc.Arbitrary<CoilSearch> = fc.record({
  materialCode: fc.option(text),
  location: fc.constantFrom('WH-A1', 'wh-a1', 'Rf-01', 'nowhere', null),
  includeComplete: fc.boolean(),
  q: fc.constantFrom('c', 'C-1', 'h83 c', 'red', '\u{1f9f5}', 'zzz', '-', null),
  materialType: fc.option(text),
  color: fc.option(text),
  gauge: fc.constantFrom(24, 26, 99, null),
  widthIn: amount,
  minimumLengthFt: amount,
  sort: fc.record({ field: fc.constantFrom(...COIL_SORT_FIELDS), descending: fc.boolean() }),
  skip: fc.constantFrom(0, 1, 5, 1_000_000_000),
  take: fc.constantFrom(1, 3, 1_000),
});

const step = fc.record({
  acts: fc.array(act, { maxLength: 8 }),
  searches: fc.array(search, { minLength: 1, maxLength: 3 }),
});

function perform(
  core: TestCore,
  coils: Map<string, Coil>,
  { kind, ...rest }: { kind: string } & Partial<OperationParts>,
): void {
  const { coils: rows, coilQueries } = core.warehouse;
  if (kind === 'put' && rest.put !== undefined) {
    coils.set(rest.put.coilId, rest.put);
    rows.put(rest.put);
    coilQueries.noteChange(rest.put.coilId);
    return;
  }
  const chosen = [...coils.values()][rest.place ?? 0];
  if (chosen === undefined) return;
  if (kind === 'move') {
    coils.set(chosen.coilId, { ...chosen, location: rest.location ?? '' });
    rows.move(chosen.coilId, rest.location ?? '');
    coilQueries.noteChange(chosen.coilId);
    return;
  }
  coils.delete(chosen.coilId);
  coilQueries.noteRemoval(chosen.coilId, rows.findNumbered(chosen.coilId)?.slot ?? -1);
  rows.remove(chosen.coilId);
}

interface OperationParts {
  readonly put: Coil;
  readonly place: number;
  readonly location: string;
}

it('COIL-05 COIL-02 D-19 the search gives the same coils as a plain scan, for any filters, order, page and changes', async () => {
  const core = openTestCore(newDataDir());
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const coils = new Map<string, Coil>();
      for (const { coil: present } of core.warehouse.coils.after('', 100)) coils.set(present.coilId, present);
      for (const { acts, searches } of steps) {
        for (const one of acts) perform(core, coils, one);
        for (const asked of searches) {
          const { total, items } = parsed<Found>(await core.warehouse.coilQueries.search(asked));
          const expected = expectedOf([...coils.values()], asked);
          expect({ total, ids: items.map(({ coilId }) => coilId) }).toEqual(expected);
          for (const item of items) expect(item).toEqual(coils.get(item.coilId));
        }
      }
    }),
    { numRuns: rounds(150) },
  );
});

it('COIL-05 the search stays right when tens of thousands of rows change, and does not find old words any more', async () => {
  const core = openTestCore(newDataDir());
  const { coils, coilQueries } = core.warehouse;
  const search = async (q: string) => parsed<Found>(await coilQueries.search({ ...ANY_COIL, q, take: 1 })).total;
  const put = (from: number, to: number, heatNumber: string) => {
    core.connection.transaction(() => {
      for (let place = from; place < to; place += 1) {
        coils.put(coilOf({ coilId: `C-${place}`, heatNumber: `${heatNumber}${place}` }));
        coilQueries.noteChange(`C-${place}`);
      }
    })();
  };
  put(0, 9_000, 'old');
  expect([await search('old'), await search('new'), await search('c old8')]).toEqual([9_000, 0, 1_111]);
  for (let round = 0; round < 6; round += 1) {
    put(0, 4_000, `new${round}x`);
    expect(await search(`new${round}`)).toBe(4_000);
  }
  expect([await search('old'), await search('new'), await search('new4')]).toEqual([5_000, 4_000, 0]);
  for (let round = 0; round < 20; round += 1) {
    put(4_000, 8_900, `last${round}x`);
    expect(await search('last')).toBe(4_900);
  }
  expect([await search('old'), await search('new5'), await search('last19')]).toEqual([100, 4_000, 4_900]);
});

it('COIL-05 the search sorts ids that come one by one in any order', async () => {
  const core = openTestCore(newDataDir());
  const { coils, coilQueries } = core.warehouse;
  const id = fc.string({ unit: fc.constantFrom('a', 'm', 'z', '\uffee', '\u{1f9f5}'), minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(id, { minLength: 2, maxLength: 40 }), async (ids) => {
      for (const { coil: present } of coils.after('', ids.length + 100)) coils.remove(present.coilId);
      coilQueries.noteReplacement();
      for (const coilId of ids) {
        coils.put(coilOf({ coilId }));
        coilQueries.noteChange(coilId);
        await coilQueries.prepare();
      }
      const { items } = parsed<Found>(await coilQueries.search(ANY_COIL));
      expect(items.map(({ coilId }) => coilId)).toEqual(ids.toSorted(compare));
    }),
  );
});
