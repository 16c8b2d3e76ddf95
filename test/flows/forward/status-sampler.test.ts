import { beforeEach, describe, expect, it } from 'vitest';
import { StatusSampler } from '../../../src/flows/forward/status-sampler.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { FloorUnderTest, knownMachine, machine, NO_STORED_STATE, status } from '../floor-under-test.ts';

const MQTT = { transport: 'mqtt', duplicate: false } as const;
const RF = knownMachine('RF-01');

let floor: FloorUnderTest;
let told: string[];
/** The time of each sample, on the monotonic clock. */
let toldMs: number[];
let sampler: StatusSampler;
let isServerThere: boolean;
/** Each machine's state as it is on disk together with the samples so far. */
let saved: Map<string, string>;
/** The next act of the sampler, which has at most one timer. */
let later: { readonly atMs: number; readonly act: () => void } | null;

beforeEach(() => {
  told = [];
  toldMs = [];
  saved = new Map();
  isServerThere = true;
  begin(new FloorUnderTest([machine('RF-01')]));
});

/** The gateway begins, and follows its machines. */
function begin(begun: FloorUnderTest): void {
  floor = begun;
  const record = (records: readonly StoreRecord[]) => {
    for (const each of records) {
      if (each.kind === 'machineState') saved.set(each.machineId, each.json);
      if (each.kind !== 'statusSample') continue;
      const { running, mSecSinceBoot, goodPart, partId, timestamp } = JSON.parse(each.sample.json);
      expect(timestamp).toBe(new Date(each.sample.at).toISOString());
      told.push(`${each.sample.why} ${running ? 'runs' : 'stands'} ${mSecSinceBoot} ${goodPart} ${partId ?? '-'}`);
      toldMs.push(floor.now.monotonicMs);
    }
  };
  const after = (delayMs: number, act: () => void) => {
    later = { atMs: floor.now.monotonicMs + delayMs, act };
    return () => {
      later = null;
    };
  };
  const clock = { now: () => floor.now };
  const options = { store: { record }, clock, after, isServerThere: () => isServerThere, onSampled: () => undefined };
  sampler = new StatusSampler(options);
  sampler.follow(floor.registry);
}

/** The power fails at once. Only what went to disk with the samples is still there. */
function failPower(): void {
  const machineStates = [...saved].map(([id, json]) => ({ machineId: knownMachine(id), json }));
  const now = { monotonicMs: 5_000, wallMs: floor.now.wallMs + 60_000 };
  begin(new FloorUnderTest([machine('RF-01')], { ...NO_STORED_STATE, machineStates }, 'next', now));
}

/** Lets time pass, with the sampler's own timer. */
function pass(milliseconds: number): void {
  const untilMs = floor.now.monotonicMs + milliseconds;
  while (later !== null && later.atMs <= untilMs) {
    const { atMs, act } = later;
    floor.pass(atMs - floor.now.monotonicMs);
    act();
  }
  floor.pass(untilMs - floor.now.monotonicMs);
}

/** Sends a status `afterMs` after the last one. */
function hear(afterMs: number, more: Readonly<Record<string, unknown>>): void {
  pass(afterMs);
  floor.inbox.status(RF, status('RF-01', more), MQTT);
}

describe('statuses for the central server', () => {
  it('D-26 are sent when more than counters and times changed, and every 5 s', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    for (let count = 2; count <= 12; count += 1) hear(500, { mSecSinceBoot: count * 500, goodPart: count });
    hear(500, { mSecSinceBoot: 6_500, goodPart: 12, running: false });
    hear(500, { mSecSinceBoot: 7_000, goodPart: 12, running: false, fault: true });
    hear(500, { mSecSinceBoot: 7_500, goodPart: 12, running: false, fault: true });
    expect(told).toEqual([
      'change runs 500 1 -',
      'repeat runs 4500 9 -',
      'change stands 6500 12 -',
      'change stands 7000 12 -',
    ]);
  });

  it('D-26 D-02 are sent on both sides of a fall of the counters without a boot', () => {
    for (const [place, goodPart] of [90, 95, 100, 0, 3].entries())
      hear(500, { mSecSinceBoot: 1_000 + place * 500, goodPart });
    pass(5_000);
    expect(told).toEqual([
      'change runs 1000 90 -',
      'bootEnd runs 2000 100 -',
      'bootEnd runs 2500 0 -',
      'repeat runs 3000 3 -',
    ]);
  });

  it.each([100, 250, 500, 999, 1_700, 3_000])(
    'D-26 are sent at least every 5 s for a device that repeats itself every %i ms',
    (everyMs) => {
      for (let count = 1; count * everyMs <= 60_000; count += 1)
        hear(everyMs, { mSecSinceBoot: count * everyMs, goodPart: count });
      expect(toldMs.length).toBeLessThan(everyMs < 1_000 ? 16 : 60_000 / everyMs + 2);
      for (const [index, atMs] of toldMs.entries())
        expect(atMs - (toldMs[index - 1] ?? atMs)).toBeLessThanOrEqual(5_000);
    },
  );

  it.each([100, 500, 3_000])(
    'UP-06 are queued once a minute while the server is away, for a device that repeats itself every %i ms; the newest is sent once it is back',
    (everyMs) => {
      isServerThere = false;
      for (let count = 1; count * everyMs <= 600_000; count += 1)
        hear(everyMs, { mSecSinceBoot: count * everyMs, goodPart: count });
      expect(toldMs).toHaveLength(1 + 600_000 / 60_000);
      for (const [index, atMs] of toldMs.entries())
        expect(atMs - (toldMs[index - 1] ?? atMs)).toBeLessThanOrEqual(60_000);
      const newest = Math.floor(600_000 / everyMs) * everyMs;
      isServerThere = true;
      pass(1_000);
      expect(told.slice(11)).toEqual([`repeat runs ${newest} ${newest / everyMs} -`]);
    },
  );

  it('D-26 are queued at once while the server is away if more changed, and the newest once a device is silent', () => {
    isServerThere = false;
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 1, running: false });
    hear(500, { mSecSinceBoot: 1_500, goodPart: 2, running: false });
    pass(9_000);
    expect(told).toEqual(['change runs 500 1 -', 'change stands 1000 1 -']);
    pass(2_000);
    expect(told.slice(2)).toEqual(['repeat stands 1500 2 -']);
  });

  it('D-26 include the last one of a boot and the first of the next', () => {
    hear(500, { mSecSinceBoot: 60_000, goodPart: 5 });
    hear(500, { mSecSinceBoot: 60_500, goodPart: 7 });
    hear(500, { mSecSinceBoot: 100, goodPart: 0, running: false });
    expect(told).toEqual(['change runs 60000 5 -', 'bootEnd runs 60500 7 -', 'bootEnd stands 100 0 -']);
  });

  it.each([
    ['a boot', {}, ['bootEnd runs 3599000 30004 -', 'bootEnd runs 20000 0 -']],
    ['another part', { partId: 'P-2' }, ['bootEnd runs 3599000 30004 -', 'bootEnd runs 20000 0 P-2']],
  ])('UP-02 D-26 never fall behind one that was sent, after a power cut and %s', (_, more, next) => {
    hear(500, { mSecSinceBoot: 3_595_000, goodPart: 30_000 });
    for (let count = 1; count <= 8; count++) hear(500, { mSecSinceBoot: 3_595_000 + count * 500, goodPart: 30_004 });
    pass(400);
    expect(told).toEqual(['change runs 3595000 30000 -', 'repeat runs 3599000 30004 -']);
    failPower();
    hear(20_000, { mSecSinceBoot: 20_000, goodPart: 0, ...more });
    expect(told.slice(2)).toEqual(next);
  });

  it('D-26 D-03 save the state of a machine, which is not saved again at once', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 2 });
    expect(floor.live('RF-01').unsaved).not.toBe('nothing');
    pass(5_000);
    expect(told.at(-1)).toBe('repeat runs 1000 2 -');
    expect(floor.live('RF-01')).toMatchObject({ unsaved: 'nothing', savedAtMs: toldMs.at(-1) });
  });

  it('D-03 D-26 leave the state of a machine alone that is out of the plant', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 2 });
    floor.registry.configure([], floor.now);
    saved.clear();
    pass(5_000);
    expect(told.at(-1)).toBe('repeat runs 1000 2 -');
    expect(saved.size).toBe(0);
  });

  const FIELDS = ['override', 'running', 'goodPart', 'badPart', 'cycle', 'mSecSinceBoot'];

  function hearFields(values: readonly (number | boolean)[], gapMs = 0): void {
    for (const [place, value] of values.entries()) {
      floor.inbox.statusField(RF, FIELDS[place] ?? '', String(value), MQTT);
      pass(gapMs);
    }
  }

  it.each([
    ['at once', 0, []],
    ['in seconds', 1_000, ['repeat runs 60500 9 -']],
  ])(
    'UP-02 D-26 MQTT-04 end a boot with the counts before it, from a PLC whose counters come %s before mSecSinceBoot',
    (_, gapMs, between) => {
      hearFields([false, true, 5, 0, 5, 60_000]);
      pass(1_000);
      hearFields([false, true, 9, 0, 9, 60_500]);
      hearFields([false, true, 0, 0, 0, 500], gapMs);
      expect(told.slice(1, 2 + between.length)).toEqual([...between, 'bootEnd runs 60500 9 -']);
    },
  );

  it('UP-02 D-26 MQTT-04 leave counts of the new boot out of the end of the boot before', () => {
    hearFields([false, true, 2, 90, 100, 60_000]);
    failPower();
    hearFields([false, true, 5, 20, 30, 5_000]);
    expect(told).toEqual(['change runs 60000 2 -', 'bootEnd runs 60000 2 -']);
  });

  it('D-26 D-02 tell a counter that fell once it goes on, though mSecSinceBoot does not come', () => {
    hearFields([false, true, 90, 2, 100, 60_000]);
    hearFields([false, true, 0]);
    pass(5_000);
    hearFields([false, true, 1]);
    pass(5_000);
    expect(told.map((text) => text.split(' ')[3])).toEqual(['90', '90', '1']);
  });

  it('D-26 MQTT-04 include the first one of a boot once all its counters are heard behind mSecSinceBoot', () => {
    hearFields([false, true, 9, 0, 9, 60_000]);
    pass(1_000);
    const say = (field: string, value: string) => {
      floor.inbox.statusField(RF, field, value, MQTT);
      pass(10);
    };
    for (const field of ['override', 'running']) say(field, field === 'running' ? 'true' : 'false');
    say('mSecSinceBoot', '500');
    for (const field of ['cycle', 'badPart']) say(field, '0');
    expect(told.slice(1)).toEqual(['bootEnd runs 60000 9 -']);
    say('goodPart', '2');
    expect(told.slice(2)).toEqual(['bootEnd runs 500 2 -']);
  });

  it('D-26 include both sides of a change of the part, each with its own part', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1, partId: 'P-1' });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 4, partId: 'P-1' });
    hear(500, { mSecSinceBoot: 1_500, goodPart: 5, partId: 'P-2' });
    expect(told).toEqual(['partChange runs 500 1 P-1', 'partChange runs 1000 4 P-1', 'partChange runs 1500 5 P-2']);
  });

  it('D-28 carry a part that was chosen here as partId from the next status on', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    const live = floor.registry.get('RF-01');
    if (live === undefined) throw new Error('no machine');
    const chosen = { type: 'selectPart', partId: 'P-9', partName: null, at: floor.now.wallMs, by: 'person' } as const;
    floor.registry.apply(live, chosen, floor.now, 'nobody');
    expect(told).toHaveLength(1);
    hear(500, { mSecSinceBoot: 1_000, goodPart: 2 });
    expect(told.slice(1)).toEqual(['partChange runs 500 1 -', 'partChange runs 1000 2 P-9']);
  });

  it('D-26 include the newest one once a device falls silent, and when the gateway stops', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 2 });
    pass(900);
    expect(told).toHaveLength(1);
    pass(2_000);
    expect(told.slice(1)).toEqual(['repeat runs 1000 2 -']);
    hear(500, { mSecSinceBoot: 2_500, goodPart: 3 });
    sampler.stop();
    expect(told.slice(2)).toEqual(['repeat runs 2500 3 -']);
  });

  it('D-26 are not sent if they are incomplete, or delivered again', () => {
    floor.inbox.statusField(RF, 'running', 'true', MQTT);
    pass(60_000);
    for (const live of floor.registry.all()) floor.registry.apply(live, { type: 'clock' }, floor.now, 'all');
    expect(told).toEqual([]);
  });

  it('D-26 carry the changes of incomplete ones with the first complete one', () => {
    const fields = ['override', 'mSecSinceBoot', 'cycle', 'goodPart'] as const;
    const say = (field: Parameters<typeof floor.inbox.statusField>[1], text: string) => {
      pass(100);
      floor.inbox.statusField(RF, field, text, MQTT);
    };
    say('running', 'true');
    say('fault', 'true');
    for (const field of fields) say(field, field === 'override' ? 'false' : '7');
    expect(told).toEqual([]);
    say('badPart', '0');
    say('badPart', '1');
    expect(told).toEqual(['change runs 7 7 -']);
  });

  it('D-26 go on for a machine that was out of the plant, with a part that was chosen meanwhile', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    floor.registry.configure([], floor.now);
    const chosen = { type: 'selectPart', partId: 'P-9', partName: null, at: floor.now.wallMs, by: 'person' } as const;
    floor.registry.applyWhenBack(RF, chosen);
    pass(10_000);
    floor.registry.configure([machine('RF-01'), machine('RF-02')], floor.now);
    hear(500, { mSecSinceBoot: 11_000, goodPart: 2 });
    expect(told.slice(1)).toEqual(['partChange runs 500 1 -', 'partChange runs 11000 2 P-9']);
    floor.status('RF-02');
    expect(told.at(-1)).toMatch(/^change/);
  });
});
