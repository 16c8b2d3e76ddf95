import { afterEach, describe, expect, it, vi } from 'vitest';
import { startCrew } from '../../../src/simulator/people/crew.ts';
import { type AnsweringServer, answeringServer, sendJson } from '../../cli/answering-server.ts';

const WAIT = { timeout: 12_000, interval: 20 };

let server: AnsweringServer | null = null;
let crew: { stop(): void } | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  crew?.stop();
  await server?.close();
});

const MACHINES = [
  { machineId: 'RF-01', uncategorizedDowntimes: 0 },
  { machineId: 'RF-02', uncategorizedDowntimes: 1 },
];

describe('the crew', () => {
  it('DEV-11 categorizes the stops of machines, after leaving other people time to do so', async () => {
    server = await answeringServer((path, response) => {
      if (path === '/api/local/machines') sendJson(response, MACHINES);
      else if (path.endsWith('/downtimes?uncategorized=true')) sendJson(response, [{ downtimeId: 'D-1' }]);
      else sendJson(response, {});
    });
    let aheadMs = 0;
    const startMs = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => startMs + aheadMs);
    crew = startCrew({
      httpUrl: server.url,
      key: 'k',
      random: () => 0.5,
      stopOf: () => 'coilChange',
      log: () => undefined,
    });
    const { requests } = server;
    const rounds = () => requests.filter(({ path }) => path === '/api/local/machines').length;
    await vi.waitFor(() => expect(rounds()).toBe(2), WAIT);
    const puts = () => requests.filter(({ method }) => method === 'PUT');
    expect(puts()).toEqual([]);
    aheadMs = 60_000;
    await vi.waitFor(
      () => expect(puts().map(({ body }) => JSON.parse(body))).toEqual([{ reasonId: 'DT-01', userName: 'crew' }]),
      WAIT,
    );
    expect(puts().map(({ path }) => path)).toEqual(['/api/local/downtimes/D-1/category']);
    expect(requests.every(({ authorization }) => authorization === 'ApiKey k')).toBe(true);
    expect(requests.some(({ path }) => path.includes('RF-01'))).toBe(false);
  });

  it('reports an obstacle to its work, and goes on', async () => {
    const log: string[] = [];
    server = await answeringServer((_, response) => sendJson(response, { errors: ['no'] }, 500));
    crew = startCrew({
      httpUrl: server.url,
      key: 'k',
      random: () => 0,
      stopOf: () => null,
      log: (line) => log.push(line),
    });
    await vi.waitFor(() => expect(log.length).toBeGreaterThan(1), WAIT);
    expect(log[0]).toContain('answered 500');
  });
});
