import { describe, expect, it } from 'vitest';
import { discoverServer } from '../../../src/flows/forward/discover-server.ts';
import type { CentralAnswer } from '../../../src/flows/forward/upstream-ports.ts';
import { MirrorFetch } from '../../../src/flows/mirror/mirror-fetch.ts';

function answered(status: number, text = '[]'): CentralAnswer {
  return { kind: 'answered', status, headers: {}, bytes: Buffer.from(text), extent: 'whole' };
}

describe('reads of the central server', () => {
  it.each<readonly [string, number, CentralAnswer, string | null]>([
    ['no answer came', 1, { kind: 'unanswered', detail: 'no answer within 10000 ms' }, 'no answer within 10000 ms'],
    ['nothing was sent', 1, { kind: 'unsent', detail: 'ECONNREFUSED' }, 'ECONNREFUSED'],
    ['the answer is 401', 1, answered(401), 'HTTP status 401'],
    ['the answer is 500', 0, answered(500), 'HTTP status 500'],
    ['the answer is complete', 0, answered(200), null],
  ])('UP-02 UP-07 if %s, doubt the connection %i times', async (_, times, answer, fault) => {
    let doubts = 0;
    const fetch = new MirrorFetch({ ask: async () => answer }, () => {
      doubts += 1;
    });
    const fetched = fetch.get('/api/v1/coils');
    if (fault === null) expect(await fetched).toMatchObject({ kind: 'bytes' });
    else await expect(fetched).rejects.toMatchObject({ name: 'MirrorFault', message: `GET /api/v1/coils: ${fault}` });
    expect(doubts).toBe(times);
  });

  it.each([
    [256, true, 'again'],
    [257, true, undefined],
    [256, false, undefined],
  ])('UP-07 send an ETag of %i characters again, taken: %s', async (length, isTaken, sent) => {
    const asked: unknown[] = [];
    const etag = 'again'.padEnd(length, 'x');
    const ask = async ({ headers }: { readonly headers?: Readonly<Record<string, string>> }) => {
      asked.push(headers?.['if-none-match']?.slice(0, 5));
      return { ...answered(200), headers: { etag } } as const;
    };
    const fetch = new MirrorFetch({ ask }, () => undefined);
    const fetched = await fetch.get('/api/v1/coils');
    if (isTaken && fetched.kind === 'bytes') fetched.noteTaken();
    await fetch.get('/api/v1/coils');
    expect(asked).toEqual([undefined, sent]);
  });

  it('UP-02 do not take a program that answers with a web page for a central server', async () => {
    const answers = [answered(404), answered(200, ' <!DOCTYPE html><title>Log in</title>')];
    const server = { ask: async () => answers.shift() ?? answered(500), close: async () => undefined };
    expect(await discoverServer(server)).toEqual({
      type: 'failed',
      detail: 'GET /api/v1/warehouseTasks?take=1: the address answers with an HTML page, not with the API',
    });
  });
});
