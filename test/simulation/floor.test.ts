import { describe, expect, it } from 'vitest';
import { MESSAGE } from '../../src/domain/machine/decision.ts';
import type { LiveMachine } from '../../src/flows/device/live-machine.ts';
import { announceSeed } from '../end-to-end/test-seed.ts';
import { rounds } from '../rounds.ts';
import { FloorWorld } from './floor-world.ts';

const SEEDS = rounds(1_000);
const ACTS = 120;
const TIMEOUT_MS = 10_000;

/** The rule table, written once more from the interface. */
function expectedMessage({ state }: LiveMachine, silentMs: number): string | null {
  if (state.known.machinePower !== true) return MESSAGE.powerOff;
  if (state.selection === null) return MESSAGE.noPart;
  if (silentMs >= TIMEOUT_MS) return MESSAGE.notResponding;
  return state.uncategorized.length > 0 ? MESSAGE.uncategorized : null;
}

interface Stretch {
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** The spans that begin before another span has ended. */
function overlaps(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const sorted = [...stretches].sort((one, other) => one.startedAt - other.startedAt);
  return sorted.slice(1).flatMap((next, index) => {
    const before = sorted[index];
    const isOver = before === undefined || (before.endedAt !== null && before.endedAt <= next.startedAt);
    return isOver ? [] : [[before, next]];
  });
}

function live(world: FloorWorld): LiveMachine {
  if (world.live === undefined) throw new Error('the machine is not configured');
  return world.live;
}

describe('a machine and its gateway, killed at any moment', () => {
  const first = announceSeed('floor');
  const worlds = Array.from({ length: SEEDS }, (_, index) => {
    const seed = first + index;
    const world = new FloorWorld(seed);
    const wrongDecisions: string[] = [];
    for (let count = 0; count < ACTS; count++) {
      world.act();
      if (world.live === undefined) continue;
      const silentMs = world.floor.now.monotonicMs - world.lastHeardMs;
      const expected = expectedMessage(world.live, silentMs);
      const { message } = world.live.state.decision;
      if (message !== expected) wrongDecisions.push(`${world.log.at(-1)}: ${message}, expected ${expected}`);
    }
    world.settle();
    return { seed, world, wrongDecisions };
  });

  it('DEV-08 DEV-09 DEV-10 DEV-11 DEV-12 is decided by the rule table at every moment', () => {
    expect(worlds.flatMap(({ seed, wrongDecisions }) => wrongDecisions.map((wrong) => `${seed} ${wrong}`))).toEqual([]);
  });

  it('DEV-06 DEV-07 D-03 has every part counted once', () => {
    const wrong = worlds.flatMap(({ seed, world }) => {
      const { goodParts } = live(world).state.shift.totals;
      return goodParts === world.made ? [] : [`${seed}: ${goodParts} counted, ${world.made} made`];
    });
    expect(wrong).toEqual([]);
  });

  it('D-03 D-07 reports no span of time and no stop twice', () => {
    const wrong = worlds.flatMap(({ seed, world: { disk } }) => {
      const twice = [...overlaps([...disk.spans.values()]), ...overlaps([...disk.downtimes.values()])];
      return twice.map((pair) => `${seed}: ${JSON.stringify(pair)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('D-07 waits for the category of exactly the downtimes without a category on disk', () => {
    const wrong = worlds.flatMap(({ seed, world }) => {
      const waiting = [...world.disk.downtimes.values()].filter(({ reasonId }) => reasonId === null);
      const onDisk = waiting.map(({ downtimeId }) => downtimeId).sort();
      const inMemory = [...live(world).state.uncategorized].sort();
      return onDisk.join() === inMemory.join() ? [] : [`${seed}: ${inMemory} wait, ${onDisk} on disk`];
    });
    expect(wrong).toEqual([]);
  });
});
