import { beforeEach, describe, expect, it } from 'vitest';
import { StatusSampler } from '../../src/flows/sample-statuses.ts';
import type { SyncRecord } from '../../src/flows/sync-ports.ts';
import { FloorUnderTest, knownMachine, machine, status } from './floor-under-test.ts';

const MQTT = { transport: 'mqtt', duplicate: false } as const;
const RF = knownMachine('RF-01');

let floor: FloorUnderTest;
let told: string[];
let sampler: StatusSampler;
/** What the sampler wants to do later. */
let look: () => void;

beforeEach(() => {
  floor = new FloorUnderTest([machine('RF-01')]);
  told = [];
  const record = (records: readonly SyncRecord[]) => {
    for (const each of records) {
      if (each.kind !== 'statusSample') continue;
      const { running, mSecSinceBoot, goodPart, partId, timestamp } = JSON.parse(each.sample.json);
      expect(timestamp).toBe(new Date(each.sample.at).toISOString());
      told.push(`${each.sample.why} ${running ? 'runs' : 'stands'} ${mSecSinceBoot} ${goodPart} ${partId ?? '-'}`);
    }
  };
  const after = (_: number, act: () => void) => {
    look = act;
    return () => undefined;
  };
  const clock = { now: () => floor.now };
  sampler = new StatusSampler({ store: { record }, clock, after, onSampled: () => undefined });
  sampler.follow(floor.registry);
});

/** A status so long after the last one. */
function hear(afterMs: number, more: Readonly<Record<string, unknown>>): void {
  floor.now = { monotonicMs: floor.now.monotonicMs + afterMs, wallMs: floor.now.wallMs + afterMs };
  floor.inbox.status(RF, status('RF-01', more), MQTT);
}

describe('statuses for the central server', () => {
  it('D-26 go up when they say more than counters and times, and each 5 s', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    for (let count = 2; count <= 12; count += 1) hear(500, { mSecSinceBoot: count * 500, goodPart: count });
    hear(500, { mSecSinceBoot: 6_500, goodPart: 12, running: false });
    hear(500, { mSecSinceBoot: 7_000, goodPart: 12, running: false, fault: true });
    hear(500, { mSecSinceBoot: 7_500, goodPart: 12, running: false, fault: true });
    expect(told).toEqual([
      'change runs 500 1 -',
      'repeat runs 5500 11 -',
      'change stands 6500 12 -',
      'change stands 7000 12 -',
    ]);
  });

  it('D-26 the last one of a boot goes up before the first of the next', () => {
    hear(500, { mSecSinceBoot: 60_000, goodPart: 5 });
    hear(500, { mSecSinceBoot: 60_500, goodPart: 7 });
    hear(500, { mSecSinceBoot: 100, goodPart: 0, running: false });
    expect(told).toEqual(['change runs 60000 5 -', 'bootEnd runs 60500 7 -', 'change stands 100 0 -']);
  });

  it('D-26 both sides of a change of the part go up, each under its own', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1, partId: 'P-1' });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 4, partId: 'P-1' });
    hear(500, { mSecSinceBoot: 1_500, goodPart: 5, partId: 'P-2' });
    expect(told).toEqual(['partChange runs 500 1 P-1', 'partChange runs 1000 4 P-1', 'partChange runs 1500 5 P-2']);
  });

  it('D-28 a part that was chosen here goes up as partId with the next status', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    const live = floor.registry.get('RF-01');
    if (live === undefined) throw new Error('no machine');
    const chosen = { type: 'selectPart', partId: 'P-9', partName: null, at: floor.now.wallMs, by: 'person' } as const;
    floor.registry.apply(live, chosen, floor.now, 'nobody');
    expect(told).toHaveLength(1);
    hear(500, { mSecSinceBoot: 1_000, goodPart: 2 });
    expect(told.slice(1)).toEqual(['partChange runs 500 1 -', 'partChange runs 1000 2 P-9']);
  });

  it('D-26 the newest goes up once a device falls quiet, and when the gateway stops', () => {
    hear(500, { mSecSinceBoot: 500, goodPart: 1 });
    hear(500, { mSecSinceBoot: 1_000, goodPart: 2 });
    look();
    expect(told).toHaveLength(1);
    floor.pass(1_000);
    look();
    look();
    expect(told.slice(1)).toEqual(['repeat runs 1000 2 -']);
    hear(500, { mSecSinceBoot: 2_500, goodPart: 3 });
    sampler.stop();
    expect(told.slice(2)).toEqual(['repeat runs 2500 3 -']);
  });

  it('D-26 what is not heard again, or not wholly known, is not told', () => {
    floor.inbox.statusField(RF, 'running', 'true', MQTT);
    floor.now = { monotonicMs: floor.now.monotonicMs + 60_000, wallMs: floor.now.wallMs + 60_000 };
    for (const live of floor.registry.all()) floor.registry.apply(live, { type: 'clock' }, floor.now, 'all');
    expect(told).toEqual([]);
  });

  it('D-26 what changed while a status was not wholly known is told with the first that is', () => {
    const fields = ['override', 'mSecSinceBoot', 'cycle', 'goodPart'] as const;
    const say = (field: Parameters<typeof floor.inbox.statusField>[1], text: string) => {
      floor.now = { monotonicMs: floor.now.monotonicMs + 100, wallMs: floor.now.wallMs + 100 };
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
});
