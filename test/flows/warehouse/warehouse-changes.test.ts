import { expect, it } from 'vitest';
import type { LiveChange } from '../../../src/flows/local-api/local-api-ports.ts';
import { WarehouseChanges } from '../../../src/flows/warehouse/warehouse-changes.ts';
import { quietLog } from '../../adapters/store/open-test-store.ts';
import { coilOf, taskOf } from '../../domain/warehouse/warehouse-samples.ts';

it('the gateway announces stored records without internal fields, and removed ones; the log names unreadable ones', async () => {
  const told: LiveChange[] = [];
  const warned: string[] = [];
  const changes = new WarehouseChanges({
    store: {
      task: async (taskId) => (taskId === 'T-1' ? taskOf({ lastOperation: '{}' }) : null),
      coil: async (coilId) => {
        if (coilId === 'C-9') throw new Error('the store is closed');
        return coilOf(coilId);
      },
    },
    log: { ...quietLog, warn: (_, message) => warned.push(message) },
  });
  changes.onChange((change) => told.push(change));
  changes.taskChanged('T-1');
  changes.taskChanged('T-gone');
  changes.coilChanged('C-1');
  changes.coilChanged('C-9');
  await expect.poll(() => warned).toEqual(['a change was not announced']);
  const { lastOperation, ...task } = taskOf();
  expect(told).toEqual([
    { event: 'task', key: 'T-1', record: task },
    { event: 'sync', key: 'tasks', record: { mirrored: 'tasks', changes: 1 } },
    { event: 'coil', key: 'C-1', record: coilOf('C-1') },
  ]);
});
