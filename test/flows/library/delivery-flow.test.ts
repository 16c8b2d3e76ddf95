import { describe, expect, it } from 'vitest';
import { Library, SyncingMachine } from '../delivery-under-test.ts';

function upsert(profileId: string, revision = 1) {
  return expect.objectContaining({ change: 'upsert', profileId, revision });
}

function remove(profileId: string) {
  return { change: 'remove', profileId };
}

function setUp(catalogs: readonly number[] = [1]) {
  const library = new Library();
  return { library, machine: new SyncingMachine(library, 'SN-1', catalogs) };
}

describe('changes for a machine', () => {
  it('SYNC-02 are everything in its catalogs at first, then the changes, then nothing', async () => {
    const { library, machine } = setUp();
    const [first, second, foreign] = [library.create(1), library.create(1), library.create(2)];
    expect(await machine.sync()).toEqual([upsert(first), upsert(second)]);
    library.update(first);
    library.update(foreign);
    library.archive(second);
    expect(await machine.sync()).toEqual([upsert(first, 2), remove(second)]);
    expect(await machine.sync()).toEqual([]);
  });

  it('SYNC-04 are a removal if a profile was archived or moved to another catalog, and an upsert in the new catalog', async () => {
    const { library, machine } = setUp();
    const other = new SyncingMachine(library, 'SN-2', [2]);
    const both = new SyncingMachine(library, 'SN-3', [1, 2]);
    const [moved, archived] = [library.create(1), library.create(1)];
    for (const each of [machine, other, both]) await each.sync();
    library.update(moved, 2);
    library.archive(archived);
    expect(await machine.sync()).toEqual([remove(moved), remove(archived)]);
    expect(await other.sync()).toEqual([upsert(moved, 2)]);
    expect(await both.sync()).toEqual([upsert(moved, 2), remove(archived)]);
  });

  it('SYNC-04 are the whole of a catalog that was added, and removals for one that was taken away', async () => {
    const { library, machine } = setUp();
    const [own, added] = [library.create(1), library.create(2)];
    await machine.sync();
    library.set('SN-1', { catalogs: [1, 2] });
    expect(await machine.sync()).toEqual([upsert(added)]);
    library.set('SN-1', { catalogs: [2] });
    expect(await machine.sync()).toEqual([remove(own)]);
    library.set('SN-1', { catalogs: [] });
    expect(await machine.sync()).toEqual([remove(added)]);
  });

  it('SYNC-02 leave out profiles that came and went in catalogs that the machine never had', async () => {
    const { library, machine } = setUp();
    await machine.sync();
    const elsewhere = library.create(2);
    library.update(elsewhere, 3);
    library.archive(elsewhere);
    expect(await machine.sync()).toEqual([]);
  });

  it.each(['blocked', 'inactive'] as const)(
    'SYNC-05 do not come while it is %s: its cursor stays, and all missed changes come afterwards',
    async (state) => {
      const { library, machine } = setUp();
      const [kept, changed, gone] = [library.create(1), library.create(1), library.create(1)];
      await machine.sync();
      const { cursor } = machine;
      library.set('SN-1', { state });
      library.update(changed);
      library.archive(gone);
      library.set('SN-1', { catalogs: [1, 2] });
      expect(await machine.sync()).toEqual([]);
      expect(machine.cursor).toBe(cursor);
      library.set('SN-1', { state: 'active' });
      await machine.sync();
      expect(machine.held).toEqual(
        new Map([
          [kept, 1],
          [changed, 2],
        ]),
      );
    },
  );

  it('SYNC-05 do not come if it is blocked before its first fetch', async () => {
    const { library, machine } = setUp();
    const profile = library.create(1);
    library.set('SN-1', { state: 'blocked' });
    expect(await machine.sync()).toEqual([]);
    library.set('SN-1', { state: 'active' });
    expect(await machine.sync()).toEqual([upsert(profile)]);
  });

  it('SYNC-02 come in pages of bounded size', async () => {
    const library = new Library({ changes: 10 });
    const machine = new SyncingMachine(library, 'SN-1', [1]);
    for (let count = 0; count < 35; count += 1) library.create(1);
    const pages: number[] = [];
    for (let more = true; more; ) {
      const before = machine.seen.length;
      more = await machine.ask();
      pages.push(machine.seen.length - before);
    }
    expect(pages).toEqual([10, 10, 10, 5]);
  });

  it.each([{ length: 1 }, { places: 1 }])('SYNC-02 come to an end with pages of %j', async (bounds) => {
    const library = new Library(bounds);
    const machine = new SyncingMachine(library, 'SN-1', [1]);
    for (let count = 0; count < 5; count += 1) library.create(1);
    expect(await machine.sync()).toHaveLength(5);
  });
});

describe('a cursor', () => {
  it('SYNC-02 may be repeated: it gives the same changes or later ones', async () => {
    const { library, machine } = setUp();
    const profile = library.create(1);
    await machine.ask('lost');
    expect(machine.held.size).toBe(0);
    library.update(profile);
    expect(await machine.sync()).toEqual([upsert(profile, 2)]);
  });

  it('SYNC-04 lost after its changes were taken leaves no profile behind', async () => {
    const { library, machine } = setUp();
    await machine.sync();
    const profile = library.create(1);
    await machine.ask('cursorLost');
    library.archive(profile);
    expect(await machine.sync()).toEqual([remove(profile)]);
  });

  it.each([
    '',
    'x',
    '1.abc.7.1._.',
    '9.9.9',
    '1...',
    `1.${'a'.repeat(40)}`,
    '1.0123456789abcdef.1z.1._.',
    '1..0..*.1.5.5',
  ])('SYNC-02 of another gateway, %j, brings everything, removals too, and is reported', async (cursor) => {
    const { library, machine } = setUp();
    const [profile, archived] = [library.create(1), library.create(1)];
    library.archive(archived);
    machine.cursor = cursor;
    machine.held.set('from-elsewhere', 1);
    expect(await machine.sync()).toEqual([upsert(profile), remove(archived)]);
    expect(machine.held).toEqual(new Map([[profile, 1]]));
    expect(library.incidents).toHaveLength(1);
    expect(await machine.sync()).toEqual([]);
  });

  it('SYNC-02 outlives a restart of the gateway', async () => {
    const { library, machine } = setUp();
    library.create(1);
    await machine.sync();
    library.reopen();
    expect(await machine.sync()).toEqual([]);
    const later = library.create(1);
    expect(await machine.sync()).toEqual([upsert(later)]);
  });

  it('SYNC-02 from after the backup that was restored brings everything', async () => {
    const { library, machine } = setUp();
    const profile = library.create(1);
    library.backup();
    library.update(profile);
    const lost = library.create(1);
    await machine.sync();
    library.restore();
    const after = [library.create(1), library.create(1)];
    expect(machine.held).toEqual(
      new Map([
        [profile, 2],
        [lost, 1],
      ]),
    );
    await machine.sync();
    expect(machine.held).toEqual(new Map([[profile, 1], ...after.map((id) => [id, 1] as const)]));
  });

  it('SYNC-02 from before a database was damaged and salvaged brings everything once', async () => {
    const { library, machine } = setUp();
    const profile = library.create(1);
    await machine.sync();
    library.salvage();
    expect(await machine.sync()).toEqual([upsert(profile)]);
    expect(await machine.sync()).toEqual([]);
  });
});

describe('a cursor from before a catalog was taken away and added again', () => {
  /** A machine that holds a profile of catalog 1 and one of catalog 2, and loses every cursor from then on. */
  async function synced() {
    const { library, machine } = setUp([1, 2]);
    const [own, other] = [library.create(1), library.create(2)];
    await machine.sync();
    const { cursor } = machine;
    const again = async () => {
      machine.cursor = cursor;
      return await machine.sync();
    };
    return { library, machine, own, other, again };
  }

  it('SYNC-04 brings the whole catalog again, once', async () => {
    const { library, machine, own, other, again } = await synced();
    library.set('SN-1', { catalogs: [1] });
    expect(await again()).toEqual([remove(other)]);
    library.set('SN-1', { catalogs: [1, 2] });
    expect(await again()).toEqual([upsert(other)]);
    expect([...machine.held.keys()].sort()).toEqual([own, other].sort());
    expect(await machine.sync()).toEqual([]);
  });

  it('SYNC-04 brings it after restarts, and when the machine was taken away and added again', async () => {
    const { library, other, again } = await synced();
    library.set('SN-1', { catalogs: [1] });
    library.reopen();
    await again();
    library.set('SN-1', { state: 'blocked' });
    library.replaceMachine('SN-1', [1, 2]);
    library.reopen();
    expect(await again()).toEqual([]);
    library.set('SN-1', { state: 'active' });
    expect(await again()).toEqual(expect.arrayContaining([upsert(other)]));
  });

  it('SYNC-04 removes the profiles that were sent from a catalog that was added and taken away since', async () => {
    const { library, machine, again } = await synced();
    const foreign = library.create(3);
    library.set('SN-1', { catalogs: [1, 2, 3] });
    expect(await again()).toEqual([upsert(foreign)]);
    library.set('SN-1', { catalogs: [1, 2] });
    expect(await again()).toEqual([remove(foreign)]);
    expect(machine.held.size).toBe(2);
  });

  it('SYNC-04 brings the whole catalog, also in the middle of its pages', async () => {
    const library = new Library({ changes: 1 });
    const machine = new SyncingMachine(library, 'SN-1', [1, 2]);
    const ids = [2, 1, 1].map((catalog) => library.create(catalog));
    await machine.ask();
    const { cursor } = machine;
    for (const catalogs of [[1], [1, 2]]) {
      library.set('SN-1', { catalogs });
      machine.cursor = cursor;
      await machine.sync();
    }
    expect([...machine.held.keys()].sort()).toEqual(ids);
  });

  it('SYNC-04 brings nothing for changes of other machines, or for other changes of the machine’s own record', async () => {
    const { library, again } = await synced();
    const other = new SyncingMachine(library, 'SN-2', [1]);
    library.set('SN-2', { catalogs: [2] });
    library.replaceMachine('SN-2', [1, 2]);
    library.set('SN-1', { state: 'inactive' });
    library.set('SN-1', { state: 'active' });
    await other.sync();
    expect(await again()).toEqual([]);
  });
});

describe('a machine that lacks nothing', () => {
  it('SYNC-02 is answered from memory until a profile or subscription changes for it', async () => {
    const { library, machine } = setUp();
    const other = new SyncingMachine(library, 'SN-2', [2]);
    library.create(1);
    await machine.sync();
    await other.sync();
    const { questions } = library;
    for (let round = 0; round < 10; round += 1) {
      expect(await machine.sync()).toEqual([]);
      expect(await other.sync()).toEqual([]);
    }
    expect(library.questions).toBe(questions);
    library.create(3);
    await machine.sync();
    expect(library.questions).toBe(questions + 1);
  });

  it('SYNC-02 asks the store once, for new changes only, when another machine gets new subscriptions', async () => {
    const library = new Library();
    const machines = Array.from({ length: 500 }, (_, place) => new SyncingMachine(library, `SN-${place}`, [1]));
    library.create(1);
    for (const machine of machines) await machine.sync();
    library.set('SN-0', { catalogs: [2] });
    const { questions } = library;
    for (let round = 0; round < 3; round += 1) {
      for (const machine of machines.slice(1)) expect(await machine.sync()).toEqual([]);
    }
    expect(library.questions - questions).toBe(499);
  });

  it('SYNC-02 costs microseconds', async () => {
    const { library, machine } = setUp();
    library.create(1);
    await machine.sync();
    const from = performance.now();
    for (let round = 0; round < 2_000; round += 1) await machine.ask();
    expect((performance.now() - from) / 2_000).toBeLessThan(1);
  });
});
