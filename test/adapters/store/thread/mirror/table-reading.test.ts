import { beforeEach, describe, expect, it } from 'vitest';
import { coilEntity, taskEntity } from '../../../../../src/domain/sync/operation.ts';
import { progressOf } from '../../../../../src/domain/warehouse/task.ts';
import { coilOf, taskOf, writeOf } from '../../../../domain/warehouse/warehouse-samples.ts';
import { newDataDir, openTestCore, type TestCore } from '../../open-test-store.ts';
import { ANY_COIL, parsed } from '../warehouse/warehouse-under-test.ts';
import { bytesOf, coilsOf, listedTask, MACHINES, mirrorAll, readAll } from './orders-under-test.ts';

const FORWARDING = { maxBytes: 1e9, gatewayId: 'g1', server: 'central' };
const MANY = 1_500;

let core: TestCore;

beforeEach(() => {
  core = openTestCore(newDataDir(), 'run', false, FORWARDING);
});

const locationOf = (coilId: string) => core.warehouse.coils.find(coilId)?.location;
const moved = (coilId: string, location: string) => core.write([{ kind: 'coilLocation', coilId, location }]);
const apply = () => core.mirror.tables.coils.apply(1_000, true);

/** Queues a change of the entity for the central server. */
function queue(entity: string): void {
  core.connection
    .prepare("INSERT INTO queue (class, entity, at, epoch, bytes, body) VALUES ('act', ?, 0, 1, 1, '{}')")
    .run(entity);
}

async function listed(): Promise<readonly string[]> {
  const { items } = parsed<{ items: readonly { coilId: string }[] }>(await core.warehouse.coilQueries.search(ANY_COIL));
  return items.map(({ coilId }) => coilId);
}

describe.each([
  ['few, in one transaction', 20],
  ['many', MANY],
])('UP-07 %s', (_, count) => {
  it('UP-07 a reading fills the table, then changes only differing records, and counts the changes', async () => {
    expect((await mirrorAll(core, 'coils', coilsOf(count))).changes).toBe(count);
    expect((await mirrorAll(core, 'coils', coilsOf(count))).changes).toBe(0);
    expect((await mirrorAll(core, 'coils', coilsOf(count, { location: 'WH-B1' }))).changes).toBe(count);
    expect(core.warehouse.coils.count()).toBe(count);
    expect(new Set((await listed()).map(locationOf))).toEqual(new Set(['WH-B1']));
    expect(core.mirror.staged.ages()).toEqual([{ kind: 'coils', lastMirroredAt: 1_000 }]);
  });

  it('UP-07 a reading is invisible until it is applied; an unfinished reading leaves no trace', async () => {
    await mirrorAll(core, 'coils', coilsOf(count));
    await readAll(core, 'coils', coilsOf(count, { location: 'WH-B1' }));
    expect(locationOf('C-000000')).toBe('WH-A1');
    expect((await mirrorAll(core, 'coils', coilsOf(count))).changes).toBe(0);
    expect(locationOf('C-000000')).toBe('WH-A1');
  });

  it('UP-07 D-18 a record that changed here since the server was asked, is queued or unconfirmed stays', async () => {
    await mirrorAll(core, 'coils', coilsOf(count));
    queue(coilEntity('C-000002'));
    core.write([{ kind: 'legacyWrite', write: writeOf({ coilId: 'C-000003', location: 'WH-Z' }) }]);
    await readAll(core, 'coils', coilsOf(count, { location: 'WH-B1' }));
    moved('C-000001', 'HERE');
    const applied = apply();
    moved('C-000004', 'HERE');
    await applied;
    const places = ['C-000001', 'C-000002', 'C-000003', 'C-000005'].map(locationOf);
    expect(places).toEqual(['HERE', 'WH-A1', 'WH-A1', 'WH-B1']);
    expect(locationOf('C-000004')).toBe('HERE');
  });

  it('UP-07 a record that two readings lack is removed, unless it is queued; one reading proves nothing', async () => {
    const coils = coilsOf(count);
    await mirrorAll(core, 'coils', coils);
    queue(coilEntity('C-000002'));
    const fewer = coils.filter(({ coilId }) => !['C-000001', 'C-000002'].includes(coilId));
    expect(await mirrorAll(core, 'coils', fewer)).toMatchObject({ changes: 0, missing: 2 });
    expect(core.warehouse.coils.count()).toBe(count);
    expect(await mirrorAll(core, 'coils', fewer)).toMatchObject({ changes: 1, missing: 1 });
    expect(locationOf('C-000001')).toBe(undefined);
    expect(locationOf('C-000002')).toBe('WH-A1');
    expect((await listed()).includes('C-000001')).toBe(false);
  });

  it('UP-07 an empty list with 200 removes no record at first', async () => {
    await mirrorAll(core, 'coils', coilsOf(count));
    for (let pass = 0; pass < 5; pass++) await mirrorAll(core, 'coils', []);
    expect(core.warehouse.coils.count()).toBe(count);
    await mirrorAll(core, 'coils', coilsOf(count));
    for (let pass = 0; pass < 12; pass++) await mirrorAll(core, 'coils', []);
    expect(core.warehouse.coils.count()).toBe(0);
  });
});

describe('a page of a reading', () => {
  it.each([
    ['no JSON', new TextEncoder().encode('<html>')],
    ['half a page', bytesOf(coilsOf(3)).slice(0, 100)],
    ['no list', bytesOf({ items: [] })],
    ['no UTF-8', new Uint8Array([0x5b, 0xff, 0x5d])],
  ])('UP-07 with %s is a fault', async (_, bytes) => {
    await core.mirror.tables.coils.begin('all');
    expect(await core.mirror.tables.coils.page(bytes, MACHINES)).toMatchObject({ kind: 'fault' });
  });

  it('UP-07 a record that cannot be read stays unchanged; the others are taken', async () => {
    await mirrorAll(core, 'coils', coilsOf(3));
    const broken = coilsOf(3, { location: 'WH-B1' }).map((coil, index) =>
      index === 1 ? { ...coil, gauge: 'x' } : coil,
    );
    for (let pass = 0; pass < 3; pass++) await mirrorAll(core, 'coils', broken);
    expect(['C-000000', 'C-000001', 'C-000002'].map(locationOf)).toEqual(['WH-B1', 'WH-A1', 'WH-B1']);
  });

  it('UP-07 without a change is recognised by its bytes, or by the server’s answer, until a record changes here', async () => {
    const { coils } = core.mirror.tables;
    await mirrorAll(core, 'coils', coilsOf(3));
    await mirrorAll(core, 'coils', coilsOf(3));
    const again = async () => {
      await coils.begin('all');
      const read = await coils.page(null, MACHINES);
      await coils.apply(1_000, false);
      return read;
    };
    expect(await again()).toEqual({ kind: 'read', records: 3, refused: [] });
    moved('C-000000', 'HERE');
    expect(await again()).toEqual({ kind: 'forgotten' });
  });

  it('UP-07 with the same records twice is reported', async () => {
    const { coils } = core.mirror.tables;
    await coils.begin('all');
    const page = bytesOf(coilsOf(3));
    expect(await coils.page(page, MACHINES)).toMatchObject({ kind: 'read' });
    expect(await coils.page(page, MACHINES)).toEqual({ kind: 'repeated', records: 3 });
  });
});

describe('tasks', () => {
  const T1 = taskEntity('T-1');

  it('UP-07 belong to the machine at their destination; tasks of machines that are not here are left out', async () => {
    const elsewhere = listedTask({ taskId: 'T-2', destinationLocation: 'RF-77' });
    await mirrorAll(core, 'tasks', [listedTask(), elsewhere]);
    expect(core.warehouse.tasks.find('T-1')).toMatchObject({ machineId: 'RF-01', taskState: 'Ready' });
    expect(core.warehouse.tasks.find('T-2')).toBe(null);
  });

  it('UP-07 missing from a reading of incomplete tasks are named, not removed', async () => {
    await mirrorAll(core, 'tasks', [listedTask(), listedTask({ taskId: 'T-2' })]);
    const { tasks } = core.mirror.tables;
    for (let pass = 0; pass < 3; pass++) {
      await readAll(core, 'tasks', [listedTask({ taskState: 'InProcess' })], 'incomplete');
      expect(tasks.unread(await core.warehouse.taskQueries.incompleteIds(), 10)).toEqual(['T-2']);
      await tasks.apply(1_000, false);
    }
    expect(core.warehouse.tasks.count()).toBe(2);
    expect(core.warehouse.tasks.find('T-1')?.taskState).toBe('InProcess');
  });

  it('D-18 read one by one are taken at once, unless a change of such a task is still queued', async () => {
    await mirrorAll(core, 'tasks', [listedTask()]);
    const progress = { ...progressOf(taskOf()), taskState: 'InProcess' as const };
    core.write([{ kind: 'taskProgress', taskId: 'T-1', progress }]);
    const { tasks } = core.mirror.tables;
    queue(T1);
    expect(tasks.one('T-1', bytesOf(listedTask()), MACHINES)).toBe(false);
    core.connection.exec('DELETE FROM queue');
    expect(tasks.one('T-1', bytesOf(listedTask()), MACHINES)).toBe(true);
    expect(core.warehouse.tasks.find('T-1')?.taskState).toBe('Ready');
  });

  it('UP-07 queued when the server was asked, or shortly before, are newer than its answer', async () => {
    await mirrorAll(core, 'tasks', [listedTask()]);
    queue(T1);
    const read = () => readAll(core, 'tasks', [listedTask({ taskState: 'InProcess' })]);
    await read();
    core.connection.exec('DELETE FROM queue');
    expect((await core.mirror.tables.tasks.apply(1_000, true)).changes).toBe(0);
    await read();
    expect((await core.mirror.tables.tasks.apply(1_000, true)).changes).toBe(0);
    await read();
    expect((await core.mirror.tables.tasks.apply(1_000, true)).changes).toBe(1);
  });
});

it('UP-07 D-60 many changes are written in several transactions, beside those that are made here meanwhile', async () => {
  const count = 4_500;
  await mirrorAll(core, 'coils', coilsOf(count));
  await readAll(core, 'coils', coilsOf(count, { location: 'WH-B1' }));
  const applied = core.mirror.tables.coils.apply(1_000, false);
  // The first transaction is written; the last one is not.
  const last = `C-${String(count - 1).padStart(6, '0')}`;
  expect([locationOf('C-000000'), locationOf(last)]).toEqual(['WH-B1', 'WH-A1']);
  moved(last, 'WH-Z');
  expect((await applied).changes).toBe(count - 1);
  expect([locationOf('C-004498'), locationOf(last)]).toEqual(['WH-B1', 'WH-Z']);
  expect(core.warehouse.changeFeed.page(null, 10, []).isReset).toBe(true);
});

it('UP-07 a reading that was interrupted between its transactions is completed by the next one', async () => {
  await mirrorAll(core, 'coils', coilsOf(4_500));
  await readAll(core, 'coils', coilsOf(4_500, { location: 'WH-B1' }));
  core.connection.exec(`CREATE TRIGGER stop BEFORE UPDATE ON coil WHEN old.coil_id = 'C-003000'
    BEGIN SELECT RAISE(ABORT, 'interrupted'); END`);
  await expect(apply()).rejects.toThrow('interrupted');
  expect([locationOf('C-000000'), locationOf('C-003000')]).toEqual(['WH-B1', 'WH-A1']);
  core.connection.exec('DROP TRIGGER stop');
  expect((await mirrorAll(core, 'coils', coilsOf(4_500, { location: 'WH-B1' }))).changes).toBe(1_500);
});

it('UP-07 a removed record that comes back on a page known from before is written again', async () => {
  const { coils } = core.mirror.tables;
  /** A reading of pages with one coil each. */
  const read = async (...ids: readonly string[]) => {
    await coils.begin('all');
    for (const id of ids) await coils.page(bytesOf([coilOf(id)]), MACHINES);
    await coils.apply(1_000, true);
  };
  // A page is known once a reading found nothing to change on it. Shorter readings leave the later pages known.
  for (const ids of [['C-1', 'C-2'], ['C-1', 'C-2'], ['C-1'], ['C-1'], ['C-1']]) await read(...ids);
  expect(await listed()).toEqual(['C-1']);
  await read('C-1', 'C-2');
  expect(await listed()).toEqual(['C-1', 'C-2']);
});
