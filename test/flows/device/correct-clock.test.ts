import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../rounds.ts';
import { FloorWithStore } from './floor-with-store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 10:05 in Chicago, in the first of three shifts, which begin at 6, 14 and 22 o'clock. */
const START = Date.parse('2026-03-04T16:05:00Z');
/** 13:50, ten minutes before the second shift. */
const BEFORE_SHIFT = Date.parse('2026-03-04T19:50:00Z');

type Story = (floor: FloorWithStore) => Promise<FloorWithStore> | FloorWithStore;
const IN_1970 = -START + 20_000;

it.each<[string, number, number, Story]>([
  ['in 1970', START, IN_1970, (floor) => floor.run(50, 3).setClock()],
  ['months ago', START, -120 * DAY_MS, (floor) => floor.run(50, 3).setClock()],
  ['a day in the future', START, DAY_MS, (floor) => floor.run(50, 3).setClock()],
  ['an hour ahead', START, HOUR_MS, (floor) => floor.run(50, 3).setClock()],
  ['an hour behind', START, -HOUR_MS, (floor) => floor.run(50, 3).setClock()],
  ['a day ahead, over several shifts', START, DAY_MS, (floor) => floor.run(17 * 60, 1).setClock()],
  ['eight hours behind, over several shifts', START, -8 * HOUR_MS, (floor) => floor.run(17 * 60, 1).setClock()],
  ['over more shifts than are remembered', START, -DAY_MS, (floor) => floor.run(72 * 60, 1).setClock()],
  [
    'in 1970, with a restart of the gateway',
    START,
    IN_1970,
    (floor) => floor.run(20, 3).restart().run(20, 3).setClock(),
  ],
  [
    'a day ahead, with two restarts',
    START,
    DAY_MS,
    (floor) => floor.run(20, 3).restart().run(5, 2).restart().setClock(),
  ],
  ['five minutes ahead, over a shift boundary', BEFORE_SHIFT, 5 * MINUTE_MS, (floor) => floor.run(8, 4).setClock()],
  ['a day ahead, and the gateway is killed at once', START, DAY_MS, (floor) => floor.run(30, 3).setClock().restart()],
  [
    'a day ahead, while the machine is out of the plant',
    START,
    DAY_MS,
    (floor) => floor.run(30, 3).configure(false).setClock().configure(true),
  ],
  ['set twice at once', START, DAY_MS, (floor) => floor.run(30, 3).setClock(-DAY_MS).setClock()],
  ['set there and back', START, 0, (floor) => floor.run(30, 3).setClock(DAY_MS).run(5, 2).setClock()],
  [
    'set step by step',
    START,
    -3 * DAY_MS,
    async (floor) =>
      (
        await floor
          .run(30, 3)
          .setClock(-2 * HOUR_MS)
          .settled()
      )
        .run(30, 3)
        .setClock(),
  ],
  [
    'set before the store has answered',
    START,
    DAY_MS,
    (floor) => floor.run(30, 3).setClock(HOUR_MS).run(3, 2).setClock(),
  ],
  ['right, and the machine makes nothing', START, DAY_MS, (floor) => floor.run(30, 0).setClock()],
])(
  'D-04 VAR-03 production by shift and by hour of a clock that was %s is that of a right clock',
  async (_, start, wrongMs, story) => {
    const [wrong, right] = [new FloorWithStore(start, wrongMs), new FloorWithStore(start, null)];
    await story(wrong);
    await (await wrong.settled()).run(20, 2).settled();
    (await (await story(right)).settled()).run(20, 2);
    expect(await wrong.production(start, 4)).toEqual(await right.production(start, 4));
    const elsewhere = await wrong.production(start + wrongMs, 0);
    if (Math.abs(wrongMs) > 5 * DAY_MS) expect(elsewhere.shifts).toEqual({});
  },
);

const MAX_RATE = 4;
const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ minutes: fc.integer({ min: 1, max: 60 }), rate: fc.integer({ min: 0, max: MAX_RATE }) }),
  },
  { weight: 3, arbitrary: fc.record({ wrongMs: fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS }) }) },
  { weight: 1, arbitrary: fc.record({ slewMs: fc.integer({ min: -2 * MINUTE_MS, max: 2 * MINUTE_MS }) }) },
  fc.constant('restart' as const),
  fc.constant('answer' as const),
);

it('D-04 VAR-03 whatever the corrections of the clock, no part is lost or counted twice, and none is a quarter of an hour off', async () => {
  const anyStory = fc.tuple(fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }), fc.array(happening, { maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(anyStory, async ([firstMs, story]) => {
      const [wrong, right] = [new FloorWithStore(START, firstMs), new FloorWithStore(START, null)];
      let wrongMs = firstMs;
      for (const each of story) {
        if (typeof each === 'object' && !('minutes' in each)) {
          wrongMs = 'wrongMs' in each ? each.wrongMs : wrongMs + each.slewMs;
          wrong.setClock(wrongMs);
          continue;
        }
        for (const floor of [wrong, right]) await live(floor, each);
      }
      await wrong.setClock().settled();
      const [moved, expected] = [await wrong.production(START, 4), await right.production(START, 4)];
      expect(sumOf(moved.shifts)).toBe(right.made);
      expect(sumOf(moved.hours)).toBe(right.made);
      const of = (production: typeof moved, shift: string) => production.times[shift] ?? { goodParts: 0, runningMs: 0 };
      for (const shift of new Set([...Object.keys(moved.times), ...Object.keys(expected.times)])) {
        const [here, there] = [of(moved, shift), of(expected, shift)];
        expect(Math.abs(here.goodParts - there.goodParts)).toBeLessThanOrEqual(15 * MAX_RATE);
        expect(Math.abs(here.runningMs - there.runningMs)).toBeLessThan(15 * MINUTE_MS);
      }
    }),
    { numRuns: rounds(30) },
  );
}, 120_000);

async function live(floor: FloorWithStore, happening: 'restart' | 'answer' | { minutes: number; rate: number }) {
  if (happening === 'restart') floor.restart();
  else if (happening === 'answer') await floor.settled();
  else floor.run(happening.minutes, happening.rate);
}

function sumOf(production: Readonly<Record<string, number>>): number {
  return Object.values(production).reduce((sum, parts) => sum + parts, 0);
}
