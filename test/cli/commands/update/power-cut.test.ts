import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Behaviour, type FakeProgram, OLD, type PowerCut, UpdateWorld } from './update-world.ts';

const NEW_VERSION = '1.1.0';
const WHENS = ['before', 'midway', 'after'] as const;
const PROGRAMS: readonly (readonly [Behaviour, number])[] = [
  ['serves', OLD.schema],
  ['serves', OLD.schema + 2],
  ['hangs', OLD.schema + 2],
  ['crashes', OLD.schema],
  ['failsMigration', OLD.schema + 2],
];

/** Updates with a cut, then starts the computer, with more cuts if there are any. Gives whether the first cut came. */
async function survives(program: FakeProgram, cut: PowerCut, moreCuts: readonly PowerCut[] = []): Promise<boolean> {
  const world = new UpdateWorld();
  try {
    await world.pack(program);
    world.cutPower(cut);
    const isCut = (await world.update()) === null;
    for (const another of moreCuts) await world.boot(another);
    if (isCut) await world.boot();
    const { version } = world.installed();
    expect([OLD.version, program.behaviour === 'serves' ? NEW_VERSION : null]).toContain(version);
    expect(world.serving).toBe(version);
    expect(world.records()).toEqual(world.acknowledged);
    expect([world.places.journal, world.places.copy].filter((file) => existsSync(file))).toEqual([]);
    // The computer works again: the update goes on, or none is left to do.
    world.cutPower(null);
    const again = await world.update();
    expect(again?.exitCode).toBe(program.behaviour === 'serves' ? (version === NEW_VERSION ? 65 : 0) : 69);
    return isCut;
  } finally {
    world.cleanUp();
  }
}

describe('a power cut during plantgate update', () => {
  it('D-42 leaves one whole version that serves with all records, at every step', { timeout: 180_000 }, async () => {
    let points = 0;
    for (const [behaviour, schema] of PROGRAMS) {
      for (const when of WHENS) {
        for (let act = 0; await survives({ version: NEW_VERSION, schema, behaviour }, { act, when }); act += 1)
          points += 1;
      }
    }
    expect(points).toBeGreaterThan(200);
  });

  it('and a second one at every step of settling the first do so as well', { timeout: 180_000 }, async () => {
    const program: FakeProgram = { version: NEW_VERSION, schema: OLD.schema + 2, behaviour: 'hangs' };
    for (const act of [7, 9, 10, 11, 12, 13]) {
      for (const when of WHENS) {
        for (let second = 0; second < 8; second += 1) {
          const again = { act: second, when };
          expect(await survives(program, { act, when: 'after' }, [again, again])).toBe(true);
        }
      }
    }
  });
});
