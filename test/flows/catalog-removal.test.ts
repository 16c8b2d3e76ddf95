import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { PLANT_ENTRY_SHAPES } from '../../src/config/plant-file/plant-entry-checks.ts';
import { KeyedMutex } from '../../src/flows/keyed-mutex.ts';
import { ProfileFlow } from '../../src/flows/library/profile-flow.ts';
import { Plant } from '../../src/flows/plant/plant.ts';
import { ReadWriteLock } from '../../src/flows/read-write-lock.ts';
import { ReceivedOperationsFlow } from '../../src/flows/receive/received-operations-flow.ts';
import type { Store } from '../../src/flows/store-ports.ts';
import { openTestStore, quietLog } from '../adapters/store/open-test-store.ts';
import { plantFile, plantTools } from './plant-under-test.ts';

const CATALOGS = [
  { catalogId: 1, name: 'Standard', default: true },
  { catalogId: 2, name: 'Trim' },
];

let store: Store;
let plant: Plant;
let library: ProfileFlow;
let received: ReceivedOperationsFlow;
/** Awaited before each picture. */
let beforeDrawing: () => Promise<unknown>;
let ids: number;

const bodyIn = (owningCatalogId: number) => ({
  profileName: 'Ridge',
  owningCatalogId,
  features: [{ type: 'Straight', length: 2 }],
});
const restoreTrim = () => plant.applyFile(plantFile(stringify({ catalogs: CATALOGS })));

beforeEach(async () => {
  ({ store } = await openTestStore());
  beforeDrawing = async () => undefined;
  ids = 0;
  const artist = {
    draw: async () => {
      await beforeDrawing();
      return 'data:image/png;base64,';
    },
  };
  const turns = new KeyedMutex('profile', 100);
  const tools = { ...plantTools, artist, profileMutex: turns, catalogLock: new ReadWriteLock() };
  const secrets = { hash: async () => 'hash', verify: async () => true };
  plant = new Plant([], { ...tools, store, secrets, log: quietLog, shapes: PLANT_ENTRY_SHAPES });
  const newId = () => `P-${++ids}`;
  library = new ProfileFlow({ ...tools, store, plant, turns, newId, onChange: () => undefined });
  received = new ReceivedOperationsFlow({
    ...{ ...tools, store, plant },
    warehouse: { adopt: () => Promise.reject(), adoptMove: () => Promise.reject() },
    incidents: { report: () => undefined },
    onProfileChanged: () => undefined,
  });
  await restoreTrim();
});

describe('PROF-06 a catalog that is removed while a profile is put into it', () => {
  it('PROF-06 stays if the profile came first', async () => {
    const gate = Promise.withResolvers<void>();
    beforeDrawing = () => gate.promise;
    const created = library.create(bodyIn(2), 'erp');
    const removed = plant.remove('catalogs', '2');
    gate.resolve();
    expect(await created).toMatchObject({ profileId: 'P-1', owningCatalogId: 2 });
    await expect(removed).rejects.toMatchObject({
      code: 'conflict',
      message: 'catalog 2 is referred to by profile P-1',
    });
  });

  it('PROF-06 stays if a profile of another gateway came first', async () => {
    const profile = await library.create(bodyIn(1), 'erp');
    const gate = Promise.withResolvers<void>();
    beforeDrawing = () => gate.promise;
    const moved = {
      ...profile,
      owningCatalogId: 2,
      revision: 2,
      editedDate: new Date(Date.now() + 1_000).toISOString(),
    };
    const act = { type: 'profilePut', profile: moved } as const;
    const carriedOut = received.carryOut('floor-1', { operationId: 'op', at: Date.now(), principal: 'pat', act });
    const removed = plant.remove('catalogs', '2');
    gate.resolve();
    expect(await carriedOut).toBeNull();
    await expect(removed).rejects.toMatchObject({ code: 'conflict' });
  });

  it('PROF-06 is removed if the removal came first, and the profile is refused', async () => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    vi.spyOn(store, 'profilesIn').mockImplementation(async () => {
      asked.resolve();
      await gate.promise;
      return [];
    });
    const removed = plant.remove('catalogs', '2');
    await asked.promise;
    const created = library.create(bodyIn(2), 'erp');
    gate.resolve();
    await removed;
    await expect(created).rejects.toMatchObject({ code: 'invalid-input', faults: [{ path: 'owningCatalogId' }] });
  });

  it('PROF-06 never holds a profile once it is removed, in any order of creates, moves, archivings and removals', async () => {
    const acts = {
      create: () => library.create(bodyIn(2), 'erp'),
      move: () => library.update(`P-${ids}`, bodyIn(2), 'erp'),
      leave: () => library.update(`P-${ids}`, bodyIn(1), 'erp'),
      archive: () => library.archive(`P-${ids}`, 'erp'),
      remove: () => plant.remove('catalogs', '2'),
      restore: restoreTrim,
    };
    const steps = fc.array(fc.tuple(fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])), fc.nat(3)), {
      maxLength: 20,
    });
    beforeDrawing = () => pause(1);
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const under = [];
        for (const [name, waitMs] of sequence) {
          under.push(Promise.allSettled([acts[name]()]));
          if (waitMs > 0) await pause(waitMs - 1);
        }
        await Promise.all(under);
        const isThere = plant.catalogs().some(({ catalogId }) => catalogId === 2);
        if (!isThere) expect(await store.profilesIn(2, 10)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
