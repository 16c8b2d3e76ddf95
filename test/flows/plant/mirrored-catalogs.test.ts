import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Catalog } from '../../../src/domain/plant/plant.ts';
import { catalogChoice } from '../../../src/domain/profile/profile-entry.ts';
import { openPlant, plantFile } from '../plant-under-test.ts';

const FILE = `
catalogs: [{ catalogId: 1, name: Standard, default: true }, { catalogId: 2, name: Trim }]
machines:
  - { machineId: RF-01, topicRoot: rf-1, catalogs: [1, 2] }
`;

/** A plant of that file, whose catalogs the central server decides about from now on. */
async function openMirrored(file: string) {
  const kinds = new Set<string>();
  const opened = openPlant([], (kind) => kinds.has(kind));
  await opened.plant.applyFile(plantFile(file));
  kinds.add('catalogs');
  const mirror = (records: readonly Catalog[], gone: readonly string[] = []) =>
    opened.plant.mirror({ of: 'catalogs', records }, gone);
  return { ...opened, mirror };
}

function catalog(catalogId: number, isDefault: boolean): Catalog {
  return { catalogId, name: `catalog ${catalogId}`, default: isDefault };
}

describe('catalogs that are mirrored', () => {
  it('UP-07 PROF-06 have the default of the central server alone, beside a catalog that a machine refers to', async () => {
    const { plant, mirror, store } = await openMirrored(FILE);
    await mirror([catalog(7, true)], ['1', '2']);
    expect(plant.catalogs()).toEqual([
      { catalogId: 1, name: 'Standard', default: false },
      { catalogId: 2, name: 'Trim', default: false },
      catalog(7, true),
    ]);
    expect(catalogChoice(plant.catalogs()).fallback).toBe(7);
    expect(openPlant(store.stored()).plant.catalogs()).toEqual(plant.catalogs());
  });

  it('UP-07 PROF-06 have at most one default after each reading of a server that has at most one', () => {
    const ids = [1, 2, 7, 8] as const;
    const reading = fc.record({
      listed: fc.subarray([...ids]),
      chosen: fc.constantFrom(...ids),
      gone: fc.subarray(ids.map(String)),
    });
    return fc.assert(
      fc.asyncProperty(fc.array(reading, { minLength: 1, maxLength: 4 }), async (readings) => {
        const { plant, mirror } = await openMirrored(FILE);
        for (const { listed, chosen, gone } of readings) {
          const records = listed.map((id) => catalog(id, id === chosen));
          const missing = gone.filter((id) => !listed.some((one) => String(one) === id));
          await mirror(records, missing);
          const defaults = plant.catalogs().filter((one) => one.default);
          expect(defaults.length).toBeLessThanOrEqual(1);
          if (listed.includes(chosen)) expect(defaults).toEqual([catalog(chosen, true)]);
          expect(plant.catalogs()).toEqual(expect.arrayContaining(records));
        }
      }),
    );
  });

  it('UP-07 are not judged by the default catalog of the plant file, which is applied with its new machines', async () => {
    const { plant, mirror } = await openMirrored(FILE);
    await mirror([catalog(7, true)], ['1', '2']);
    const more = plantFile(`${FILE}  - { machineId: RF-02, topicRoot: rf-2, catalogs: [1] }\n`);
    expect(await plant.diff(more)).toMatchObject([{ id: 'RF-02' }]);
    await plant.applyFile(more);
    expect(plant.machine('RF-02')).toMatchObject({ topicRoot: 'rf-2', catalogs: [1] });
    expect(plant.catalogs()).toContainEqual(catalog(7, true));
    expect(plant.catalogs().filter((one) => one.default)).toHaveLength(1);
  });

  it('UP-07 PROF-06 have the profiles of the plant file in the central server’s default, until profiles are mirrored', async () => {
    const { plant, mirror, store } = await openMirrored(FILE);
    await mirror([catalog(7, true)], ['1', '2']);
    const write = vi.spyOn(store, 'write');
    const features = '[{ type: Straight, length: 5 }]';
    await plant.applyFile(plantFile(`${FILE}profiles: [{ profileName: Panel, features: ${features} }]`));
    expect(JSON.stringify(write.mock.calls)).toContain('"owningCatalogId":7');
  });
});
