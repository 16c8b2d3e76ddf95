import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Answer, type GatewayUnderTest, keyOf, startGateway } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const as = (method: string, path: string, body?: unknown) =>
  gateway.as(keyOf('business'), method, `/api/v1/orders${path}`, body);
const add = (order: unknown) => as('POST', '/add', order);
const summaryOf = async (query: string) => parse((await as('GET', `/orderSummary?${query}`)).text) as unknown[];

const product = (materialCode: string, toolingCode: string, workOrder: string) => ({
  materialDetail: { materialCode },
  toolingDetail: { toolingCode },
  workOrder,
  bundles: [{ bundleNumber: 1, items: [{ quantity: 4, partLengthIn: 144 }] }],
});

let lastOrder = 0;
function orderOf(more: Readonly<Record<string, unknown>> = {}) {
  lastOrder += 1;
  return { documentID: `D-${lastOrder}`, orderCode: `SO-${lastOrder}`, action: 'Put', products: [], ...more };
}

function expectYaml(answer: Answer): unknown[] {
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain;charset=UTF-8');
  return parse(answer.text) as unknown[];
}

function expectRefusal(answer: Answer, status: number, message: string): void {
  expect(answer).toMatchObject({ status, body: { code: String(status), message } });
  expect(Object.keys(Object(answer.body))).toEqual(['code', 'message']);
}

describe('ORD-01 adding', () => {
  it('ORD-01, D-20 answers 200 with YAML in text/plain, and keeps the order', async () => {
    const order = orderOf({ products: [product('M-1', 'T-1', 'W-1')], customer: { name: 'Ácme: "& Co" #1\n- x' } });
    const [row] = expectYaml(await add(order));
    expect(row).toMatchObject({ orderCode: order.orderCode, documentIDs: [order.documentID], materialCode: 'M-1' });
    expect(row).toMatchObject({ customer: 'Ácme: "& Co" #1\n- x', pieces: 4, lengthFt: 48 });
    expect(await summaryOf(`orderCode=${order.orderCode}`)).toEqual([row]);
  });

  it('D-37 names in a header the unknown fields that it kept', async () => {
    const plain = await add(orderOf({ products: [product('M-1', 'T-1', 'W-1')] }));
    expect(plain.headers['plantgate-warnings']).toBe(undefined);
    const odd = await add(orderOf({ products: [{ bundles: [{ items: [{ qty: 4 }] }] }], prioritä: 1 }));
    expectYaml(odd);
    expect(JSON.parse(String(odd.headers['plantgate-warnings']))).toEqual([
      'products[].bundles[].items[].qty: kept, not understood',
      'prioritä: kept, not understood',
      'products: no bundles[].items[].quantity was found: the summary counts 0 pieces',
    ]);
  });

  it('D-53 keeps one order for a documentID with blanks outside, or whose name is in another case, and says so', async () => {
    const warningsOf = (answer: Answer) => JSON.parse(String(answer.headers['plantgate-warnings'])) as unknown;
    const products = [product('M-1', 'T-1', 'W-1')];
    await add({ documentID: '4711', orderCode: 'B-1', products });
    const padded = await add({ documentID: '4711 ', orderCode: ' B-2', products });
    expect(expectYaml(padded)).toMatchObject([{ orderCode: 'B-2', documentIDs: ['4711'] }]);
    expect(warningsOf(padded)).toEqual([
      'documentID: blanks outside were cut from "4711 "',
      'orderCode: blanks outside were cut from " B-2"',
    ]);
    const other = await add({ documentId: '4711', OrderCode: 'B-3', products });
    expect(expectYaml(other)).toMatchObject([{ orderCode: 'B-3', documentIDs: ['4711'] }]);
    expect(warningsOf(other)).toEqual(['documentId: read as documentID', 'OrderCode: read as orderCode']);
    expect(await summaryOf('orderCode=B-1')).toEqual([]);
    expect(await summaryOf('orderCode=B-2')).toEqual([]);
    expectYaml(await as('DELETE', '/4711%20'));
    expectRefusal(await as('DELETE', '/4711'), 404, 'Not Found');
  });

  it('D-34 takes an order behind a byte order mark', async () => {
    expectYaml(await add(`\ufeff${JSON.stringify(orderOf())}`));
  });

  it('D-20 Put with a known documentID replaces the order', async () => {
    const order = orderOf({ products: [product('M-1', 'T-1', 'W-1'), product('M-2', 'T-1', 'W-1')] });
    expect(expectYaml(await add(order))).toHaveLength(2);
    const replaced = { ...order, orderCode: `${order.orderCode}-b`, products: [product('M-3', 'T-1', 'W-1')] };
    expect(expectYaml(await add(replaced))).toHaveLength(1);
    expect(await summaryOf(`orderCode=${order.orderCode}`)).toEqual([]);
    expect(await summaryOf(`orderCode=${replaced.orderCode}`)).toMatchObject([{ materialCode: 'M-3' }]);
  });

  it.each([
    ['no products', { documentID: 'D-x' }, 'products: found nothing, expected a list'],
    ['neither code', { products: [] }, 'documentID: found nothing, expected documentID or orderCode'],
    ['another action', orderOf({ action: 'Delete' }), 'action: found "Delete", expected Put'],
    ['a wrong type', orderOf({ salesOrder: 5 }), 'salesOrder: found 5, expected a string of at most 2000 characters'],
    ['an emoji', orderOf({ importSentToAgent: '✗' }), 'importSentToAgent: found "✗", expected true or false'],
    ['no object', [1], 'body: found an array, expected an order as a JSON object'],
    ['no JSON', '{', 'body: invalid JSON'],
    ['a key twice', '{"documentID":"a","documentID":"b","products":[]}', 'body: found "documentID" twice'],
  ])('ORD-01, ERR-01 %s is 400 with code and message, and a header names the fault', async (_, body, fault) => {
    const answer = await add(body);
    expectRefusal(answer, 400, 'Bad Request');
    const [told] = JSON.parse(String(answer.headers['plantgate-errors'])) as string[];
    expect(told).toContain(fault);
  });

  it('ERR-01 names as many faults in its header as it has room for', async () => {
    const products = Array.from({ length: 90 }, () => ({ workOrder: 1 }));
    const answer = await add(orderOf({ products }));
    expectRefusal(answer, 400, 'Bad Request');
    const header = String(answer.headers['plantgate-errors']);
    expect(header.length).toBeLessThanOrEqual(2_000);
    expect(JSON.parse(header)).toContain(
      'products[0].workOrder: found 1, expected a string of at most 2000 characters',
    );
  });

  it('D-13 takes 8 MiB and no more, and refuses other content types', async () => {
    const filled = (bytes: number) => JSON.stringify({ documentID: 'D-big', products: [], note: 'x'.repeat(bytes) });
    expectYaml(await add(filled(8 * 1024 * 1024 - 100)));
    expectRefusal(await add(filled(8 * 1024 * 1024)), 413, 'Payload Too Large');
    const path = `${gateway.url}/api/v1/orders/add`;
    const headers = { authorization: `ApiKey ${keyOf('business')}`, 'content-type': 'text/plain' };
    const answer = await gateway.call('POST', path.slice(gateway.url.length), '{}', headers);
    expectRefusal(answer, 415, 'Unsupported Media Type');
  });

  it('D-20 keeps unknown fields word for word', async () => {
    const order = orderOf({ colour: 'blue', products: [{ extra: { deep: [1, '２'] } }] });
    await add(order);
    const kept = await gateway.as(keyOf('technician'), 'GET', '/api/local/plant/orders?take=1000');
    expect(kept.body).toContainEqual(order);
    expectYaml(await as('DELETE', `/${order.documentID}`));
  });
});

describe('ORD-02 summaries', () => {
  beforeAll(async () => {
    const products = [product('F-1', 'FT-1', 'FW-1'), product('F-2', 'FT-1', 'FW-2')];
    await add({ documentID: 'F-a', orderCode: 'FO', salesOrder: 'FS-1', products });
    await add({ documentID: 'F-b', orderCode: 'FO', salesOrder: 'FS-2', products: [product('F-1', 'FT-1', 'FW-3')] });
    await add({ documentID: 'F-c', orderCode: 'FP', products: [product('F-1', 'FT-2', 'FW-1')] });
  });

  it.each([
    ['orderCode=FO', ['FO F-1 FT-1', 'FO F-2 FT-1']],
    ['materialCode=F-1', ['FO F-1 FT-1', 'FP F-1 FT-2']],
    ['toolingCode=FT-1', ['FO F-1 FT-1', 'FO F-2 FT-1']],
    ['salesOrder=FS-2', ['FO F-1 FT-1']],
    ['workOrder=FW-1', ['FO F-1 FT-1', 'FP F-1 FT-2']],
    ['workOrder=FW-3', ['FO F-1 FT-1']],
    ['orderCode=FO&materialCode=F-2', ['FO F-2 FT-1']],
    ['orderCode=fo', ['FO F-1 FT-1', 'FO F-2 FT-1']],
    ['orderCode=F%25', []],
  ])('ORD-02, D-44 are filtered by %s', async (query, expected) => {
    const rows = (await summaryOf(query)) as { orderCode: string; materialCode: string; toolingCode: string }[];
    expect(rows.map((row) => `${row.orderCode} ${row.materialCode} ${row.toolingCode}`)).toEqual(expected);
  });

  it('D-20 have one row per order code, material and tooling, for any number of documents', async () => {
    const [row] = await summaryOf('orderCode=FO&materialCode=F-1');
    expect(row).toMatchObject({ documentIDs: ['F-a', 'F-b'], workOrders: ['FW-1', 'FW-3'], pieces: 8 });
  });

  it('ORD-02 mean the same to every reader of YAML: no text is taken for a flag, a number or a time', async () => {
    const odd = {
      salesOrder: 'no',
      purchaseOrder: '12:30',
      customer: { name: '1e3' },
      schedule: { shipDate: '2026-01-02' },
    };
    const order = { documentID: 'Y-1', orderCode: '0123', products: [product('yes', '~', '=')], ...odd };
    const { text } = await add(order);
    for (const version of ['1.1', '1.2'] as const) {
      expect(parse(text, { version })).toMatchObject([
        { orderCode: '0123', salesOrder: 'no', purchaseOrder: '12:30', customer: '1e3', shipDate: '2026-01-02' },
      ]);
    }
  });

  it('D-21 are served as orderSummary and as orderSummaries', async () => {
    const [one, other] = await Promise.all(['/orderSummary', '/orderSummaries'].map((path) => as('GET', path)));
    expect(one?.text).toBe(other?.text);
    if (one !== undefined) expect(expectYaml(one).length).toBeGreaterThan(0);
  });

  it('ORD-02, D-52 are not filtered by a code without a value', async () => {
    expect(await summaryOf('orderCode=&salesOrder=FS-2')).toEqual(await summaryOf('salesOrder=FS-2'));
  });

  it.each(['nothing=1', 'nothing=', 'orderCode=a&orderCode=b'])('ORD-02 are refused for ?%s', async (query) => {
    expectRefusal(await as('GET', `/orderSummary?${query}`), 400, 'Bad Request');
  });
});

describe('ORD-03 removing', () => {
  it('ORD-03, D-20 finds by documentID, then by an order code that one order has', async () => {
    const byDocument = orderOf();
    const byCode = orderOf();
    await Promise.all([add(byDocument), add(byCode)]);
    expect(expectYaml(await as('DELETE', `/${byDocument.documentID}`))).toMatchObject([
      { orderCode: byDocument.orderCode },
    ]);
    expectYaml(await as('DELETE', `/${byCode.orderCode}`));
    expectRefusal(await as('DELETE', `/${byCode.orderCode}`), 404, 'Not Found');
    expect(await summaryOf(`orderCode=${byCode.orderCode}`)).toEqual([]);
  });

  it('D-20 refuses a code that several orders have, and removes none', async () => {
    await add({ documentID: 'S-1', orderCode: 'S', products: [] });
    await add({ documentID: 'S-2', orderCode: 'S', products: [] });
    expectRefusal(await as('DELETE', '/S'), 400, 'Bad Request');
    expect(await summaryOf('orderCode=S')).toMatchObject([{ documentIDs: ['S-1', 'S-2'] }]);
  });

  it.each(['a/b', '100%', 'ümlaut 部品', '__proto__', "'; DROP TABLE customer_order; --"])(
    'ORD-03 finds an order of the code %s',
    async (orderCode) => {
      await add({ orderCode, products: [] });
      expectYaml(await as('DELETE', `/${encodeURIComponent(orderCode)}`));
      expectRefusal(await as('DELETE', `/${encodeURIComponent(orderCode)}`), 404, 'Not Found');
    },
  );

  it('ORD-03 two removals of one order at the same time: one succeeds, the other gets not found', async () => {
    const { documentID } = orderOf();
    await add({ documentID, products: [] });
    const answers = await Promise.all([as('DELETE', `/${documentID}`), as('DELETE', `/${documentID}`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });
});

describe('reading an order back', () => {
  it('ORD-02 GET /orders/{ordId} gives an order as it came, by documentID or by its code', async () => {
    const order = orderOf({ products: [product('M-1', 'T-1', 'W-1')], customer: { name: 'Ácme' }, ownField: [1] });
    await add(order);
    for (const ordId of [order.documentID, order.orderCode]) {
      const answer = await as('GET', `/${ordId}`);
      expect(answer).toMatchObject({ status: 200, body: order });
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    }
    expectRefusal(await as('GET', '/nothing'), 404, 'Not Found');
  });

  it('ORD-02 GET /orders/{ordId} refuses a code that several orders have', async () => {
    const [one, other] = [orderOf(), orderOf()];
    await add(one);
    await add({ ...other, orderCode: one.orderCode });
    const answer = await as('GET', `/${one.orderCode}`);
    expectRefusal(answer, 400, 'Bad Request');
    expect(answer.headers['plantgate-errors']).toContain('2 orders with the code');
  });
});

describe('pages of the summary', () => {
  const codes = async (query: string) =>
    (await summaryOf(`toolingCode=PAGED${query}`)).map((row) => (row as { readonly orderCode: string }).orderCode);
  const DAYS = ['2026-03-01', '2026-03-02T06:00:00Z', '2026-03-03T06:00:00+01:00', 'no date'] as const;

  beforeAll(async () => {
    for (const [place, requiredDateTime] of DAYS.entries()) {
      const schedule = requiredDateTime === 'no date' ? {} : { schedule: { requiredDateTime } };
      await add(orderOf({ orderCode: `P-${place}`, products: [product('M-1', 'PAGED', 'W-1')], ...schedule }));
    }
    // A second document of one order code is in the same row.
    await add(orderOf({ orderCode: 'P-1', products: [product('M-1', 'PAGED', 'W-2')] }));
  });

  it.each([
    ['', ['P-0', 'P-1', 'P-2', 'P-3']],
    ['&skip=1', ['P-1', 'P-2', 'P-3']],
    ['&take=2', ['P-0', 'P-1']],
    ['&skip=1&take=2', ['P-1', 'P-2']],
    ['&skip=9', []],
    ['&requiredAfter=2026-03-02T06:00:00Z', ['P-1', 'P-2']],
    ['&requiredBefore=2026-03-02T06:00:00Z', ['P-0', 'P-1']],
    ['&requiredAfter=2026-03-03T05:00:00Z&requiredBefore=2026-03-03T05:00:00Z', ['P-2']],
  ])('ORD-02 orderSummary?%s gives the rows %j', async (query, expected) => {
    expect(await codes(query)).toEqual(expected);
  });

  it.each(['skip=-1', 'take=0', 'requiredAfter=yesterday'])('ORD-02 orderSummary?%s is refused', async (query) => {
    expectRefusal(await as('GET', `/orderSummary?${query}`), 400, 'Bad Request');
  });
});
