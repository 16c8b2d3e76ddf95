import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONNECTION_TIMES,
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  connectionStep,
  DISABLED,
  statusOf,
} from '../../../src/domain/sync/connection-states.ts';

const FAILED: ConnectionEvent = { type: 'failed', detail: 'ECONNREFUSED' };
const BATCH: ConnectionEvent = { type: 'offered', server: 'batch' };
const INTERFACE: ConnectionEvent = { type: 'offered', server: 'interface' };
const ACKNOWLEDGED: ConnectionEvent = { type: 'acknowledged' };
const NOTHING_WAITS: ConnectionEvent = { type: 'nothingWaits' };
const DOUBTED: ConnectionEvent = { type: 'doubted' };
const DUE: ConnectionEvent = { type: 'due' };

/** One line for each event with its time: the event, the new state, the effects. */
function logOf(events: readonly (readonly [atMs: number, event: ConnectionEvent])[], random = 1): readonly string[] {
  let state = DISABLED;
  return events.map(([atMs, event]) => {
    const step = connectionStep(state, event, atMs, random);
    state = step.state;
    const effects = step.effects.map((effect) => {
      if (effect.type === 'wait') return `wait ${effect.forMs}`;
      return effect.type === 'forward' ? `forward ${effect.server}` : effect.type;
    });
    return [`${event.type}: ${nameOf(state)}`, ...effects].join(', ');
  });
}

function nameOf(state: ConnectionState): string {
  return state.name === 'connecting' && state.server !== null ? 'connecting(trying)' : state.name;
}

function isTurn({ type }: ConnectionEffect): boolean {
  return type === 'forward' || type === 'pause';
}

describe('the connection to the central server', () => {
  it('UP-02 is tried, stands, is probed, breaks and comes back, as the drawing shows', () => {
    const { silenceMs, rediscoveryMs } = CONNECTION_TIMES;
    expect(
      logOf([
        [0, { type: 'started' }],
        [10, FAILED],
        [1_010, DUE],
        [1_020, FAILED],
        [3_020, DUE],
        [3_030, BATCH],
        [3_050, ACKNOWLEDGED],
        [10_000, ACKNOWLEDGED],
        [3_050 + silenceMs, DUE],
        [10_000 + silenceMs, DUE],
        [10_100 + silenceMs, DUE],
        [10_200 + silenceMs, BATCH],
        [20_000 + rediscoveryMs, ACKNOWLEDGED],
        [30_000 + rediscoveryMs, DUE],
        [30_001 + rediscoveryMs, INTERFACE],
        [30_002 + rediscoveryMs, ACKNOWLEDGED],
        [30_003 + rediscoveryMs, FAILED],
        [30_004 + rediscoveryMs, FAILED],
        [30_005 + rediscoveryMs, ACKNOWLEDGED],
        [30_006 + rediscoveryMs, { type: 'stopped' }],
        [30_007 + rediscoveryMs, DUE],
      ]),
    ).toEqual([
      'started: connecting, ask',
      'failed: backingOff, wait 1000',
      'due: connecting, ask',
      'failed: backingOff, wait 2000',
      'due: connecting, ask',
      'offered: connecting(trying), forward batch',
      'acknowledged: online, wait 15000',
      'acknowledged: online',
      'due: online, wait 6950',
      'due: online, ask',
      'due: online',
      'offered: online, wait 15000',
      'acknowledged: online',
      'due: online, ask',
      'offered: connecting(trying), pause, forward interface',
      'acknowledged: online, wait 15000',
      'failed: backingOff, pause, wait 1000',
      'failed: backingOff',
      'acknowledged: backingOff',
      'stopped: disabled, pause',
      'due: disabled',
    ]);
  });

  it.each([
    ['unauthorized', 'refused'],
    ['otherVersion', 'tooOld'],
    ['failed', 'backingOff'],
  ] as const)('UP-02 %s makes it %s, and it is tried again', (type, name) => {
    expect(
      logOf([
        [0, { type: 'started' }],
        [1, { type, detail: 'why' }],
        [1_001, DUE],
      ]),
    ).toEqual(['started: connecting, ask', `${type}: ${name}, wait 1000`, 'due: connecting, ask']);
  });

  it('UP-02, D-39 asks a server that answers but takes nothing less and less often, every 15 s at least', () => {
    const round = (atMs: number) =>
      [
        [atMs, BATCH],
        [atMs, FAILED],
        [atMs, DUE],
      ] as const;
    const log = logOf([[0, { type: 'started' }], ...Array.from({ length: 9 }, (_, place) => round(place)).flat()]);
    const waits = log.filter((line) => line.includes('wait')).map((line) => Number(line.split(' ').at(-1)));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000]);
  });

  it('UP-02 with an empty queue it is online, and probed after a long silence or when a flow asks for a recheck', () => {
    expect(
      logOf([
        [0, { type: 'started' }],
        [10, NOTHING_WAITS],
        [20, BATCH],
        [30, NOTHING_WAITS],
        [14_000, NOTHING_WAITS],
        [15_030, DUE],
        [15_040, BATCH],
        [15_050, DOUBTED],
        [15_060, DOUBTED],
        [15_070, FAILED],
        [15_080, NOTHING_WAITS],
        [15_090, DOUBTED],
      ]),
    ).toEqual([
      'started: connecting, ask',
      'nothingWaits: connecting',
      'offered: connecting(trying), forward batch',
      'nothingWaits: online, wait 15000',
      'nothingWaits: online',
      'due: online, ask',
      'offered: online, wait 15000',
      'doubted: online, ask',
      'doubted: online',
      'failed: backingOff, pause, wait 1000',
      'nothingWaits: backingOff',
      'doubted: backingOff',
    ]);
  });

  it('UP-02 starts and pauses by turns and waits within bounds, for any events', () => {
    const event = fc.constantFrom<ConnectionEvent>(
      FAILED,
      BATCH,
      INTERFACE,
      ACKNOWLEDGED,
      NOTHING_WAITS,
      DOUBTED,
      DUE,
      { type: 'started' },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (events, random) => {
        let state = DISABLED;
        const turns: string[] = [];
        const waits: number[] = [];
        for (const [place, next] of events.entries()) {
          const step = connectionStep(state, next, place, random);
          state = step.state;
          turns.push(...step.effects.filter(isTurn).map(({ type }) => type));
          waits.push(...step.effects.flatMap((effect) => (effect.type === 'wait' ? [effect.forMs] : [])));
        }
        const isForwarding = state.name === 'online' || (state.name === 'connecting' && state.server !== null);
        expect(turns).toEqual(turns.map((_, place) => (place % 2 === 0 ? 'forward' : 'pause')));
        expect(turns.length % 2 === 1).toBe(isForwarding);
        expect(waits.every((forMs) => forMs >= 500 && forMs <= CONNECTION_TIMES.longestRetryMs)).toBe(true);
      }),
    );
  });

  it.each([
    [{ name: 'disabled' }, 'disabled'],
    [{ name: 'connecting', failures: 0, server: null }, null],
    [{ name: 'online', server: 'batch', heardMs: 0, askedMs: 0, isAsking: false }, 'online'],
    [{ name: 'backingOff', failures: 1, detail: '' }, 'offline'],
    [{ name: 'tooOld', failures: 1, detail: '' }, 'offline'],
    [{ name: 'refused', failures: 1, detail: '' }, 'refused'],
  ] as const satisfies readonly (readonly [ConnectionState, string | null])[])(
    'UP-02 reports %j to people: %s',
    (state, status) => {
      expect(statusOf(state)).toBe(status);
    },
  );
});
