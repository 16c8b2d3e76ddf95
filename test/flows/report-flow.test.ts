import { expect, onTestFinished, test } from 'vitest';
import type { OutgoingMessage } from '../../src/domain/alert/outgoing-message.ts';
import type { Recipient } from '../../src/domain/alert/recipient.ts';
import { createShiftCalendar } from '../../src/domain/shift/shift-calendar.ts';
import { createWorkPlan } from '../../src/domain/shift/work-plan.ts';
import { AlertSettings } from '../../src/flows/alert/alert-settings.ts';
import type { Incident } from '../../src/flows/ports.ts';
import { MAX_REPORT_MESSAGES, ReportFlow } from '../../src/flows/production/report-flow.ts';
import { ReportSheets, type ReportSource } from '../../src/flows/production/report-sheets.ts';
import type { Store } from '../../src/flows/store-ports.ts';
import { openTestStore } from '../adapters/store/open-test-store.ts';
import { knownMachine } from './floor-under-test.ts';

const HOUR = 3_600_000;
const SHIFTS = {
  timeZone: 'UTC',
  shifts: [
    { name: 'Day', start: '06:00' },
    { name: 'Night', start: '18:00' },
  ],
};
/** Sunday, 29 November 2026, 17:00. */
const SUNDAY = Date.UTC(2026, 10, 29, 17);
const NOBODY = { role: null, areas: [], shifts: [], quiet: null, language: 'en', ways: [] } as const;

const FIGURES = {
  goodParts: 1_234,
  badParts: 6,
  outsideGoodParts: 0,
  outsideBadParts: 0,
  plannedSeconds: 43_200,
  targetParts: 1_500,
  targetedGoodParts: 1_234,
  oeeIndex: 0.71,
  runningSeconds: 30_000,
  unplannedStopSeconds: 5_400,
};
const IDLE = { ...FIGURES, goodParts: 0, badParts: 0, plannedSeconds: 0 };

/** A plant with two machines in Hall A. Nothing is planned or made in Hall B. */
const production: { -readonly [Name in keyof ReportSource]: ReportSource[Name] } = {
  sums: async ({ area }) => {
    const machine = { ...FIGURES, key: 'RF-01', name: 'Line 1' };
    if (area === 'Hall B') return { total: IDLE, rows: [] };
    return { total: FIGURES, rows: [machine, { ...machine, key: 'RF-02', name: null }] };
  },
  stops: async () => ({
    rows: [
      { key: 'setup', name: 'Set-up', planned: true, seconds: 9_000, count: 2 },
      { key: 'jam', name: 'Coil jam', planned: false, seconds: 4_500, count: 3 },
      { key: null, name: null, planned: null, seconds: 900, count: 1 },
    ],
  }),
  longestStops: async () => [
    {
      startedAt: '2026-11-29T08:15:00.000Z',
      endedAt: '2026-11-29T09:00:00.000Z',
      machineId: knownMachine('RF-02'),
      reasonId: 'jam',
      note: null,
    },
  ],
  work: async () => ({ rows: [{ key: 'Dana' }, { key: null }] }),
};

class Plant {
  nowMs = SUNDAY;
  readonly sent: OutgoingMessage[] = [];
  readonly incidents: Incident[] = [];
  #ids = 0;

  /** The gateway, as it starts over the store. */
  async start(store: Store) {
    const newId = () => String(++this.#ids);
    const made = createShiftCalendar(SHIFTS);
    if (!made.ok) throw new Error('the shifts are wrong');
    const settings = new AlertSettings({ write: (records) => store.write(records), newId });
    settings.restore((await store.alertMemory()).settings);
    const sheets = new ReportSheets({ production, calendar: made.calendar });
    const reports = new ReportFlow({
      sheets,
      settings,
      sender: { add: (messages) => void this.sent.push(...messages) },
      calendar: made.calendar,
      plan: createWorkPlan(SHIFTS),
      clock: { now: () => ({ wallMs: this.nowMs, monotonicMs: this.nowMs }) },
      newId,
      incidents: { report: (incident) => void this.incidents.push(incident) },
    });
    return { settings, reports, sheets };
  }

  /** The recipients and titles of the reports sent since the last call. */
  taken(): readonly string[] {
    return this.sent.splice(0).map(({ recipientId, title }) => `${recipientId}: ${title}`);
  }
}

async function opened(recipients: Readonly<Record<string, Partial<Recipient>>>) {
  const plant = new Plant();
  const { store } = await openTestStore();
  const { settings, reports, sheets } = await plant.start(store);
  const { channelId } = await settings.putChannel(null, { kind: 'topic', name: 'Lamp', topic: 'plantgate/alerts' });
  const ids = new Map<string, string>();
  for (const [name, more] of Object.entries(recipients)) {
    const ways = [{ channelId, address: null }];
    const { recipientId } = await settings.putRecipient(null, { ...NOBODY, name, ways, ...more });
    ids.set(recipientId, name);
  }
  const taken = () => plant.taken().map((line) => line.replace(/^\d+/, (id) => ids.get(id) ?? id));
  await reports.sendDue();
  return { plant, store, settings, reports, sheets, taken };
}

test('D-93 the first look sends nothing; each end of a shift sends its reports once', async () => {
  const { plant, store, reports, taken } = await opened({
    each: { reports: ['shift'] },
    night: { reports: ['shift'], shifts: ['Night'] },
    chief: { reports: ['day', 'week'], language: 'de' },
    nobody: {},
  });
  expect(taken()).toEqual([]);
  plant.nowMs += 1.1 * HOUR;
  await reports.sendDue();
  expect(taken()).toEqual(['each: Shift report: Day, Sunday 29 November']);
  await reports.sendDue();
  expect(taken()).toEqual([]);
  // The gateway was off at the end of the night.
  plant.nowMs += 14 * HOUR;
  const again = await plant.start(store);
  await again.reports.sendDue();
  expect(taken()).toEqual([
    'each: Shift report: Night, Sunday 29 November',
    'night: Shift report: Night, Sunday 29 November',
    'chief: Tagesbericht: Sonntag, 29. November',
    'chief: Wochenbericht: Woche vom Montag, 23. November bis Sonntag, 29. November',
  ]);
  expect((await store.alertMemory()).messages).toHaveLength(5);
});

test('D-93 each area is a report of its own, and an area without work sends none', async () => {
  const { plant, reports, taken } = await opened({ dana: { reports: ['shift'], areas: ['Hall A', 'Hall B'] } });
  plant.nowMs += 2 * HOUR;
  await reports.sendDue();
  expect(taken()).toEqual(['dana: Shift report: Day, Sunday 29 November, Hall A']);
});

test('D-93 the report says what was made, what cost most, and who was there', async () => {
  const { plant, reports, sheets } = await opened({ dana: { reports: ['shift'] } });
  expect(await reports.send({ period: 'shift', from: '2026-11-29', to: '2026-11-29', shiftName: 'Day' })).toBe(1);
  expect(plant.sent).toMatchObject([
    {
      text: [
        '1,234 good parts, 82.3% of the target, OEE 71%',
        'Line 1: 1,234 good parts, 82.3% of the target, OEE 71%',
        'RF-02: 1,234 good parts, 82.3% of the target, OEE 71%',
        'Reasons that cost most: Coil jam: 1 h 15, 3 ×; No reason yet: 15 min, 1 ×',
      ],
      report: { period: 'shift', from: '2026-11-29', to: '2026-11-29', shiftName: 'Day', area: null },
    },
  ]);
  const [message] = plant.sent;
  expect(message?.report === undefined ? null : await sheets.sheet(message.report)).toMatchObject({
    stops: [{ at: '2026-11-29 08:15', seconds: 2_700, machine: 'RF-02', reason: 'Coil jam', note: null }],
    people: ['Dana'],
    moreMachines: 0,
  });
});

test('D-93 reports that cannot be written are not sent, and come with the next look', async () => {
  const { plant, store, reports, taken } = await opened({ dana: { reports: ['shift'] } });
  const write = store.write.bind(store);
  onTestFinished(() => {
    store.write = write;
  });
  store.write = () => Promise.reject(new Error('the disk is full'));
  plant.nowMs += 2 * HOUR;
  await expect(reports.sendDue()).rejects.toThrow('the disk is full');
  expect(taken()).toEqual([]);
  store.write = write;
  await reports.sendDue();
  expect(taken()).toEqual(['dana: Shift report: Day, Sunday 29 November']);
});

test('D-93 after the clock was set back, no report is sent twice', async () => {
  const { plant, reports, taken } = await opened({ dana: { reports: ['shift'] } });
  plant.nowMs += 2 * HOUR;
  await reports.sendDue();
  taken();
  plant.nowMs -= 20 * HOUR;
  await reports.sendDue();
  expect(taken()).toEqual([]);
});

test('D-93 a clock that is set back by minutes over the end of a shift sends its report once', async () => {
  const { plant, reports, taken } = await opened({ dana: { reports: ['shift'] } });
  plant.nowMs = SUNDAY + HOUR + 180_000;
  await reports.sendDue();
  expect(taken()).toHaveLength(1);
  plant.nowMs -= 300_000;
  await reports.sendDue();
  plant.nowMs += 600_000;
  await reports.sendDue();
  expect(taken()).toEqual([]);
});

test('D-93 a report that a person sends meanwhile does not send the others again', async () => {
  const { plant, reports, store, taken } = await opened({ dana: { reports: ['shift'] } });
  plant.nowMs += 2 * HOUR;
  const by = { period: 'shift', from: '2026-11-28', to: '2026-11-28', shiftName: 'Day' } as const;
  await Promise.all([reports.send(by), reports.sendDue()]);
  expect(taken()).toHaveLength(2);
  const again = await plant.start(store);
  await again.reports.sendDue();
  expect(taken()).toEqual([]);
});

test('D-93 a message that waits on disk is small, also in a plant of 2,000 machines, and no more than 500 go out at once', async () => {
  const machines = Array.from({ length: 2_000 }, (_, at) => ({
    ...FIGURES,
    key: `M${at}`,
    name: `Line ${at}`.repeat(8),
  }));
  const { plant, store, settings, reports } = await opened({ dana: { reports: ['shift'] } });
  const { sums } = production;
  onTestFinished(() => {
    production.sums = sums;
  });
  production.sums = async () => ({ total: FIGURES, rows: machines });
  const ways = Array.from({ length: 5 }, () => ({ channelId: settings.channels()[0]?.channelId ?? '', address: null }));
  for (let at = 0; at < 120; at += 1) {
    await settings.putRecipient(null, { ...NOBODY, name: `P${at}`, ways, reports: ['shift'] });
  }
  plant.nowMs += 2 * HOUR;
  await reports.sendDue();
  expect(plant.sent).toHaveLength(MAX_REPORT_MESSAGES);
  expect(plant.incidents).toMatchObject([{ kind: 'limitReached', detail: expect.stringContaining('101 reports') }]);
  const { messages } = await store.alertMemory();
  expect(Math.max(...messages.map(({ json }) => json.length))).toBeLessThan(5_000);
});

test.each([
  ['a day of two days', { period: 'day', from: '2026-11-28', to: '2026-11-29', shiftName: null }],
  ['a week of six days', { period: 'week', from: '2026-11-23', to: '2026-11-28', shiftName: null }],
  ['a day that does not exist', { period: 'day', from: '2026-02-30', to: '2026-02-30', shiftName: null }],
  ['a shift without a name', { period: 'shift', from: '2026-11-29', to: '2026-11-29', shiftName: null }],
  ['an unknown shift', { period: 'shift', from: '2026-11-29', to: '2026-11-29', shiftName: 'Noon' }],
  ['a day with a shift', { period: 'day', from: '2026-11-29', to: '2026-11-29', shiftName: 'Day' }],
] as const)('D-93 the report of %s is refused, also where nobody gets reports', async (_, period) => {
  const { reports } = await opened({});
  await expect(reports.send(period)).rejects.toMatchObject({ code: 'invalid-input' });
});
