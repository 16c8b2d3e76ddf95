import { describe, expect, it } from 'vitest';
import type { ConnectionEvent } from '../../../src/domain/sync/connection-states.ts';
import { ConnectionFlow } from '../../../src/flows/forward/connection-flow.ts';

/** A connection flow with a clock that the test moves, and a server with the given answers. */
function stage(answers: (ConnectionEvent | Error)[]) {
  const log: string[] = [];
  let nowMs = 0;
  let due: { readonly atMs: number; readonly act: () => void } | null = null;
  const flow = new ConnectionFlow({
    discover: async () => {
      log.push(`${nowMs} asks`);
      const answer = answers.shift() ?? { type: 'failed', detail: 'ECONNREFUSED' };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    clock: { now: () => ({ monotonicMs: nowMs, wallMs: 1_000_000 + nowMs }) },
    random: () => 1,
    after: (delayMs, act) => {
      const own = { atMs: nowMs + delayMs, act };
      due = own;
      return () => {
        if (due === own) due = null;
      };
    },
    onForward: (server) => log.push(`${nowMs} forwards to ${server}`),
    onPause: () => log.push(`${nowMs} pauses`),
    onStatus: (status, detail) => log.push(`${nowMs} ${status}${detail === null ? '' : `: ${detail}`}`),
  });
  const pass = async (untilMs: number) => {
    await settled();
    while (due !== null && due.atMs <= untilMs) {
      const { atMs, act }: { atMs: number; act: () => void } = due;
      nowMs = atMs;
      due = null;
      act();
      await settled();
    }
    nowMs = untilMs;
  };
  return { flow, log, pass, isWaiting: () => due !== null };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('the connection, by its clock', () => {
  it('UP-02 counts a try that broke as a failed one, and tries again', async () => {
    const { flow, log, pass } = stage([new Error('a fault in the program'), { type: 'offered', server: 'batch' }]);
    flow.start();
    await pass(2_000);
    expect(log).toEqual(['0 asks', '0 offline: a fault in the program', '1000 asks', '1000 forwards to batch']);
  });

  it('UP-02 asks less and less often while the server is away, and says so once', async () => {
    const { flow, log, pass } = stage([]);
    flow.start();
    await pass(80_000);
    expect(log).toEqual([
      '0 asks',
      '0 offline: ECONNREFUSED',
      ...[1_000, 3_000, 7_000, 15_000, 30_000, 45_000, 60_000, 75_000].map((atMs) => `${atMs} asks`),
    ]);
    expect(flow.view()).toMatchObject({ status: 'offline', state: 'backingOff', lastContactAt: null });
  });

  it('UP-02 forwards once it knows the kind of server, is online at the first answer, and probes after a long pause', async () => {
    const { flow, log, pass } = stage([
      { type: 'offered', server: 'batch' },
      { type: 'offered', server: 'batch' },
      { type: 'failed', detail: 'no answer within 10000 ms' },
      { type: 'offered', server: 'interface' },
    ]);
    flow.start();
    await pass(100);
    flow.happened({ type: 'acknowledged' });
    await pass(31_000);
    flow.happened({ type: 'acknowledged' });
    await pass(32_000);
    expect(log).toEqual([
      '0 asks',
      '0 forwards to batch',
      '100 online',
      '15100 asks',
      '30100 asks',
      '30100 pauses',
      '30100 offline: no answer within 10000 ms',
      '31100 asks',
      '31100 forwards to interface',
    ]);
    expect(flow.view()).toMatchObject({ server: 'interface', lastAcknowledgedAt: 1_031_000, lastContactAt: 1_031_100 });
  });

  it('UP-02 without records to send is online as long as the server answers, and its last contact is the last answer', async () => {
    const { flow, log, pass } = stage([
      { type: 'offered', server: 'interface' },
      { type: 'offered', server: 'interface' },
    ]);
    flow.start();
    for (let atMs = 1_000; atMs <= 40_000; atMs += 1_000) {
      await pass(atMs);
      flow.happened({ type: 'nothingWaits' });
    }
    expect(log.slice(0, 5)).toEqual(['0 asks', '0 forwards to interface', '1000 online', '16000 asks', '31000 asks']);
    expect(log.slice(5, 7)).toEqual(['31000 pauses', '31000 offline: ECONNREFUSED']);
    expect(flow.view()).toMatchObject({ status: 'offline', lastContactAt: 1_016_000, lastAcknowledgedAt: null });
  });

  it.each([
    ['unauthorized', 'refused'],
    ['otherVersion', 'offline'],
  ] as const)('UP-02 to a server that answers %s is shown as %s', async (type, status) => {
    const { flow, log, pass } = stage([{ type, detail: 'why' }]);
    flow.start();
    await pass(500);
    expect(log).toEqual(['0 asks', `0 ${status}: why`]);
    expect(flow.view()).toMatchObject({ status, detail: 'why' });
  });

  it('UP-02 sends no request and sets no timer once it is stopped', async () => {
    const { flow, log, pass, isWaiting } = stage([{ type: 'offered', server: 'batch' }]);
    flow.start();
    await pass(10);
    flow.happened({ type: 'acknowledged' });
    flow.stop();
    expect(isWaiting()).toBe(false);
    expect(log.slice(-2)).toEqual(['10 pauses', '10 disabled']);
  });
});
