import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../rounds.ts';
import { type Fate, Library, SyncingMachine } from '../delivery-under-test.ts';

type Operation =
  | { readonly act: 'create'; readonly catalog: number }
  | { readonly act: 'update' | 'archive'; readonly profile: number }
  | { readonly act: 'move'; readonly profile: number; readonly catalog: number }
  | { readonly act: 'subscribe' | 'replace'; readonly machine: number; readonly catalogs: readonly number[] }
  | { readonly act: 'block'; readonly machine: number; readonly state: 'active' | 'blocked' | 'inactive' }
  | { readonly act: 'ask'; readonly machine: number; readonly fate: Fate }
  | { readonly act: 'rewind'; readonly machine: number; readonly cursor: number }
  | { readonly act: 'reopen' | 'salvage' | 'backup' | 'restore' };

const MACHINES = 3;
const anyCatalog = fc.integer({ min: 1, max: 4 });
const anyProfile = fc.nat({ max: 30 });
const anyMachine = fc.nat({ max: MACHINES - 1 });

const edits: readonly fc.WeightedArbitrary<Operation>[] = [
  { weight: 6, arbitrary: anyCatalog.map((catalog) => ({ act: 'create', catalog })) },
  { weight: 4, arbitrary: anyProfile.map((profile) => ({ act: 'update', profile })) },
  { weight: 3, arbitrary: anyProfile.map((profile) => ({ act: 'archive', profile })) },
  {
    weight: 4,
    arbitrary: fc.tuple(anyProfile, anyCatalog).map(([profile, catalog]) => ({ act: 'move', profile, catalog })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyMachine, fc.uniqueArray(anyCatalog))
      .map(([machine, catalogs]) => ({ act: 'subscribe', machine, catalogs })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyMachine, fc.constantFrom('active', 'active', 'blocked', 'inactive'))
      .map(([machine, state]) => ({ act: 'block', machine, state })),
  },
  {
    weight: 10,
    arbitrary: fc
      .tuple(anyMachine, fc.constantFrom<Fate>('taken', 'taken', 'lost'))
      .map(([machine, fate]) => ({ act: 'ask', machine, fate })),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ act: 'reopen' }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyMachine, fc.uniqueArray(anyCatalog))
      .map(([machine, catalogs]) => ({ act: 'replace', machine, catalogs })),
  },
];

/** Losses that a restored database cannot repair. */
const losses: readonly fc.WeightedArbitrary<Operation>[] = [
  { weight: 4, arbitrary: anyMachine.map((machine) => ({ act: 'ask', machine, fate: 'cursorLost' })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyMachine, fc.nat({ max: 20 }))
      .map(([machine, cursor]) => ({ act: 'rewind', machine, cursor })),
  },
];

const restores: readonly fc.WeightedArbitrary<Operation>[] = [
  { weight: 1, arbitrary: fc.constant<Operation>({ act: 'salvage' }) },
  { weight: 2, arbitrary: fc.constant<Operation>({ act: 'backup' }) },
  { weight: 2, arbitrary: fc.constant<Operation>({ act: 'restore' }) },
];

async function perform(act: Operation, library: Library, machines: readonly SyncingMachine[]): Promise<void> {
  const ids = [...library.profiles.keys()];
  const profileId = 'profile' in act ? ids[act.profile % Math.max(1, ids.length)] : undefined;
  const machine = 'machine' in act ? machines[act.machine] : undefined;
  if (act.act === 'create') library.create(act.catalog);
  if (act.act === 'reopen' || act.act === 'salvage' || act.act === 'backup' || act.act === 'restore')
    library[act.act]();
  if (profileId !== undefined) {
    if (act.act === 'update' || act.act === 'archive') library[act.act](profileId);
    if (act.act === 'move') library.update(profileId, act.catalog);
  }
  if (machine !== undefined) await performWith(act, library, machine);
}

async function performWith(act: Operation, library: Library, machine: SyncingMachine): Promise<void> {
  if (act.act === 'subscribe') library.set(machine.serialNumber, { catalogs: act.catalogs });
  if (act.act === 'replace') library.replaceMachine(machine.serialNumber, act.catalogs);
  if (act.act === 'rewind') machine.cursor = machine.cursors[act.cursor % machine.cursors.length] ?? null;
  if (act.act === 'block') library.set(machine.serialNumber, { state: act.state });
  if (act.act === 'ask') await machine.ask(act.fate);
}

/** Plays the acts until all machines are synced; gives the actual and the expected profiles of each machine. */
async function play(acts: readonly Operation[], changes: number) {
  const library = new Library({ changes, places: changes * 3 });
  const machines = Array.from({ length: MACHINES }, (_, place) => new SyncingMachine(library, `SN-${place}`, [1]));
  for (const act of acts) await perform(act, library, machines);
  for (const { serialNumber } of machines) library.set(serialNumber, { state: 'active' });
  for (const machine of machines) await machine.sync();
  const catalogsOf = (serialNumber: string) =>
    library.machines.find((machine) => machine.serialNumber === serialNumber)?.catalogs ?? [];
  return machines.map(({ held, serialNumber }) => ({ held, expected: library.expected(catalogsOf(serialNumber)) }));
}

describe('SYNC-02 SYNC-04 SYNC-05 each machine holds exactly its profiles in the end', () => {
  it('after any edits, subscriptions, blocks, lost answers and cursors, repeated old cursors and small pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...edits, ...losses), { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        async (acts, changes) => {
          for (const { held, expected } of await play(acts, changes)) expect(held).toEqual(expected);
        },
      ),
      { numRuns: rounds(150) },
    );
  });

  it('also after restored and salvaged databases in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...edits, ...restores), { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        async (acts, changes) => {
          for (const { held, expected } of await play(acts, changes)) expect(held).toEqual(expected);
        },
      ),
      { numRuns: rounds(150) },
    );
  });
});
