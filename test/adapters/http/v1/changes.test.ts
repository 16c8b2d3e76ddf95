import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { taskView } from '../../../../src/domain/warehouse/task.ts';
import { coilOf, LOCATIONS, taskOf } from '../../../domain/warehouse/warehouse-samples.ts';
import { CentralServer } from '../../../fakes/central-server.ts';
import { LegacyAgentServer } from '../../../fakes/legacy-agent-server.ts';
import { WarehouseUnderTest } from './warehouse-under-test.ts';

interface Changes {
  readonly cursor: string;
  readonly more: boolean;
  readonly reset?: true;
  readonly changes: readonly { readonly kind: string; readonly id: string | null; readonly change: string }[];
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start(settings: Partial<Parameters<typeof WarehouseUnderTest.start>[0]> = {}) {
  const agent = new LegacyAgentServer({ 'C-1': 'WH-A1' });
  await agent.start();
  const tasks = [
    { taskId: 'T-1', taskState: 'Ready' },
    { taskId: 'T-other', taskState: 'Ready', machineId: 'RF-02' },
  ] as const;
  const warehouse = await WarehouseUnderTest.start({ tasks, agentUrl: agent.url, ...settings });
  ends.push(
    () => warehouse.close(),
    () => agent.stop(),
  );
  const changes = async (query = '') => (await warehouse.api('GET', `/changes${query}`)).body as Changes;
  return { warehouse, changes };
}

const named = ({ changes }: Changes) => changes.map(({ kind, id, change }) => `${change} ${kind} ${id}`);

describe('the feed of changes', () => {
  it('begins now, and then names each task, coil, order and profile that changed, once, the newest change last', async () => {
    const { warehouse, changes } = await start();
    const begin = await changes();
    expect(begin).toEqual({ cursor: expect.any(String), more: false, reset: true, changes: [] });
    await warehouse.operate('T-1', 'inProcess');
    await warehouse.move('C-1', 'WH-A2');
    await warehouse.api('POST', '/orders/add', { documentID: 'D-1', products: [] });
    await warehouse.api('DELETE', '/orders/D-1');
    await warehouse.operate('T-1', 'ready');
    const next = await changes(`?after=${begin.cursor}`);
    expect(named(next)).toEqual(['upsert coil C-1', 'remove order D-1', 'upsert task T-1']);
    expect(await changes(`?after=${next.cursor}`)).toEqual({ cursor: next.cursor, more: false, changes: [] });
    // A cursor may be used again.
    expect(named(await changes(`?after=${begin.cursor}`))).toEqual(named(next));
  });

  it('comes in pages, and never shows a task of a machine without the licence (TASK-03)', async () => {
    const { changes } = await start();
    // The records of the plant file are changes of this database's first epoch.
    const all: string[] = [];
    const begin = await changes();
    const epoch = begin.cursor.split('.')[0];
    let cursor = `${epoch}.0`;
    for (let more = true; more; ) {
      const page = await changes(`?after=${cursor}&take=3`);
      all.push(...named(page));
      ({ cursor, more } = page);
    }
    expect(all.sort()).toEqual(
      ['C-1', 'C-2', 'C-3', 'C-4', 'C-5', 'C-6', 'C-bare'].map((id) => `upsert coil ${id}`).concat('upsert task T-1'),
    );
  });

  it.each(['0.1', 'ffff.zz', '.1'])('begins anew for the unknown cursor %s', async (cursor) => {
    const { changes } = await start();
    expect(await changes(`?after=${cursor}`)).toMatchObject({ reset: true, changes: [] });
  });

  it.each(['after=x', 'after=1.2.3', 'take=0', 'take=1001'])('refuses %s', async (query) => {
    const { warehouse } = await start();
    expect((await warehouse.api('GET', `/changes?${query}`)).status).toBe(400);
  });

  it('UP-07 has what the central server changed, too', async () => {
    const central = new CentralServer();
    central.plant.coils.set('C-7', { ...coilOf('C-7') });
    central.plant.tasks.set('T-7', { ...taskView(taskOf({ taskId: 'T-7' })) });
    central.plant.locations = LOCATIONS.map((location) => ({ ...location }));
    await central.start();
    ends.push(() => central.stop());
    const upstream = { url: central.url, apiKey: central.apiKey, timeoutSeconds: 0.5, pollSeconds: 0.1 };
    const { warehouse, changes } = await start({ agentUrl: null, upstream, tasks: [] });
    await expect.poll(() => warehouse.locationOf('C-7'), { timeout: 8_000 }).toBeDefined();
    const { cursor } = await changes();
    central.plant.coils.set('C-7', { ...coilOf('C-7'), location: 'WH-A2' });
    await expect
      .poll(async () => named(await changes(`?after=${cursor}`)), { timeout: 8_000 })
      .toContain('upsert coil C-7');
    await pause(50);
  });
});
