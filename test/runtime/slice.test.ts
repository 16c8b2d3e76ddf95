import { describe, expect, it } from 'vitest';
import { EMPTY_PLANT, type PlantFile } from '../../src/domain/plant/plant-entry.ts';
import { inOneGo, mapped } from '../../src/domain/sliced-work.ts';
import { inSlices, SLICE_MS } from '../../src/runtime/slice.ts';
import { openPlant } from '../flows/plant-under-test.ts';

/** Keeps the thread busy like a costly record. */
function spend(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** The average wait for a turn of the event loop while the work is done. */
async function meanWaitMs(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  let turns = 0;
  let isDone = false;
  const turn = () => {
    if (isDone) return;
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work.finally(() => {
    isDone = true;
  });
  return (performance.now() - start) / turns;
}

describe('work in slices', () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);

  it('gives the same result as in one go, and lets other work pass', async () => {
    const work = (costMs: number) =>
      mapped(numbers, (item, place) => {
        if (place % 50 === 0) spend(costMs);
        return item + place;
      });
    const slow = inSlices(work(1));
    expect(await meanWaitMs(slow)).toBeLessThan(4 * SLICE_MS);
    const whole = inOneGo(work(0));
    expect(whole).toEqual(numbers.map((item) => 2 * item));
    expect(await slow).toEqual(whole);
  });

  it('rejects if the work throws', async () => {
    const work = mapped(numbers, (item) => {
      if (item === 9_000) throw new Error('no such number');
      return item;
    });
    await expect(inSlices(work)).rejects.toThrow('no such number');
  });
});

describe('DEV-18 a large plant file', () => {
  const coils = Array.from({ length: 50_000 }, (_, index) => ({ coilId: `C-${index}`, location: 'WH-A1' }));
  const file = (coilsOf: PlantFile['coils']): PlantFile => ({
    ...EMPTY_PLANT,
    locations: [{ code: 'WH-A1', name: 'Rack', category: 'Warehouse' }],
    coils: coilsOf,
  });

  it('leaves other work its turns, is refused as a whole for one fault at its end, and the next file waits for it', async () => {
    const { plant, store } = openPlant();
    const bad = plant.applyFile(file([...coils, { coilId: 'C-last', location: 'WH-A9' }]));
    const refused = expect(bad).rejects.toMatchObject({ faults: [{ path: 'coils[50000].location' }] });
    const good = plant.applyFile(file([]));
    expect(await meanWaitMs(refused)).toBeLessThan(4 * SLICE_MS);
    expect(store.writes).toEqual([]);
    await good;
    expect(store.writes).toHaveLength(1);
  });
});
