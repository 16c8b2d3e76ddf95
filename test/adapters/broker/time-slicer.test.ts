import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { TimeSlicer } from '../../../src/adapters/broker/time-slicer.ts';

/** A time slicer whose time passes only by its jobs. */
class Newcomers {
  readonly done: number[] = [];
  readonly pace = new TimeSlicer(LIMITS.acceptSliceMs, () => this.#nowMs);
  #nowMs = 0;

  come(newcomer: number, lastsMs: number): object {
    const key = { newcomer };
    this.pace.run(key, () => {
      this.#nowMs += lastsMs;
      this.done.push(newcomer);
    });
    return key;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('TimeSlicer', () => {
  it('takes a single newcomer in at once', () => {
    const newcomers = new Newcomers();
    newcomers.come(1, 1);
    expect(newcomers.done).toEqual([1]);
  });

  it('MQTT-12 takes in no more within one turn than its slice holds, in the order of arrival', async () => {
    const milliseconds = fc.array(fc.integer({ min: 0, max: 2 * LIMITS.acceptSliceMs }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(milliseconds, async (lastsMs) => {
        const newcomers = new Newcomers();
        for (const [index, one] of lastsMs.entries()) newcomers.come(index, one);
        const taken: number[][] = [];
        for (let from = 0; from < lastsMs.length || newcomers.pace.waiting > 0; from = newcomers.done.length) {
          if (taken.length > 0) await turn();
          taken.push(newcomers.done.slice(taken.flat().length));
        }
        expect(taken.flat()).toEqual([...lastsMs.keys()]);
        for (const together of taken) {
          const beforeTheLast = together.slice(0, -1).reduce((sum, index) => sum + (lastsMs[index] ?? 0), 0);
          expect(beforeTheLast).toBeLessThan(LIMITS.acceptSliceMs);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has a slice for each turn, however much came in the turn before', async () => {
    const newcomers = new Newcomers();
    newcomers.come(1, LIMITS.acceptSliceMs);
    await turn();
    newcomers.come(2, LIMITS.acceptSliceMs);
    newcomers.come(3, 1);
    expect(newcomers.done).toEqual([1, 2]);
    await turn();
    expect(newcomers.done).toEqual([1, 2, 3]);
  });

  it('MQTT-12 forgets a newcomer that left while it waited', async () => {
    const newcomers = new Newcomers();
    newcomers.come(1, LIMITS.acceptSliceMs);
    const left = newcomers.come(2, 1);
    newcomers.come(3, 1);
    newcomers.pace.drop(left);
    await turn();
    expect(newcomers.done).toEqual([1, 3]);
  });

  it('takes in no newcomer once it is closed', async () => {
    const newcomers = new Newcomers();
    newcomers.come(1, LIMITS.acceptSliceMs);
    newcomers.come(2, 1);
    newcomers.pace.close();
    newcomers.come(3, 1);
    await turn();
    await turn();
    expect([newcomers.done, newcomers.pace.waiting]).toEqual([[1], 0]);
  });
});
