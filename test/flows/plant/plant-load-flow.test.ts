import { afterEach, describe, expect, it, vi } from 'vitest';
import { PLANT_ENTRY_SHAPES } from '../../../src/config/plant-file/plant-entry-checks.ts';
import { MAX_RECORDS } from '../../../src/domain/plant/plant-entry.ts';
import { PlantLoadFlow } from '../../../src/flows/plant/plant-load-flow.ts';
import type { WarehouseSeed } from '../../../src/flows/warehouse/warehouse-ports.ts';
import { openPlant } from '../plant-under-test.ts';

afterEach(() => {
  vi.useRealTimers();
});

function openLoads(unchanged: (seed: WarehouseSeed) => boolean = () => false) {
  const opened = openPlant();
  let last = 0;
  const seedChanges = async (seeds: readonly WarehouseSeed[]) =>
    seeds.map((seed) => (unchanged(seed) ? null : { change: 'create' as const, fields: ['coilId'] }));
  const loads = new PlantLoadFlow({
    plant: opened.plant,
    store: { seedChanges },
    shapes: PLANT_ENTRY_SHAPES,
    newId: () => `L-${++last}`,
  });
  return { ...opened, loads };
}

const PART = { partId: 'P-1' };

describe('a plant file in pieces', () => {
  it('is applied as one when it is finished, and then forgotten', async () => {
    const { plant, store, loads } = openLoads();
    const loadId = loads.begin();
    await loads.add(loadId, 'parts', [PART], 20);
    await loads.add(loadId, 'machines', [{ machineId: 'RF-01', topicRoot: 'a' }], 40);
    await loads.add(loadId, 'parts', [{ partId: 'P-2' }], 20);
    expect([plant.parts(), store.writes]).toEqual([[], []]);
    expect((await loads.finish(loadId, false, 'pat')).counts).toEqual([
      { kind: 'machines', named: 1, created: 1, updated: 0 },
      { kind: 'parts', named: 2, created: 2, updated: 0 },
    ]);
    expect([plant.parts().length, store.writes.length]).toEqual([2, 1]);
    await expect(loads.finish(loadId, false, 'pat')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('names the place of a fault in the whole file, although records without a change were not kept', async () => {
    const { loads } = openLoads((seed) => seed.of === 'coils' && seed.entry.coilId.startsWith('same'));
    const loadId = loads.begin();
    const coils = ['same-1', 'same-2', 'C-3', 'same-4', 'C-5'].map((coilId) => ({ coilId, location: 'nowhere' }));
    await loads.add(loadId, 'coils', coils.slice(0, 2), 100);
    await loads.add(loadId, 'coils', coils.slice(2), 100);
    await expect(loads.finish(loadId, true, 'pat')).rejects.toMatchObject({
      faults: [{ path: 'coils[2].location' }, { path: 'coils[4].location' }],
    });
    const other = loads.begin();
    await loads.add(other, 'parts', [PART, PART], 20);
    await expect(loads.add(other, 'parts', [{ partId: 7 }], 20)).rejects.toMatchObject({
      faults: [{ path: 'parts[2].partId', found: '7' }],
    });
    await expect(loads.finish(other, true, 'pat')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('reports changes and faults up to a limit', async () => {
    const { loads } = openLoads();
    const parts = Array.from({ length: 1_500 }, (_, place) => ({ partId: `P-${place}` }));
    const loadId = loads.begin();
    await loads.add(loadId, 'parts', parts, 1);
    const { counts, changes } = await loads.finish(loadId, true, 'pat');
    expect([counts, changes.length]).toEqual([[{ kind: 'parts', named: 1_500, created: 1_500, updated: 0 }], 1_000]);
    const dangling = loads.begin();
    await loads.add(
      dangling,
      'coils',
      parts.map(({ partId }) => ({ coilId: partId, location: 'X' })),
      1,
    );
    await expect(loads.finish(dangling, true, 'pat')).rejects.toMatchObject({ faults: { length: 1_000 } });
  });

  it('is bounded: in records, in bytes, in loads at once', async () => {
    const { loads } = openLoads(() => true);
    const loadId = loads.begin();
    const many = (count: number) => Array.from({ length: count }, (_, place) => ({ id: `${place}`, reason: 'x' }));
    await expect(loads.add(loadId, 'downtimeReasons', many(MAX_RECORDS.downtimeReasons + 1), 1)).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'downtimeReasons: found 1001 records, expected at most 1000',
    });
    const heavy = loads.begin();
    await loads.add(heavy, 'parts', [PART], 60 * 1024 * 1024);
    await expect(loads.add(heavy, 'parts', [PART], 5 * 1024 * 1024)).rejects.toMatchObject({ code: 'too-large' });
    const [first, second] = [loads.begin(), loads.begin()];
    await loads.add(first, 'parts', [PART], 40 * 1024 * 1024);
    await expect(loads.add(second, 'parts', [PART], 40 * 1024 * 1024)).rejects.toMatchObject({ code: 'rate-limited' });
    await loads.finish(first, true, 'pat');
    const unchanged = loads.begin();
    for (let piece = 0; piece < 20; piece += 1) {
      await loads.add(unchanged, 'coils', [{ coilId: `${piece}`, location: 'A' }], 10 * 1024 * 1024);
    }
    const open = [loads.begin(), loads.begin(), loads.begin()];
    expect(() => loads.begin()).toThrow(/Too many plant loads at once, at most 4/);
    loads.discard(open[0] ?? '');
    expect(loads.begin()).toEqual(expect.any(String));
  });

  it('may have more coils than one file may change, if most are unchanged', async () => {
    const { loads } = openLoads((seed) => seed.of === 'coils' && seed.entry.coilId !== 'new');
    const loadId = loads.begin();
    const coils = Array.from({ length: 60_000 }, (_, place) => ({ coilId: `C-${place}`, location: 'A' }));
    await loads.add(loadId, 'coils', coils, 1);
    const changing = openLoads();
    const refused = changing.loads.begin();
    await expect(changing.loads.add(refused, 'coils', coils, 1)).rejects.toThrow(
      'coils: found 60000 records to add or change, expected at most 50000',
    );
  });

  it('is forgotten if no piece comes for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { loads } = openLoads();
    const left = loads.begin();
    const fed = loads.begin();
    await vi.advanceTimersByTimeAsync(40_000);
    await loads.add(fed, 'parts', [PART], 1);
    await vi.advanceTimersByTimeAsync(40_000);
    await expect(loads.add(left, 'parts', [PART], 1)).rejects.toMatchObject({ code: 'not-found' });
    expect((await loads.finish(fed, true, 'pat')).counts).toHaveLength(1);
  });
});
