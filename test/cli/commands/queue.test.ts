import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { sendJson, useCliBeside } from '../program-under-test.ts';

const SET_ASIDE = {
  id: '7',
  what: 'inProcess of task T-1',
  reason: 'HTTP 400: taskState: found Complete',
  at: '2026-01-01T10:00:00.000Z',
  entity: 'task:T-1',
  userName: 'Pat',
};
/** Two pages, by id; the last entry was retried before and refused again, so its operation is the oldest. */
const PAGES: Readonly<Record<string, readonly object[]>> = {
  0: [
    { id: '1', doneAt: '2026-01-01T08:01:00.000Z' },
    { id: '7', doneAt: '2026-01-01T08:02:00.000Z' },
  ],
  7: [{ id: '9', doneAt: '2026-01-01T08:00:00.000Z' }],
};
const SYNC = {
  upstream: { state: 'offline', detail: 'connect ECONNREFUSED', lastContactAt: null },
  queue: { depth: 3, oldestAt: '2026-01-01T09:00:00.000Z', bytes: 900, thinned: 0, held: { depth: 12, bytes: 300 } },
  setAside: [SET_ASIDE],
};

const { cli, requests } = useCliBeside(answer);

function answer(path: string, response: ServerResponse): void {
  if (path === '/api/local/sync') sendJson(response, SYNC);
  else if (path.includes('/queue?after=0&')) sendJson(response, [{ seq: 4 }, { seq: 9 }]);
  else if (path.includes('/queue?')) sendJson(response, []);
  else if (path.includes('/setAside?')) sendJson(response, PAGES[/after=(\d+)/.exec(path)?.[1] ?? ''] ?? []);
  else if (/setAside.[79]/.test(path)) response.writeHead(204).end();
  else sendJson(response, { errors: ['there is none'] }, 404);
}

function asked(): readonly string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

describe('plantgate queue', () => {
  it('UP-05 UP-06 D-26 list shows the number of waiting records, the reason, and the dead letters', async () => {
    const { exitCode, out } = await cli.run('queue', 'list');
    expect(exitCode).toBe(0);
    expect(out).toEqual([
      'Upstream  offline: connect ECONNREFUSED',
      'Queue     3 waiting, 900 bytes, oldest 2026-01-01T09:00:00.000Z',
      'Held      12, for a central server that takes batches',
      '',
      'Set aside:',
      'ID  AT                        BY   WHAT                   REASON',
      '7   2026-01-01T10:00:00.000Z  Pat  inProcess of task T-1  HTTP 400: taskState: found Complete',
    ]);
    const asJson = await cli.run('queue', 'list', '--json');
    expect(JSON.parse(asJson.out.join('\n'))).toEqual(SYNC);
  });

  it('UP-02 UP-05 retry sends one dead letter again, or all of them in their original order', async () => {
    expect(await cli.run('queue', 'retry', '7')).toMatchObject({ exitCode: 0 });
    const once = 'POST /api/local/sync/setAside/7/retry';
    expect(asked()).toEqual([once]);
    const all = await cli.run('queue', 'retry', '--all');
    // Another client discarded entry 1 meanwhile.
    expect(all).toMatchObject({ exitCode: 0, err: [] });
    expect(asked().filter((request) => request.startsWith('POST'))).toEqual([
      once,
      ...['9', '1', '7'].map((id) => `POST /api/local/sync/setAside/${id}/retry`),
    ]);
    expect((await cli.run('queue', 'retry', '8')).exitCode).toBe(64);
    expect((await cli.run('queue', 'retry')).exitCode).toBe(64);
    expect((await cli.run('queue', 'retry', '7', '--all')).exitCode).toBe(64);
  });

  it('UP-05 discard gives a dead letter up, and reports an unknown id', async () => {
    expect(await cli.run('queue', 'discard', '7')).toMatchObject({ exitCode: 0, out: ['7 is given up.'] });
    expect(asked()).toEqual(['DELETE /api/local/sync/setAside/7']);
    const unknown = await cli.run('queue', 'discard', '8');
    expect([unknown.exitCode, unknown.err.join()]).toEqual([
      64,
      expect.stringContaining('Nothing is set aside as "8"'),
    ]);
  });

  it('UP-01 export prints all waiting records, one a line', async () => {
    expect(await cli.run('queue', 'export')).toMatchObject({ exitCode: 0, out: ['{"seq":4}', '{"seq":9}'] });
  });
});
