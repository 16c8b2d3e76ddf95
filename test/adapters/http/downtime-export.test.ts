import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Downtime } from '../../../src/domain/machine/records.ts';
import { readCsv } from '../../domain/read-csv.ts';
import { type GatewayUnderTest, keyOf, machineOf, startGateway } from './gateway-under-test.ts';

const HEADER = [
  ...['downtimeId', 'machineId', 'machineName', 'startedAt', 'endedAt', 'durationSeconds'],
  ...['reasonId', 'reason', 'group', 'note', 'userName', 'shiftDate', 'shift'],
];
const MACHINES = ['RF-01', 'RF-02', 'RF-03'].map(machineOf);
const WINTER = Date.parse('2026-01-15T18:30:00.250Z');
const SUMMER = Date.parse('2026-07-15T18:30:00Z');
/** The downtimes of `RF-02`: more than a page, many of them at the same time. */
const MANY = 450;

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({ machines: MACHINES });
  const few: Downtime[] = [
    downtime({ downtimeId: 'D-1', startedAt: WINTER, endedAt: WINTER + 90_500 }),
    downtime({
      ...{ downtimeId: 'D-2', startedAt: SUMMER, endedAt: null },
      ...{ reasonId: 'DT-01', note: '=1+1, "she" said', userName: '@ann' },
    }),
    downtime({ downtimeId: 'D-3', startedAt: SUMMER - 1_000, endedAt: SUMMER - 500, reasonId: 'DT-gone' }),
  ];
  const many = Array.from({ length: MANY }, (_, index) =>
    downtime({
      downtimeId: `M-${index}`,
      machineId: machineOf('RF-02').machineId,
      startedAt: SUMMER + Math.floor(index / 100),
      endedAt: SUMMER + 1_000,
    }),
  );
  await gateway.store.write([...few, ...many].map((one) => ({ kind: 'downtime', downtime: one }) as const));
});

afterAll(() => gateway.close());

function downtime(changes: Partial<Downtime>): Downtime {
  const nothing = { endedAt: null, reasonId: null, note: null, userName: null };
  return { downtimeId: '', machineId: machineOf('RF-01').machineId, startedAt: 0, ...nothing, ...changes };
}

function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const authorization = `ApiKey ${keyOf('technician')}`;
  return gateway.call('GET', `/api/local${path}`, undefined, { authorization, ...headers });
}

describe('D-29 downtimes as CSV', () => {
  it('have a header, times in the plant’s zone, the newest first, and no text that a spreadsheet would run', async () => {
    const answer = await get('/machines/RF-01/downtimes?format=csv');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="downtimes-RF-01.csv"');
    expect(readCsv(answer.text)).toEqual([
      HEADER,
      [
        ...['D-2', 'RF-01', 'Rollformer RF-01', '2026-07-15T13:30:00.000-05:00', '', ''],
        ...['DT-01', 'Coil change', 'Planned', `'=1+1, "she" said`, "'@ann", '2026-07-15', 'Day'],
      ],
      [
        ...[
          'D-3',
          'RF-01',
          'Rollformer RF-01',
          '2026-07-15T13:29:59.000-05:00',
          '2026-07-15T13:29:59.500-05:00',
          '0.5',
        ],
        ...['DT-gone', '', '', '', '', '2026-07-15', 'Day'],
      ],
      [
        ...[
          'D-1',
          'RF-01',
          'Rollformer RF-01',
          '2026-01-15T12:30:00.250-06:00',
          '2026-01-15T12:31:30.750-06:00',
          '90.5',
        ],
        ...['', '', '', '', '', '2026-01-15', 'Day'],
      ],
    ]);
  });

  it.each([
    ['text/csv', '', true],
    ['text/csv;q=0.5, application/json', '', false],
    ['*/*', '', false],
    ['text/html', '', false],
    ['text/csv', '?format=json', false],
    ['application/json', '?format=csv', true],
  ])('are given to a client that accepts %s%s: %s', async (accept, query, isCsv) => {
    const answer = await get(`/machines/RF-01/downtimes${query}`, { accept });
    expect(answer.headers['content-type']).toContain(isCsv ? 'text/csv' : 'application/json');
    if (!isCsv) expect(answer.body).toHaveLength(3);
  });

  it('are complete over all pages, or as many as asked for', async () => {
    const all = readCsv((await get('/machines/RF-02/downtimes?format=csv')).text).slice(1);
    expect(new Set(all.map(([id]) => id)).size).toBe(MANY);
    expect(all).toHaveLength(MANY);
    const times = all.map(([, , , startedAt = '']) => startedAt);
    expect(times).toEqual(times.toSorted().reverse());
    const some = readCsv((await get('/machines/RF-02/downtimes?format=csv&limit=201')).text).slice(1);
    expect(some).toEqual(all.slice(0, 201));
  });

  it('of the whole plant come machine by machine', async () => {
    const answer = await get('/downtimes.csv');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="downtimes.csv"');
    const machines = readCsv(answer.text)
      .slice(1)
      .map(([, machineId]) => machineId);
    expect(machines).toEqual([...Array(3).fill('RF-01'), ...Array(MANY).fill('RF-02')]);
    const waiting = readCsv((await get('/downtimes.csv?uncategorized=true')).text).slice(1);
    expect(waiting).toHaveLength(MANY + 1);
  });

  it('are a header alone for a machine without downtimes, 404 for an unknown machine, and 403 for smaller roles', async () => {
    expect((await get('/machines/RF-03/downtimes?format=csv')).text).toBe(`${HEADER.join(',')}\r\n`);
    expect((await get('/machines/RF-99/downtimes?format=csv')).status).toBe(404);
    expect((await get('/machines/RF-01/downtimes?format=xml')).status).toBe(400);
    const authorization = `ApiKey ${keyOf('business')}`;
    expect((await get('/downtimes.csv', { authorization })).status).toBe(403);
  });
});
