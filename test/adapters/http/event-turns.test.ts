import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { EventStreams } from '../../../src/adapters/http/events/event-streams.ts';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { WHOLE_SIGHT } from '../../../src/domain/plant/sight.ts';
import type { LiveChange } from '../../../src/flows/local-api/local-api-ports.ts';
import { machineView } from '../../../src/flows/local-api/machine-view.ts';
import { FloorUnderTest, machine, NO_STORED_STATE } from '../../flows/floor-under-test.ts';

const LISTENERS = 20;
const MACHINES = 80;
const ID = 'RF-1';

/** A page to which each write takes a slice of the loop's time. */
class SlowPage extends ServerResponse {
  readonly #onWrite: (bytes: Buffer) => void;

  constructor(onWrite: (bytes: Buffer) => void) {
    super(new IncomingMessage(new Socket()));
    this.#onWrite = onWrite;
  }

  override write(chunk: unknown): boolean {
    const untilMs = performance.now() + LIMITS.eventSliceMs;
    while (performance.now() < untilMs);
    if (Buffer.isBuffer(chunk)) this.#onWrite(chunk);
    return true;
  }
}

const SHIFT = { shiftDate: '2026-03-02', shiftName: 'Day', startMs: 0, endMs: 43_200_000 };
const floor = new FloorUnderTest([machine(ID)], NO_STORED_STATE, 'id', undefined, () => SHIFT);

/** Event streams with pages that follow them, and a function that sends them a change. */
function streamsOf(pages: readonly SlowPage[], seesAll = true) {
  let tell: (change: LiveChange) => void = () => undefined;
  const streams = new EventStreams({
    api: {
      machine: () => machineView(floor.live(ID), { part: () => undefined }),
      messageCount: () => 0,
      newMessages: () => ({ total: 0, messages: [] }),
    },
    liveChanges: {
      watch: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) },
    incidents: { report: () => undefined },
  });
  const listener = {
    mayListen: () => true,
    owner: 'one',
    seesAll,
    sight: WHOLE_SIGHT,
    follows: [],
    fields: 'whole' as const,
  };
  for (const page of pages) streams.open(page, undefined, listener);
  return {
    streams,
    change: (key: string, record: object = { taskId: key }) => tell({ event: 'task', key, record }),
    changeMachine: (machineId: string) => tell({ event: 'machine', machineId, urgent: false }),
  };
}

it('an event is encoded once for all pages, and machines get turns while it is written', async () => {
  const written: { readonly bytes: Buffer; readonly turn: number }[] = [];
  let turn = 0;
  const pages = Array.from({ length: LISTENERS }, () => new SlowPage((bytes) => written.push({ bytes, turn })));
  const { streams, change } = streamsOf(pages);
  const count = () => {
    turn++;
    if (written.length < LISTENERS) setImmediate(count);
  };
  count();
  change('T-1');
  await expect.poll(() => written.length).toBe(LISTENERS);
  expect(new Set(written.map(({ bytes }) => bytes)).size).toBe(1);
  expect(new Set(written.map((one) => one.turn)).size).toBe(LISTENERS);
  streams.close();
});

it('changes that no page may see leave machines their turns', async () => {
  let turn = 0;
  const turns: number[] = [];
  const { streams, change } = streamsOf([new SlowPage(() => expect.unreachable('the page may not see it'))], false);
  const count = () => {
    turn++;
    if (turns.length < MACHINES) setImmediate(count);
  };
  count();
  const slowRecord = {
    toJSON: () => {
      const untilMs = performance.now() + LIMITS.eventSliceMs;
      while (performance.now() < untilMs);
      turns.push(turn);
      return {};
    },
  };
  for (let number = 0; number < MACHINES; number++) change(`T-${number}`, slowRecord);
  await expect.poll(() => turns.length).toBe(MACHINES);
  expect(new Set(turns).size).toBe(MACHINES);
  streams.close();
});

it('machines that changed together are written to a page together, up to a length', async () => {
  const written: string[] = [];
  const { streams, changeMachine } = streamsOf([new SlowPage((bytes) => written.push(bytes.toString()))]);
  for (let number = 0; number < MACHINES; number++) changeMachine(`M-${number}`);
  await expect.poll(() => written.join('').match(/^event: machine$/gm)).toHaveLength(MACHINES);
  const longest = Math.max(...written.map(({ length }) => length));
  expect(written.length).toBeLessThan(MACHINES / 10);
  expect(longest).toBeLessThan(LIMITS.eventsAtOnceCharacters * 2);
  streams.close();
});

it('a page that is ended while others are written to takes no more, and nothing fails', async () => {
  const written: number[] = [];
  const pages = Array.from(
    { length: LISTENERS },
    (_, place) =>
      new SlowPage(() => {
        written.push(place);
        if (place === 2) setImmediate(() => streams.close());
      }),
  );
  const { streams, change } = streamsOf(pages);
  change('T-1');
  await expect.poll(() => written).toContain(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(written.length).toBeLessThan(6);
});
