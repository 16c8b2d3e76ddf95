import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../../domain/read-csv.ts';
import { type GatewayUnderTest, keyOf, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
let today: string;

beforeAll(async () => {
  gateway = await startGateway({ machines: ['RF-01', 'RF-02'].map(machineOf) });
  await gateway.call('POST', '/api/device/status', statusOf({ machineId: 'RF-01', goodPart: 5, mSecSinceBoot: 1_000 }));
  await gateway.call('POST', '/api/device/status', statusOf({ machineId: 'RF-01', goodPart: 8, mSecSinceBoot: 2_000 }));
  for (const mSecSinceBoot of [1_000, 2_000])
    await gateway.call('POST', '/api/device/status', statusOf({ machineId: 'RF-02', mSecSinceBoot }));
  const { body } = await get('/machines/RF-01/production');
  today = (body as { readonly shiftDate: string }).shiftDate;
});
afterAll(() => gateway.close());

function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const authorization = `ApiKey ${keyOf('technician')}`;
  return gateway.call('GET', `/api/local${path}`, undefined, { authorization, ...headers });
}

describe('F15 a table for a spreadsheet', () => {
  it.each([
    [`/production.csv?from=TODAY&to=TODAY`, 'shiftDate', 'shift'],
    ['/downtimes.csv?', 'downtimeId', 'machineId'],
    ['/machines/RF-01/downtimes?format=csv', 'downtimeId', 'machineId'],
    ['/audit.csv?', 'number', 'at'],
    [`/production/sums?format=csv&by=machine&from=TODAY&to=TODAY`, 'key', 'name'],
    [`/production/log?format=csv&from=TODAY&to=TODAY`, 'downtimeId', 'machineId'],
  ])('%s has a byte order mark and the separator of the language', async (path, first, second) => {
    const asked = path.replaceAll('TODAY', today);
    const german = (await get(`${asked}&for=spreadsheet&language=de`)).text;
    expect(german.startsWith(`\uFEFF${first};`)).toBe(true);
    expect((await get(`${asked}&for=spreadsheet`)).text.startsWith(`\uFEFF${first},`)).toBe(true);
    expect((await get(asked)).text.startsWith(`${first},`)).toBe(true);
    expect(german.split(/\r?\n/)[0]).toContain(second);
  });

  it('of another program is refused by name', async () => {
    expect(await get('/downtimes.csv?for=lotus')).toMatchObject({ status: 400 });
  });
});

describe('production as CSV', () => {
  it('has a line for each shift of each machine, named for its range', async () => {
    const answer = await get(`/production.csv?from=${today}&to=${today}`);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="production-${today}-${today}.csv"`);
    const [header = [], ...rows] = readCsv(answer.text);
    const good = rows.map((row) => [row[header.indexOf('machineId')], row[header.indexOf('goodParts')]]);
    expect(good).toContainEqual(['RF-01', '3']);
    const one = readCsv((await get(`/production.csv?from=${today}&to=${today}&machineId=RF-02`)).text);
    expect(new Set(one.slice(1).map((row) => row[header.indexOf('machineId')]))).toEqual(new Set(['RF-02']));
  });

  it.each([
    ['from=2026-03-05&to=2026-03-04', 'from: found "2026-03-05", expected a date not after to'],
    ['from=2026-02-30&to=2026-03-04', 'from: found "2026-02-30", expected a date as YYYY-MM-DD'],
    ['from=2026-01-01&to=2026-12-31', 'from, to: found 365 days, expected at most 92 days'],
  ])('refuses %s', async (query, message) => {
    expect(await get(`/production.csv?${query}`)).toMatchObject({ status: 400, body: { errors: [message] } });
  });

  it('answers an unknown machine with 404', async () => {
    expect(await get(`/production.csv?from=${today}&to=${today}&machineId=RF-99`)).toMatchObject({ status: 404 });
  });
});

describe('VAR-02 a variable as CSV', () => {
  const [at, machineId] = [Date.parse('2026-03-04T08:00:00Z'), machineOf('RF-01').machineId];

  it('has every point of the range, asked by query or by Accept', async () => {
    const points = [1, 2.5].map((value, index) => ({
      ...{ machineId, name: 'speed', value },
      ...{ at: at + index, shiftDate: '2026-03-04' },
    }));
    await gateway.store.write([{ kind: 'variables', points, receipt: null }]);
    const range = 'from=2026-03-04T00:00:00Z&to=2026-03-05T00:00:00Z';
    const expected = [
      ['time', 'value'],
      ['2026-03-04T08:00:00.000Z', '1'],
      ['2026-03-04T08:00:00.001Z', '2.5'],
    ];
    expect(readCsv((await get(`/machines/RF-01/variables/speed?format=csv&${range}`)).text)).toEqual(expected);
    const accepted = await get(`/machines/RF-01/variables/speed?${range}`, { accept: 'text/csv' });
    expect(readCsv(accepted.text)).toEqual(expected);
  });
});
