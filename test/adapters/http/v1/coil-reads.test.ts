import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COIL_SORT_FIELDS } from '../../../../src/flows/warehouse/warehouse-ports.ts';
import { type GatewayUnderTest, keyOf, LOCAL_KEY, startGateway } from '../gateway-under-test.ts';

const WHOLE = {
  coilId: 'C-1',
  materialCode: 'G26-WHT',
  description: '26 ga White',
  materialType: 'Galvalume',
  color: 'White',
  gauge: 26,
  widthIn: 41.5625,
  lengthStartFt: 5_000,
  lengthRemainingFt: 4_200.5,
  currentWeightLbs: 12_000,
  isComplete: false,
  isStarted: true,
  location: 'WH-A1',
  dateIn: '2026-03-04T08:00:00',
  vendorName: 'Great Lakes Coil',
  heatNumber: 'H83017',
  purchaseOrder: 'PO-5100',
};

const COILS = [
  WHOLE,
  { ...WHOLE, coilId: 'C-2', color: 'Barn red', materialCode: 'G29-RED', gauge: 29, lengthRemainingFt: 10 },
  { ...WHOLE, coilId: 'C-3', location: 'RF-01', heatNumber: 'H90001', widthIn: 20 },
  { ...WHOLE, coilId: 'C-4', isComplete: true, lengthRemainingFt: 0 },
  { coilId: 'a/b 50% ä', location: 'WH-A1' },
  { coilId: 'z-1', location: 'wh-a1', materialCode: 'g26-wht', isComplete: true },
];

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({
    plantFile: {
      locations: ['WH-A1', 'wh-a1', 'RF-01'].map((code) => ({ code, name: code, category: 'Warehouse' })),
      coils: COILS,
    },
  });
});
afterAll(() => gateway.close());

let asked = 0;
/** The keys take turns, because the requests of each key are limited. */
function read(path: string) {
  asked += 1;
  const keys = [keyOf('business'), keyOf('technician'), keyOf('supervisor'), keyOf('admin'), LOCAL_KEY];
  return gateway.as(keys[asked % keys.length] ?? LOCAL_KEY, 'GET', `/api/v1/coils${path}`);
}

const idsOf = (coils: unknown) => (coils as readonly { readonly coilId: string }[]).map(({ coilId }) => coilId);

describe('the list of coils', () => {
  it('COIL-01 has the interface’s fields, null for unknown ones', async () => {
    const { status, headers, body } = await read('');
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
    const [first, , , bare] = body as readonly object[];
    expect(first).toEqual(WHOLE);
    expect(Object.keys(first ?? {})).toEqual(Object.keys(WHOLE));
    const unknown = Object.fromEntries(Object.keys(WHOLE).map((field) => [field, null]));
    const told = { coilId: 'a/b 50% ä', location: 'WH-A1', isComplete: false, isStarted: false };
    expect(bare).toEqual({ ...unknown, ...told });
  });

  it.each([
    ['', ['C-1', 'C-2', 'C-3', 'a/b 50% ä']],
    ['includeComplete=true', ['C-1', 'C-2', 'C-3', 'C-4', 'a/b 50% ä', 'z-1']],
    ['includeComplete=True&location=wh-a1', ['z-1']],
    ['includeComplete=TRUE&materialCode=g26-wht', ['z-1']],
    ['includeComplete=', ['C-1', 'C-2', 'C-3', 'a/b 50% ä']],
    ['location=', ['C-1', 'C-2', 'C-3', 'a/b 50% ä']],
    ['materialCode=&location=RF-01', ['C-3']],
    ['includeComplete=false&materialCode=G26-WHT', ['C-1', 'C-3']],
    ['materialCode=g26-wht', []],
    ['location=rf-01', []],
    ['location=RF-01', ['C-3']],
    ['location=WH-A1&materialCode=G29-RED', ['C-2']],
    ['location=nowhere', []],
    ['skip=1&take=2', ['C-2', 'C-3']],
    ['skip=99', []],
  ])('COIL-02 D-44 D-52 ?%s', async (query, expected) => {
    const { status, body } = await read(`?${query}`);
    expect({ status, ids: idsOf(body) }).toEqual({ status: 200, ids: expected });
  });

  it('COIL-02 shows a moved coil at its new location', async () => {
    await gateway.store.write([{ kind: 'coilLocation', coilId: 'C-2', location: 'RF-01' }]);
    expect(idsOf((await read('?location=RF-01')).body)).toEqual(['C-2', 'C-3']);
    await gateway.store.write([{ kind: 'coilLocation', coilId: 'C-2', location: 'WH-A1' }]);
    expect(idsOf((await read('?location=RF-01')).body)).toEqual(['C-3']);
  });
});

describe('a coil by its id', () => {
  it.each(['C-1', 'C-4', 'a/b 50% ä'])('COIL-03 is read: %s', async (coilId) => {
    const { status, body } = await read(`/${encodeURIComponent(coilId)}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { coilId } });
  });

  it.each(['C-99', 'c-1', 'Search', '__proto__', 'a'])('COIL-03 is 404 for %s', async (id) => {
    const { status, body } = await read(`/${id}`);
    expect(status).toBe(404);
    expect((body as { readonly errors: readonly string[] }).errors[0]).toBe(`No coil with id ${id}`);
  });
});

describe('the search for coils', () => {
  it('COIL-05 D-19 answers with the total and the page', async () => {
    const { status, body } = await read('/search?includeComplete=true&sort=-lengthRemainingFt&skip=1&take=2');
    expect(status).toBe(200);
    const { items, ...envelope } = body as { readonly items: readonly object[] };
    expect(envelope).toEqual({ total: 6, skip: 1, take: 2 });
    expect(idsOf(items)).toEqual(['C-3', 'C-2']);
    expect((await read('/search')).body).toMatchObject({ total: 4, skip: 0, take: 100 });
  });

  it.each([
    ['q=c-1', ['C-1']],
    ['q=H830', ['C-1', 'C-2']],
    ['q=great%20h9', ['C-3']],
    ['q=GREAT+LAKES+white', ['C-1', 'C-2', 'C-3']],
    ['q=%C3%84', ['a/b 50% ä']],
    ['q=lakesx', []],
    ['q=wh-a1+red', ['C-2']],
    ['q=rf', ['C-3']],
    ['q=29', ['C-2']],
    ['q=', ['C-1', 'C-2', 'C-3', 'a/b 50% ä']],
    ['gauge=&widthIn=&sort=&location=', ['C-1', 'C-2', 'C-3', 'a/b 50% ä']],
    ['location=wh-a1&includeComplete=true', ['C-1', 'C-2', 'C-4', 'a/b 50% ä', 'z-1']],
    ['materialCode=g26-wht', ['C-1', 'C-3']],
    ['materialType=Galvalume&color=Barn%20red', ['C-2']],
    ['gauge=29', ['C-2']],
    ['widthIn=41.5625', ['C-1', 'C-2']],
    ['minimumLengthFt=4200.5', ['C-1', 'C-3']],
    ['minimumLengthFt=0&includeComplete=true', ['C-1', 'C-2', 'C-3', 'C-4']],
    ['location=WH-A1&materialCode=G26-WHT&q=26', ['C-1']],
    ['sort=-coilId', ['a/b 50% ä', 'C-3', 'C-2', 'C-1']],
    ['sort=gauge', ['C-1', 'C-3', 'C-2', 'a/b 50% ä']],
    ['sort=-gauge', ['C-2', 'C-1', 'C-3', 'a/b 50% ä']],
    ['sort=color', ['C-2', 'C-1', 'C-3', 'a/b 50% ä']],
  ])('COIL-05 D-44 D-52 ?%s', async (query, expected) => {
    const { status, body } = await read(`/search?${query}`);
    const { items } = body as { readonly items: readonly object[] };
    expect({ status, ids: idsOf(items) }).toEqual({ status: 200, ids: expected });
  });

  it.each(COIL_SORT_FIELDS)('COIL-05 sorts by %s both ways', async (field) => {
    for (const sort of [field, `-${field}`]) {
      expect((await read(`/search?sort=${sort}`)).body).toMatchObject({ total: 4 });
    }
  });
});

it.each([
  ['?includeComplete=yes', 'includeComplete: found "yes", expected true or false'],
  ['?take=1001', 'take: found 1001, expected at most 1000'],
  ['?take=0', 'take: found 0, expected at least 1'],
  ['?skip=-1', 'skip: found -1, expected at least 0'],
  ['?color=White', 'color: unknown field'],
  ['/search?gauge=26.5', 'gauge: found "26.5", expected a whole number'],
  ['/search?gauge=-1', 'gauge: found -1, expected at least 0'],
  ['/search?widthIn=wide', 'widthIn: found "wide", expected a number'],
  ['/search?widthIn=Infinity', 'widthIn: found "Infinity", expected a number'],
  ['/search?minimumLengthFt=-1', 'minimumLengthFt: found -1, expected at least 0'],
  ['/search?sort=vendorName', 'sort: found "vendorName", expected coilId, -coilId, '],
  ['/search?sort=--gauge', 'sort: found "--gauge", expected coilId'],
  ['/search?q=a+b+c+d+e+f+g+h+i', 'q: found 9 words, expected at most 8'],
  [`/search?q=${'x'.repeat(1_001)}`, 'q: found "xxx'],
  ['/search?q=a&q=b', 'q: found an array, expected text'],
  ['/C-1?take=1', 'take: unknown field'],
])('COIL-02 COIL-05 ERR-01 %s is refused with 400 and the reason', async (path, message) => {
  const { status, body } = await read(path);
  const { errors } = body as { readonly errors: readonly string[] };
  expect({ status, keys: Object.keys(body as object) }).toEqual({ status: 400, keys: ['errors'] });
  expect(
    errors.some((error) => error.startsWith(message)),
    String(errors),
  ).toBe(true);
});

it('the local API lists, creates, changes and removes coils one by one for people', async () => {
  const local = (method: string, path: string, body?: unknown) =>
    gateway.as(LOCAL_KEY, method, `/api/local/plant/coils${path}`, body);
  const coil = { coilId: 'N-1', location: 'WH-A1' };
  expect((await local('POST', '', coil)).status).toBe(201);
  expect((await local('POST', '', coil)).status).toBe(409);
  expect((await local('PUT', '/N-1', { ...coil, color: 'Green' })).body).toMatchObject({ color: 'Green' });
  expect((await local('GET', '/N-1')).body).toMatchObject({ color: 'Green' });
  expect(idsOf((await local('GET', '?after=C-4&take=1')).body)).toEqual(['N-1']);
  expect((await local('GET', '?take=5001')).status).toBe(400);
  expect(await local('DELETE', '/N-1')).toMatchObject({ status: 204, text: '' });
  expect((await local('GET', '/N-1')).status).toBe(404);
});
