import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { PLANT_ENTRY_SHAPES } from '../../../src/config/plant-file/plant-entry-checks.ts';
import { KeyedMutex } from '../../../src/flows/keyed-mutex.ts';
import { ProfileFlow } from '../../../src/flows/library/profile-flow.ts';
import { OrderFlow } from '../../../src/flows/orders/order-flow.ts';
import { Plant } from '../../../src/flows/plant/plant.ts';
import { ReadWriteLock } from '../../../src/flows/read-write-lock.ts';
import { openTestStore, quietLog } from '../../adapters/store/open-test-store.ts';
import { parsed } from '../../adapters/store/thread/warehouse/warehouse-under-test.ts';
import { plantFile, plantTools } from '../plant-under-test.ts';

const secrets = { hash: async () => 'hash', verify: async () => true };
const CATALOGS = [
  { catalogId: 1, name: 'Standard', default: true },
  { catalogId: 2, name: 'Trim' },
];
const SHAPE = [
  { type: 'Straight', length: 2 },
  { type: 'Angle', angle: 90 },
  { type: 'Straight', length: 3.5 },
];
const RIDGE = { profileId: 'P-1', profileName: 'Ridge cap', features: SHAPE };

const nothing = () => Promise.resolve();

async function open() {
  const { store } = await openTestStore();
  let drawn = 0;
  let beforeDrawing = nothing;
  const artist = {
    draw: async () => {
      await beforeDrawing();
      drawn += 1;
      return 'data:image/png;base64,';
    },
  };
  const tools = {
    ...plantTools,
    artist,
    profileMutex: new KeyedMutex('profile', 100),
    catalogLock: new ReadWriteLock(),
  };
  const plant = new Plant([], { store, secrets, log: quietLog, shapes: PLANT_ENTRY_SHAPES, ...tools });
  const { clock } = plantTools;
  const turns = tools.profileMutex;
  const library = new ProfileFlow({ ...tools, store, plant, turns, newId: () => 'new', onChange: nothing });
  await plant.applyFile(plantFile(stringify({ catalogs: CATALOGS })));
  return {
    plant,
    store,
    library,
    orders: new OrderFlow({ store, clock, timeZone: 'UTC', openWork: () => [] }),
    apply: (file: object, principal?: string) => plant.applyFile(plantFile(stringify(file)), principal),
    drawn: () => drawn,
    whileDrawing: (act: () => Promise<void>) => {
      beforeDrawing = act;
    },
  };
}

describe('profiles of the plant file', () => {
  it('PROF-03 PROF-05 PROF-06 are created as if they had been sent, in the name of the person who applies the file', async () => {
    const { apply, store } = await open();
    const difference = await apply(
      { profiles: [RIDGE, { profileName: 'Drip edge', owningCatalogId: 2, features: SHAPE }] },
      'pat',
    );
    expect(difference).toMatchObject([
      { kind: 'profiles', id: 'P-1', change: 'create' },
      { kind: 'profiles', id: 'Drip edge', change: 'create' },
    ]);
    expect(await store.profile('P-1')).toMatchObject({
      revision: 1,
      blankWidth: 5.5,
      owningCatalogId: 1,
      createdBy: 'pat',
    });
    expect(await store.profile('Drip edge')).toMatchObject({ owningCatalogId: 2, archived: false });
  });

  it('change nothing, and draw nothing, when the same file comes again; each dry run draws nothing', async () => {
    const { apply, plant, drawn, store } = await open();
    const file = { profiles: [{ ...RIDGE, description: 'x', paintedSide: 'Positive' }] };
    await plant.diff(plantFile(stringify(file)));
    expect(drawn()).toBe(0);
    await apply(file);
    expect(await apply(file)).toEqual([]);
    expect([drawn(), (await store.profile('P-1'))?.revision]).toEqual([1, 1]);
  });

  it('D-22 get a new revision if the file differs; fields that the file does not name stay', async () => {
    const { apply, store, library } = await open();
    await apply({ profiles: [RIDGE] });
    await library.update('P-1', { ...RIDGE, description: 'by hand', owningCatalogId: 2, category: 'Caps' }, 'erp');
    const wider = [{ type: 'Straight', length: 9 }];
    expect(await apply({ profiles: [{ ...RIDGE, features: wider }] })).toEqual([
      { kind: 'profiles', id: 'P-1', change: 'update', fields: ['features'] },
    ]);
    const changed = { revision: 3, blankWidth: 9, description: 'by hand', owningCatalogId: 2, category: 'Caps' };
    expect(await store.profile('P-1')).toMatchObject({ ...changed, createdBy: 'plant file', editedBy: 'plant file' });
    expect(await apply({ profiles: [{ ...RIDGE, features: wider, description: null }] })).toMatchObject([
      { fields: ['description'] },
    ]);
  });

  it('stay archived, because that is live state, and do not keep a file from being applied', async () => {
    const { apply, store, library } = await open();
    await apply({ profiles: [RIDGE] });
    await library.archive('P-1', 'erp');
    const before = await store.profile('P-1');
    expect(await apply({ profiles: [{ ...RIDGE, description: 'other' }] })).toEqual([]);
    expect(await store.profile('P-1')).toEqual(before);
  });

  it('may name a catalog of the same file, and are applied with it or not at all', async () => {
    const { apply, store, plant } = await open();
    const file = { catalogs: [{ catalogId: 7, name: 'New' }], profiles: [{ ...RIDGE, owningCatalogId: 7 }] };
    await expect(apply({ ...file, profiles: [{ ...RIDGE, owningCatalogId: 8 }] })).rejects.toMatchObject({
      faults: [{ path: 'profiles[0].owningCatalogId' }],
    });
    expect([plant.catalogs().length, await store.profile('P-1')]).toEqual([2, null]);
    await apply(file);
    expect(await store.profile('P-1')).toMatchObject({ owningCatalogId: 7 });
  });

  it.each<[string, object, string]>([
    [
      'a rule of the interface',
      { ...RIDGE, features: [{ type: 'Straight', length: -1 }] },
      'profiles[0].features[0].length',
    ],
    ['an unknown word', { ...RIDGE, paintedSide: 'Left' }, 'profiles[0].paintedSide'],
    ['a name that cannot be an id', { profileName: 'x'.repeat(200), features: SHAPE }, 'profiles[0].profileId'],
  ])('PROF-01 are refused with their place: %s', async (_, profile, path) => {
    const { apply, store } = await open();
    await expect(apply({ profiles: [profile] })).rejects.toMatchObject({ code: 'invalid-input', faults: [{ path }] });
    expect(parsed(await store.profileRecords('', 10))).toEqual([]);
  });

  it('are refused if the file names one twice, by its id or by a name that equals the id', async () => {
    const { apply } = await open();
    await expect(apply({ profiles: [{ profileName: 'P-1', features: SHAPE }, RIDGE] })).rejects.toThrow(
      'profiles[1].profileId: found "P-1", expected a profile once only; profiles[0] is the same',
    );
  });

  it('neither lose an edit that comes while the file is applied, nor are lost to it', async () => {
    const { apply, store, library, whileDrawing } = await open();
    await apply({ profiles: [RIDGE] });
    let edited: Promise<unknown> = Promise.resolve();
    whileDrawing(async () => {
      whileDrawing(nothing);
      edited = library.update('P-1', { ...RIDGE, description: 'by hand' }, 'erp');
    });
    await apply({ profiles: [{ ...RIDGE, category: 'Caps' }] });
    await edited;
    expect(await store.profile('P-1')).toMatchObject({ revision: 3, description: 'by hand', editedBy: 'erp' });
    await apply({ profiles: [{ ...RIDGE, category: 'Caps' }] });
    expect(await store.profile('P-1')).toMatchObject({ revision: 4, description: 'by hand', category: 'Caps' });
  });
});

describe('orders of the plant file', () => {
  const ORDER = {
    documentID: 'D-1',
    orderCode: 'O-1',
    products: [{ workOrder: 'W-1' }],
    ours: { of: ['any', 'kind', 1.5] },
  };

  it('ORD-01 D-20 are kept with unknown fields, replaced as a whole, and left alone when unchanged', async () => {
    const { apply, store, orders } = await open();
    expect(await apply({ orders: [ORDER] })).toMatchObject([
      { kind: 'orders', id: 'documentID D-1', change: 'create' },
    ]);
    expect(parsed(await store.orderRecords('', 10))).toEqual([ORDER]);
    expect(await apply({ orders: [ORDER] })).toEqual([]);
    const { ours, ...without } = ORDER;
    expect(await apply({ orders: [{ ...without, salesOrder: 'S' }] })).toEqual([
      { kind: 'orders', id: 'documentID D-1', change: 'update', fields: ['ours', 'salesOrder'] },
    ]);
    expect(parsed(await store.orderRecords('', 10))).toEqual([{ ...without, salesOrder: 'S' }]);
    await orders.add(
      ' {"products": [{"workOrder": "W-1"}], "documentID":"D-1",  "orderCode":"O-1", "salesOrder":"S"}',
      'erp',
    );
    expect(await apply({ orders: [{ ...without, salesOrder: 'S' }] })).toEqual([]);
  });

  it.each<[string, readonly object[], string]>([
    ['no document', [ORDER, { products: [] }], 'orders[1].documentID'],
    ['a wrong type', [{ ...ORDER, products: [{ workOrder: 7 }] }], 'orders[0].products[0].workOrder'],
    ['a document twice', [ORDER, ORDER], 'orders[1].documentID'],
  ])('are refused with their place: %s', async (_, file, path) => {
    const { apply, store } = await open();
    await expect(apply({ orders: file, parts: [{ partId: 'P' }] })).rejects.toMatchObject({ faults: [{ path }] });
    expect(parsed(await store.orderRecords('', 10))).toEqual([]);
  });

  it('are listed page by page, at any length', async () => {
    const { store, orders } = await open();
    const long = (index: number) => ({ documentID: `D-${index}`, products: [], note: 'x'.repeat(700_000) });
    for (let index = 0; index < 5; index += 1) await orders.add(JSON.stringify(long(index)), 'erp');
    const first = parsed<{ documentID: string }[]>(await store.orderRecords('', 1_000));
    expect(first.map(({ documentID }) => documentID)).toEqual(['D-0', 'D-1', 'D-2']);
    expect(parsed(await store.orderRecords('documentID D-2', 1_000))).toEqual([long(3), long(4)]);
    expect(parsed(await store.orderRecords('documentID D-4', 1_000))).toEqual([]);
  });
});
