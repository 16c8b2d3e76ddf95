import { describe, expect, it, vi } from 'vitest';
import {
  central,
  done,
  drained,
  entityQueues,
  events,
  incidents,
  inProcess,
  queue,
  useLanes,
} from '../lanes-under-test.ts';

useLanes();

describe('rows while another program may answer in the place of the server', () => {
  it.each(['isBehindForbiddingPage', 'isBehindMissingPage'] as const)(
    'UP-02 D-51 are not refused by another program: if the server %s, they wait, and the server is asked',
    async (manner) => {
      central.manner = () => manner;
      for (let count = 1; count <= 6; count += 1) queue.act(inProcess(`T-${count}`, 'Pat'));
      for (const taskId of ['T-4', 'T-5', 'T-6']) central.plant.tasks.set(taskId, { taskId, taskState: 'Ready' });
      entityQueues.start();
      await vi.waitFor(() => expect(incidents).toHaveLength(6));
      expect(queue.rows).toHaveLength(6);
      expect(events.map(({ type }) => type)).toContain('doubted');
      central.behave();
      await drained();
      expect(queue.setAside).toEqual([]);
      expect(central.plant.tasks.get('T-6')).toMatchObject({ taskState: 'InProcess' });
    },
  );

  describe('a removal', () => {
    const removals = [
      { act: { type: 'orderRemoved', orderKey: 'documentID D-1', ordId: 'D-1' }, asks: 'DELETE' },
      { act: { type: 'profileArchived', profileId: 'P-1' }, asks: 'DELETE' },
      { act: { type: 'profileArchived', profileId: 'P-1' }, asks: 'GET' },
    ] as const;
    const foreign = ['isBehindMissingPage', 'isBehindPlainText', 'talksNonsense'] as const;
    const own = ['missesWithoutWords', 'missesWithProblem', 'works'] as const;
    const inEach = <Manner>(manners: readonly Manner[]) =>
      removals.flatMap((removal) => manners.map((manner) => ({ ...removal, manner })));

    it.each(inEach(foreign))(
      'D-51 waits if another program answers that the record is missing: $act.type, $asks $manner',
      async ({ act, asks, manner }) => {
        central.plant.orders.set('D-1', { documentID: 'D-1' });
        central.plant.profiles.set('P-1', { profileId: 'P-1' });
        central.manner = (method) => (method === asks ? manner : 'works');
        queue.act(act);
        entityQueues.start();
        await vi.waitFor(() => expect(incidents).toHaveLength(1));
        expect(queue.rows).toHaveLength(1);
        expect(events.at(-1)).toEqual({ type: 'doubted' });
        central.behave();
        await drained();
        expect(queue.setAside).toEqual([]);
        expect(done()).toHaveLength(1);
      },
    );

    it.each(inEach(own))(
      'D-51 is done if the server itself answers that the record is missing: $act.type, $asks $manner',
      async ({ act, asks, manner }) => {
        if (asks === 'DELETE') central.plant.profiles.set('P-1', { profileId: 'P-1' });
        central.manner = (method) => (method === asks ? manner : 'works');
        queue.act(act);
        await drained();
        expect(queue.setAside).toEqual([]);
        expect(events.map(({ type }) => type)).not.toContain('doubted');
      },
    );
  });
});
