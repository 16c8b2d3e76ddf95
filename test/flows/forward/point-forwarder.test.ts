import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionEvent } from '../../../src/domain/sync/connection-states.ts';
import { PointForwarder } from '../../../src/flows/forward/point-forwarder.ts';
import type { CentralAnswer, CentralRequest } from '../../../src/flows/forward/upstream-ports.ts';
import { QueueInMemory } from '../lanes-under-test.ts';

let queue: QueueInMemory;
let posted: string[];
let statuses: (number | 'cutOff')[];
let events: ConnectionEvent[];
let points: PointForwarder;
/** Posts that the server took. */
let sent: number;
let shiftDate: string;

beforeEach(() => {
  queue = new QueueInMemory();
  posted = [];
  statuses = [];
  events = [];
  sent = 0;
  shiftDate = '1970-01-01';
  points = new PointForwarder({
    store: queue,
    server: { ask, close: async () => undefined },
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: 0 }) },
    after: (_, act) => {
      const timer = setTimeout(act, 5);
      return () => clearTimeout(timer);
    },
    incidents: { report: () => undefined },
    shiftDateAt: () => shiftDate,
    onConnection: (event) => {
      events.push(event);
      if (event.type === 'failed') points.pause();
    },
    onSent: (records) => {
      sent += records;
    },
  });
  queue.pages = [
    {
      posts: [
        { row: 1, machineId: 'RF-01', at: 0, values: { lineSpeed: 1 } },
        { row: 2, machineId: 'RF-02', at: 0, values: { lineSpeed: 2, motorTemp: 40 } },
        { row: 3, machineId: 'RF-01', at: 1_000, values: { lineSpeed: 3 } },
      ],
      rows: [1, 2, 3],
      olderRows: [7],
    },
  ];
});

afterEach(async () => {
  points.pause();
  await points.settled();
});

async function ask({ path, body }: CentralRequest): Promise<CentralAnswer> {
  const status = statuses.shift() ?? 200;
  if (status === 'cutOff')
    return { kind: 'answered', status: 200, headers: {}, bytes: Buffer.alloc(0), extent: 'cutOff' };
  if (status === 0) return { kind: 'unanswered', detail: 'other side closed' };
  if (status === 200) posted.push(`${path} ${body}`);
  return { kind: 'answered', status, headers: {}, bytes: Buffer.from(''), extent: 'whole' };
}

describe('variables to a server with the interface alone', () => {
  it('D-26 are sent with their time for the present shift date, in order for each machine; older ones are held', async () => {
    points.start();
    await vi.waitFor(() => expect(queue.pointsSent).toEqual([1, 2, 3]));
    expect(queue.pointsHeld).toEqual([7]);
    expect(posted.filter((post) => post.includes('RF-01'))).toEqual([
      '/api/device/vars {"lineSpeed":1,"machineId":"RF-01","timestamp":"1970-01-01T00:00:00.000Z"}',
      '/api/device/vars {"lineSpeed":3,"machineId":"RF-01","timestamp":"1970-01-01T00:00:01.000Z"}',
    ]);
    expect(posted).toHaveLength(3);
    expect(sent).toBe(3);
  });

  it('UP-02 are posted only as far as they remain after a lost answer', async () => {
    statuses = [200, 200, 0];
    points.start();
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('failed'));
    expect(queue.pointsSent).toEqual([]);
    points.start();
    await vi.waitFor(() => expect(queue.pointsSent).toEqual([1, 2, 3]));
    expect(new Set(posted).size).toBe(3);
    expect(posted).toHaveLength(3);
  });

  it('D-26 are held if the shift date changes before a lost answer is asked for again', async () => {
    statuses = [200, 0, 0];
    points.start();
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('failed'));
    await points.settled();
    const before = posted.length;
    shiftDate = '1970-01-02';
    points.start();
    await vi.waitFor(() => expect(queue.pointsHeld.toSorted()).toEqual([2, 3, 7]));
    expect(posted).toHaveLength(before);
    expect(queue.pointsSent).toEqual([1]);
  });

  it('UP-02 are posted again if their confirmation breaks off', async () => {
    statuses = ['cutOff'];
    points.start();
    await vi.waitFor(() => expect(events[0]).toMatchObject({ detail: expect.stringContaining('was cut off') }));
    expect(queue.pointsSent).toEqual([]);
    points.start();
    await vi.waitFor(() => expect(queue.pointsSent).toEqual([1, 2, 3]));
    expect(posted).toHaveLength(3);
  });

  it.each([
    [400, false],
    [403, true],
  ])(
    'UP-05 are held if they are refused with %i, and the next ones go; we check our key: %s',
    async (status, doubts) => {
      statuses = [status];
      points.start();
      await vi.waitFor(() => expect(queue.pointsHeld).toEqual([1, 7]));
      expect(queue.pointsSent).toEqual([2, 3]);
      expect(posted).toHaveLength(2);
      expect(sent).toBe(2);
      expect(events.some(({ type }) => type === 'doubted')).toBe(doubts);
    },
  );
});
