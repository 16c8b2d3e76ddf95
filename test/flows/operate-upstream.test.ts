import { describe, expect, it } from 'vitest';
import { machineId } from '../../src/domain/machine/machine-names.ts';
import type { Machine } from '../../src/domain/plant/plant.ts';
import type { TaskOperation, WarehouseTask } from '../../src/domain/warehouse/task.ts';
import { OperationQueueFlow } from '../../src/flows/forward/operation-queue-flow.ts';
import { LegacyWrites } from '../../src/flows/warehouse/legacy-writes.ts';
import { WarehouseOperationsFlow } from '../../src/flows/warehouse/warehouse-operations-flow.ts';
import { coilOf, LOCATIONS, REASON_CODES, taskOf } from '../domain/warehouse/warehouse-samples.ts';
import { APPLIED, ScriptedAgent } from './lanes-under-test.ts';

const COMPLETE: TaskOperation = { type: 'complete', location: 'RF-01', userName: null };
const READY: TaskOperation = { type: 'ready' };
const CANCEL: TaskOperation = { type: 'cancel', coilId: 'C-1', location: 'WH-A2' };

type Drained = (entity: string, setState: (state: WarehouseTask['taskState']) => void) => boolean;

function bench(drained: Drained, taskState: WarehouseTask['taskState'] = 'InTransit') {
  let task = taskOf({ taskState, selectedCoilId: 'C-1', userName: 'ann' });
  const asked: string[] = [];
  const written: object[] = [];
  const agent = new ScriptedAgent(APPLIED, APPLIED);
  const id = machineId('RF-01');
  if (id === null) throw new Error('no machine id');
  const machine: Machine = {
    machineId: id,
    name: 'Rollformer 1',
    topicRoot: 'plant1/rf-01',
    location: 'RF-01',
    serialNumber: null,
    registrationKeyHash: null,
    claims: ['service.machine.warehouse'],
    variables: [],
    catalogs: [],
    state: 'active',
    mqttPasswordHash: null,
  };
  const store = {
    task: async () => task,
    coil: async (coilId: string) => coilOf(coilId),
    write: async (records: readonly object[]) => {
      written.push(...records);
    },
  };
  const clock = { now: () => ({ monotonicMs: 0, wallMs: 0 }) };
  const queue = new OperationQueueFlow({ clock, newId: () => 'act-1', onQueued: () => undefined });
  const legacyWrites = new LegacyWrites({
    agent,
    store,
    clock,
    operations: queue,
    newId: () => 'op-1',
    random: () => 0.5,
    after: () => () => undefined,
    incidents: { report: () => undefined },
    onSettled: () => undefined,
    onLate: () => undefined,
  });
  const operations = new WarehouseOperationsFlow({
    store,
    plant: { machine: () => machine, reasonCodes: () => REASON_CODES, locations: () => LOCATIONS },
    legacyWrites,
    clock,
    operations: queue,
    onTaskChanged: () => undefined,
    onCoilChanged: () => undefined,
    upstream: {
      enforcesSourceStates: true,
      drained: async (entity) => {
        asked.push(entity);
        return drained(entity, (taskState) => {
          task = { ...task, taskState };
        });
      },
    },
  });
  return { operations, agent, asked, written };
}

describe('operations that are written through by the central server', () => {
  it.each([COMPLETE, CANCEL])(
    'D-17 $type waits until the task’s queued operations have reached the server',
    async (operation) => {
      const { operations, agent, asked } = bench(() => true);
      await operations.operate('T-1', operation, 'erp');
      expect(asked).toEqual(['task:T-1']);
      expect(agent.asked).toHaveLength(1);
    },
  );

  it.each([COMPLETE, CANCEL])(
    'D-17 $type is 503 if they cannot reach the server, and no write is sent',
    async (operation) => {
      const { operations, agent } = bench(() => false);
      const refused = operations.operate('T-1', operation, 'erp');
      await expect(refused).rejects.toMatchObject({
        code: 'agent-unavailable',
        faults: [{ sentence: 'AgentNotAvailable' }, { path: 'taskId' }],
      });
      expect(agent.asked).toEqual([]);
    },
  );

  it('D-17 D-18 are judged by the state that the server reached meanwhile', async () => {
    const { operations, agent } = bench((_, setState) => {
      setState('Ready');
      return true;
    });
    await expect(operations.operate('T-1', COMPLETE, 'erp')).rejects.toMatchObject({ code: 'invalid-input' });
    expect(agent.asked).toEqual([]);
  });

  it.each([
    { operation: READY, from: 'InProcess' },
    { operation: CANCEL, from: 'InTransit' },
  ] as const)(
    'D-30 $operation.type is queued with the operator whom the task had before',
    async ({ operation, from }) => {
      const { operations, written } = bench(() => true, from);
      await operations.operate('T-1', operation, 'erp');
      const act = { type: 'taskOperation', taskId: 'T-1', operation, operatorBefore: 'ann' };
      expect(written).toContainEqual({ kind: 'act', queued: expect.objectContaining({ principal: 'erp', act }) });
    },
  );

  it('D-17 do not delay other operations', async () => {
    const { operations, asked } = bench(() => false);
    await operations.operate('T-1', { type: 'unattainable', unattainableCode: 'UR-1', userName: null }, 'erp');
    expect(asked).toEqual([]);
  });
});
