import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Downtime, Span } from '../../../src/domain/machine/records.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { readCsv } from '../../domain/read-csv.ts';
import { machine } from '../store/open-test-store.ts';
import { keyOf, machineOf, startGateway } from './gateway-under-test.ts';

/** A production day long over. The tests' plant is in Chicago, where the day shift lasts from 06:00 to 18:00. */
const DATE = '2026-03-03';
const RF1 = machine('RF-01');
const RF2 = machine('RF-02');
const at = (time: string) => Date.parse(`${DATE}T${time}-06:00`);

const stop = (downtimeId: string, machineId: typeof RF1, from: string, to: string, more: Partial<Downtime>) =>
  ({
    kind: 'downtime',
    downtime: {
      ...{ downtimeId, machineId, startedAt: at(from), endedAt: at(to) },
      ...{ reasonId: null, note: null, userName: null, ...more },
    },
  }) satisfies StoreRecord;
const span = (machineId: typeof RF1, activity: Span['activity'], from: string, to: string): StoreRecord => ({
  kind: 'span',
  span: { spanId: `${machineId}-${from}`, machineId, activity, startedAt: at(from), endedAt: at(to) },
});

/** A stop with a fault in it, a stop without one, one without a reason; a long and a short fault without a stop. */
const RECORDS: readonly StoreRecord[] = [
  stop('D-1', RF1, '07:00:00', '07:30:00', {
    ...{ reasonId: 'DT-20', note: 'Pumpe undicht, ÖL nachgefüllt', userName: 'Ada' },
  }),
  // It began before the stop, and a second one ended after it.
  span(RF1, 'fault', '06:59:00', '07:10:00'),
  span(RF1, 'down', '07:10:00', '07:25:00'),
  span(RF1, 'fault', '07:25:00', '07:31:00'),
  stop('D-2', RF1, '09:00:00', '09:20:00', { reasonId: 'DT-01' }),
  span(RF1, 'fault', '10:00:00', '10:06:00'),
  span(RF1, 'fault', '11:00:00', '11:00:30'),
  stop('D-3', RF2, '12:00:00', '12:45:00', {}),
  // In the night shift of the same production day.
  stop('D-4', RF2, '19:00:00', '19:05:00', { reasonId: 'DT-20', note: '=1+1' }),
  {
    kind: 'workSession',
    session: {
      ...{ sessionId: 'S-1', machineId: RF1, jobNumber: 'J-1', partId: 'P-100', userId: 'Ada' },
      ...{ startedAt: at('06:00:00'), lastActiveAt: at('08:00:00'), endedAt: at('08:00:00') },
      ...{ goodParts: 1, badParts: 0, cycles: 1 },
    },
  },
];

let gate: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gate = await startGateway({
    machines: [{ ...machineOf('RF-01'), area: 'Hall A' }, machineOf('RF-02')],
    plantFile: {
      downtimeReasons: [
        { id: 'DT-01', reason: 'Coil change', group: 'Planned' },
        { id: 'DT-20', reason: 'Hydraulik', group: 'Breakdown' },
      ],
    },
  });
  await gate.store.write(RECORDS);
});
afterAll(() => gate.close());

const OF_DAY = `from=${DATE}&to=${DATE}`;
interface Log {
  readonly total: object;
  readonly rows: readonly Record<string, unknown>[];
}

async function log(query: string): Promise<Log> {
  const { status, body, text } = await gate.as(keyOf('technician'), 'GET', `/api/local/production/log?${query}`);
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return body as Log;
}

/** Each line by its stop, or by the time of its fault. */
const namesOf = ({ rows }: Log) =>
  rows.map(({ downtimeId, startedAt }) => downtimeId ?? String(startedAt).slice(11, 16));

describe('F19 D-86: the log of stops and faults', () => {
  it.each([
    ['all', '', ['D-4', 'D-3', '17:00', '16:00', 'D-2', 'D-1']],
    ['of one machine', '&machineId=RF-02', ['D-4', 'D-3']],
    ['of an area', '&area=Hall A', ['17:00', '16:00', 'D-2', 'D-1']],
    ['of a shift', '&shift=Day', ['D-3', '17:00', '16:00', 'D-2', 'D-1']],
    ['with a fault', '&part=faults', ['17:00', '16:00', 'D-1']],
    ['breakdowns: by the reason, or a fault of five minutes', '&part=breakdowns', ['D-4', '16:00', 'D-1']],
    ['without a reason', '&part=uncategorized', ['D-3']],
    ['with one reason', '&reasonId=DT-20', ['D-4', 'D-1']],
    ['found by note, in any case', '&text=öl nach', ['D-1']],
    ['found by person', '&text=ada', ['D-1']],
    ['found by reason', '&text=coil', ['D-2']],
    ['found by machine', '&text=former rf-02', ['D-4', 'D-3']],
    ['found by nothing', '&text=xyz', []],
    ['the newest only', '&limit=2', ['D-4', 'D-3']],
  ])('%s', async (_, query, expected) => {
    expect(namesOf(await log(`${OF_DAY}${query}`))).toEqual(expected);
  });

  it('has the length, the reason, the part and the shift of each line, and the time of its faults', async () => {
    const { rows } = await log(OF_DAY);
    expect(rows.find(({ downtimeId }) => downtimeId === 'D-1')).toEqual({
      ...{ downtimeId: 'D-1', machineId: 'RF-01', machineName: 'Rollformer RF-01' },
      ...{ startedAt: '2026-03-03T13:00:00.000Z', endedAt: '2026-03-03T13:30:00.000Z', seconds: 1_800 },
      // 07:00 to 07:10, and 07:25 to the end of the stop.
      ...{ faultSeconds: 900, reasonId: 'DT-20', reason: 'Hydraulik', group: 'Breakdown' },
      ...{ note: 'Pumpe undicht, ÖL nachgefüllt', userName: 'Ada', partId: 'P-100' },
      ...{ shiftDate: DATE, shift: 'Day' },
    });
    // The work session was over by then.
    expect(rows.find(({ downtimeId }) => downtimeId === 'D-2')).toMatchObject({ faultSeconds: 0, partId: null });
    expect(rows.find(({ seconds }) => seconds === 30)).toMatchObject({ downtimeId: null, faultSeconds: 30 });
  });

  it('sums all lines that were found, not only those that are listed', async () => {
    const minutes = 30 + 20 + 6 + 0.5 + 45 + 5;
    const total = { count: 6, seconds: minutes * 60, faultSeconds: (15 + 6 + 0.5) * 60 };
    expect(await log(`${OF_DAY}&limit=1`)).toMatchObject({ total, rows: [{ downtimeId: 'D-4' }] });
  });

  it('as CSV has every line, machine by machine, in the form of the spreadsheet', async () => {
    const get = (query: string) =>
      gate.as(keyOf('technician'), 'GET', `/api/local/production/log?${OF_DAY}&format=csv${query}`);
    const [header = [], ...rows] = readCsv((await get('')).text);
    expect(rows.map((row) => row[header.indexOf('downtimeId')])).toEqual(['', '', 'D-2', 'D-1', 'D-4', 'D-3']);
    expect(rows.at(-2)?.[header.indexOf('note')]).toBe("'=1+1");
    expect(rows.at(-1)?.[header.indexOf('startedAt')]).toBe('2026-03-03T12:00:00.000-06:00');
    const german = (await get('&for=spreadsheet&language=de')).text;
    expect(german).toContain('2026-03-03 12:00:00;2026-03-03 12:45:00;2700;0;');
  });

  it('as CSV has all lines of a machine, however many', async () => {
    const date = '2026-03-05';
    const stops = Array.from({ length: 2_300 }, (_, place) => {
      const startedAt = Date.parse(`${date}T14:00:00Z`) + place * 2_000;
      return { ...stop(`M-${place}`, RF2, '00:00:00', '00:00:01', {}).downtime, startedAt, endedAt: startedAt + 500 };
    });
    await gate.store.write(stops.map((downtime) => ({ kind: 'downtime', downtime })));
    const query = `from=${date}&to=${date}&part=uncategorized`;
    const { text } = await gate.as(keyOf('technician'), 'GET', `/api/local/production/log?${query}&format=csv`);
    const ids = readCsv(text)
      .slice(1)
      .map(([downtimeId]) => downtimeId);
    expect(ids).toEqual(stops.map(({ downtimeId }) => downtimeId).reverse());
    expect(await log(`${query}&limit=1`)).toMatchObject({ total: { count: 2_300, seconds: 1_150 } });
  });

  it.each([
    ['part=other', /^part: /],
    ['limit=1001', /^limit: /],
    ['machineId=NONE', /^machineId: found "NONE", expected the id of a machine/],
    ['from=2025-01-01', /^from, to: found \d+ days, expected at most 92 days/],
  ])('refuses %s', async (query, message) => {
    const asked = new URLSearchParams({ from: DATE, to: DATE, ...Object.fromEntries(new URLSearchParams(query)) });
    const { status, body } = await gate.as(keyOf('technician'), 'GET', `/api/local/production/log?${asked}`);
    expect(status).toBe(400);
    expect((body as { errors: string[] }).errors[0]).toMatch(message);
  });
});
