import { describe, expect, it } from 'vitest';
import { discoverServer } from '../../src/flows/discover-server.ts';
import { MirrorFetch } from '../../src/flows/mirror-fetch.ts';
import type { CentralAnswer } from '../../src/flows/upstream-ports.ts';

function answered(status: number, text = '[]'): CentralAnswer {
  return { kind: 'answered', status, headers: {}, bytes: Buffer.from(text), extent: 'whole' };
}

describe('reads of the central server', () => {
  it.each<readonly [string, CentralAnswer, number]>([
    ['none came', { kind: 'unanswered', detail: 'no answer within 10000 ms' }, 1],
    ['nothing was sent', { kind: 'unsent', detail: 'ECONNREFUSED' }, 1],
    ['it is 401', answered(401), 1],
    ['it is 500', answered(500), 0],
    ['it is whole', answered(200), 0],
  ])('UP-02 UP-07 where %s the connection is doubted %i times', async (_, answer, times) => {
    let doubts = 0;
    const fetch = new MirrorFetch({ ask: async () => answer }, () => {
      doubts += 1;
    });
    await fetch.get('/api/v1/coils').catch(() => undefined);
    expect(doubts).toBe(times);
  });

  it('UP-02 a page for people does not make a server of whoever shows it', async () => {
    const answers = [answered(404), answered(200, ' <!DOCTYPE html><title>Log in</title>')];
    const server = { ask: async () => answers.shift() ?? answered(500), close: async () => undefined };
    expect(await discoverServer(server)).toEqual({
      type: 'failed',
      detail: 'GET /api/v1/warehouseTasks?take=1: a page for people, not the answer of a central server',
    });
  });
});
