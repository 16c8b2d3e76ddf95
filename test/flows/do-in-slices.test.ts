import { describe, expect, it } from 'vitest';
import { EMPTY_PLANT, type PlantFile } from '../../src/domain/plant/plant-entry.ts';
import { inOneGo, mapped } from '../../src/domain/sliced-work.ts';
import { inSlices } from '../../src/flows/do-in-slices.ts';
import { openPlant } from './plant-under-test.ts';

/** A clock that goes on by a millisecond whenever somebody looks at it. */
function hastyClock() {
  let monotonicMs = 0;
  return { now: () => ({ monotonicMs: monotonicMs++, wallMs: 0 }) };
}

const stoppedClock = { now: () => ({ monotonicMs: 0, wallMs: 0 }) };

/** How many turns of the loop others get while something is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
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
  return turns;
}

describe('work in slices', () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);

  it('gives what it gives in one go, and lets other work pass by the clock', async () => {
    const work = () => mapped(numbers, (item, place) => item + place);
    const results: (readonly number[])[] = [];
    const told = async (clock: typeof stoppedClock) => results.push(await inSlices(work(), clock));
    expect(await turnsDuring(told(hastyClock()))).toBeGreaterThan(20);
    expect(await turnsDuring(told(stoppedClock))).toBe(0);
    const whole = inOneGo(work());
    expect(whole).toEqual(numbers.map((item) => 2 * item));
    expect(results).toEqual([whole, whole]);
  });

  it('rejects as the work throws', async () => {
    const work = mapped(numbers, (item) => {
      if (item === 9_000) throw new Error('no such number');
      return item;
    });
    await expect(inSlices(work, hastyClock())).rejects.toThrow('no such number');
  });
});

describe('DEV-18 a large plant file', () => {
  const coils = Array.from({ length: 50_000 }, (_, index) => ({ coilId: `C-${index}`, location: 'WH-A1' }));
  const file = (coilsOf: PlantFile['coils']): PlantFile => ({
    ...EMPTY_PLANT,
    locations: [{ code: 'WH-A1', name: 'Rack', category: 'Warehouse' }],
    coils: coilsOf,
  });

  it('leaves others their turns, is refused whole for one fault at its end, and the next waits for it', async () => {
    const { plant, store } = openPlant([], hastyClock());
    const bad = plant.applyFile(file([...coils, { coilId: 'C-last', location: 'WH-A9' }]));
    const refused = expect(bad).rejects.toMatchObject({ faults: [{ path: 'coils[50000].location' }] });
    const good = plant.applyFile(file([]));
    expect(await turnsDuring(refused)).toBeGreaterThan(500);
    expect(store.writes).toEqual([]);
    await good;
    expect(store.writes).toHaveLength(1);
  });
});
