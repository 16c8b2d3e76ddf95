import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { NOTHING_HELD } from '../../../src/domain/profile/delivery.ts';
import { readCursor } from '../../../src/domain/profile/delivery-cursor.ts';
import { archivedProfile, createdProfile, revisedProfile } from '../../../src/domain/profile/library.ts';
import type { Profile } from '../../../src/domain/profile/profile.ts';
import type { Store } from '../../../src/flows/store-ports.ts';
import { newDataDir, openTestStore } from './open-test-store.ts';

const EDIT = { principal: 'erp', date: '2026-03-04T08:00:00.000Z' };
const MACHINE = { serialNumber: 'SN-1', catalogs: [1] };
const THUMBNAIL = 'data:image/png;base64,AAAA';

function profileOf(profileId: string, owningCatalogId = 1): Profile {
  const content = { profileName: profileId, description: null, category: null, subCategory: null, paintedSide: null };
  const features = [{ type: 'Straight', length: 2, hemHeight: 0, name: 'Leg' }] as const;
  return createdProfile(profileId, { ...content, owningCatalogId, features }, EDIT);
}

function keep(store: Store, ...profiles: readonly Profile[]): Promise<void> {
  return store.write(profiles.map((profile) => ({ kind: 'profile', profile, thumbnail: THUMBNAIL })));
}

/** The row of the machine with these catalogs; null removes it. */
function machineRow(catalogs: readonly number[] | null) {
  const json = catalogs === null ? null : JSON.stringify({ ...MACHINE, machineId: 'RF-01', catalogs });
  return { kind: 'plant', row: { kind: 'machines', id: 'RF-01', json } } as const;
}

interface Answer {
  readonly cursor: string;
  readonly reset?: true;
  readonly changes: readonly { readonly profileId: string; readonly change: string }[];
}

/** The answer to a machine that subscribes to catalog 1 and has this cursor. */
async function changesSince(store: Store, cursor: string | null): Promise<Answer> {
  const { text } = await store.profileChanges(cursor === null ? NOTHING_HELD : readCursor(cursor), MACHINE);
  return JSON.parse(new TextDecoder().decode(text.bytes));
}

describe('profiles in the store', () => {
  it('PROF-05 are unchanged after a restart, and cursors go on', async () => {
    const dataDir = newDataDir();
    const first = await openTestStore({ dataDir });
    await keep(first.store, profileOf('P-1'), profileOf('P-2'));
    const { cursor } = await changesSince(first.store, null);
    await first.store.close();
    const { store } = await openTestStore({ dataDir });
    expect(await store.profile('P-1')).toEqual(profileOf('P-1'));
    expect(await store.profile('P-3')).toBeNull();
    expect(await changesSince(store, cursor)).toEqual({ cursor, more: false, changes: [] });
  });

  it('PROF-05 a revision that is known already, or an older one, changes nothing', async () => {
    const { store } = await openTestStore();
    const old = profileOf('P-1');
    const newer = revisedProfile(old, { ...old, profileName: 'newer' }, EDIT);
    await keep(store, old, newer);
    const { cursor } = await changesSince(store, null);
    await keep(store, newer, old);
    expect(await store.profile('P-1')).toEqual(newer);
    expect((await changesSince(store, cursor)).changes).toEqual([]);
  });

  it('SYNC-04 of one write are announced in their order, for every kind of change', async () => {
    const { store } = await openTestStore();
    await keep(store, profileOf('P-1'), profileOf('P-2'));
    const { cursor } = await changesSince(store, null);
    const moved = revisedProfile(profileOf('P-2'), profileOf('P-2', 2), EDIT);
    await store.write([
      { kind: 'profile', profile: moved, thumbnail: THUMBNAIL },
      { kind: 'profile', profile: archivedProfile(profileOf('P-1'), EDIT), thumbnail: null },
    ]);
    expect((await changesSince(store, cursor)).changes).toEqual([
      { change: 'remove', profileId: 'P-2' },
      { change: 'remove', profileId: 'P-1' },
    ]);
    expect(await store.profilesIn(2, 10)).toEqual(['P-2']);
    expect(await store.profilesIn(1, 10)).toEqual([]);
  });

  it('SYNC-04 are announced again if the machine was subscribed again since its cursor, also after a restart', async () => {
    const dataDir = newDataDir();
    const first = await openTestStore({ dataDir });
    await first.store.write([machineRow([1])]);
    await keep(first.store, profileOf('P-1'));
    const { cursor } = await changesSince(first.store, null);
    await first.store.write([machineRow(null)]);
    await first.store.write([machineRow([1])]);
    await first.store.close();
    const { store } = await openTestStore({ dataDir });
    const again = await changesSince(store, cursor);
    expect(again.changes).toMatchObject([{ change: 'upsert', profileId: 'P-1' }]);
    await store.write([machineRow([1])]);
    expect(await changesSince(store, again.cursor)).toEqual({ cursor: again.cursor, more: false, changes: [] });
  });

  it('SYNC-02 are salvaged from a damaged database, and announced to every machine again', async () => {
    const dataDir = newDataDir();
    const first = await openTestStore({ dataDir });
    await keep(first.store, profileOf('P-1'));
    const { cursor } = await changesSince(first.store, null);
    await first.store.close();
    const database = new Database(join(dataDir, 'plantgate.db'));
    // A missing table of the schema makes the file unusable.
    database.exec('DROP TABLE variable_block');
    database.close();
    const { store, restored } = await openTestStore({ dataDir });
    expect(restored.setAside).not.toBeNull();
    const answer = await changesSince(store, cursor);
    expect(answer).toMatchObject({ reset: true, changes: [{ change: 'upsert', profileId: 'P-1' }] });
    expect((await changesSince(store, answer.cursor)).changes).toEqual([]);
  });

  it('PROF-01 are refused, not lost, if the disk takes nothing', async () => {
    const { store, testing } = await openTestStore();
    testing.limitPages(1);
    const description = 'x'.repeat(200_000);
    const large = Array.from({ length: 20 }, (_, place) => ({ ...profileOf(`P-${place}`), description }));
    const written = keep(store, ...large).then(
      () => 'written',
      () => 'refused',
    );
    await expect.poll(() => store.counters().health.state, { timeout: 10_000 }).toBe('full');
    await expect(keep(store, profileOf('P-99'))).rejects.toMatchObject({ code: 'store-unavailable' });
    testing.limitPages(1_000_000);
    expect(await written).toBe('written');
    expect(await store.profile('P-19')).not.toBeNull();
  });
});
