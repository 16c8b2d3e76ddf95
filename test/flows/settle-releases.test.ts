import { expect, it } from 'vitest';
import { taskAct } from '../../src/domain/sync/operation.ts';
import type { TaskOperation } from '../../src/domain/warehouse/task.ts';
import { central, done, drained, queue, useLanes } from './lanes-under-test.ts';

useLanes();

const READY: TaskOperation = { type: 'ready' };
const CANCEL: TaskOperation = { type: 'cancel', coilId: 'C-1', location: 'WH-A2' };
const SET_ASIDE = [{ entity: 'task:T-1', reason: expect.stringContaining('another person works on the task there') }];

const releases = [
  { operation: READY, from: 'InProcess' },
  { operation: CANCEL, from: 'InProcess' },
  { operation: CANCEL, from: 'InTransit' },
] as const;
const lost = ['cuts', 'doesThenCuts'] as const;
const cases = releases.flatMap((release) => lost.map((manner) => ({ ...release, manner })));

/** Sends Pat's release, whose answer is lost; meanwhile the task changes there. */
async function release(operation: TaskOperation, manner: (typeof lost)[number], meanwhile: object): Promise<void> {
  queue.act(taskAct('T-1', operation, 'Pat'));
  central.next.push(manner);
  central.beforeSaying = async () => {
    Object.assign(central.plant.tasks.get('T-1') ?? {}, meanwhile);
    central.beforeSaying = async () => undefined;
  };
  await drained();
}

it.each(cases)(
  'D-30 UP-02 a release is not repeated over the newer work of another person: $operation.type, $from, $manner',
  async ({ operation, from, manner }) => {
    central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: from, userName: 'Pat', selectedCoilId: 'C-1' });
    const taken = { taskState: from, userName: 'Kim', selectedCoilId: 'C-2' };
    await release(operation, manner, taken);
    expect(queue.setAside).toEqual(SET_ASIDE);
    expect(central.writes).toHaveLength(1);
    expect(central.plant.tasks.get('T-1')).toMatchObject(taken);
  },
);

it.each(cases)(
  'D-30 UP-02 a release is done once if no other person works on the task: $operation.type, $from, $manner',
  async ({ operation, from, manner }) => {
    central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: from, userName: 'Pat', selectedCoilId: null });
    await release(operation, manner, {});
    expect(queue.setAside).toEqual([]);
    expect(done()).toHaveLength(1);
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'Ready', userName: null });
  },
);

it('D-30 UP-02 a release is sent again to a server that does not show operators', async () => {
  central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: 'InProcess' });
  await release(READY, 'cuts', {});
  expect(queue.setAside).toEqual([]);
  expect(done()).toHaveLength(1);
});
