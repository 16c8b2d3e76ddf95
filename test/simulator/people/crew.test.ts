import { describe, expect, it, type TestContext, vi } from 'vitest';
import { type CrewOptions, startCrew } from '../../../src/simulator/people/crew.ts';
import { answeringServer, sendJson } from '../../cli/program-under-test.ts';

/** A crew goes round every three seconds, so the tests wait side by side. */
const WAIT = { timeout: 20_000, interval: 20 };

/** A crew beside a gateway that answers so, until the end of the test. */
async function crewAt(
  { onTestFinished }: TestContext,
  answer: Parameters<typeof answeringServer>[0],
  options: Pick<CrewOptions, 'random' | 'stopOf' | 'log'>,
) {
  const server = await answeringServer(answer);
  onTestFinished(server.close);
  const crew = startCrew({ httpUrl: server.url, key: 'k', ...options });
  onTestFinished(() => crew.stop());
  return server;
}

const MACHINES = [
  { machineId: 'RF-01', uncategorizedDowntimes: 0 },
  { machineId: 'RF-02', uncategorizedDowntimes: 1 },
];

describe.concurrent('the crew', () => {
  it('DEV-11 categorizes the stops of machines, after leaving other people time to do so', async (test) => {
    let aheadMs = 0;
    const startMs = performance.now();
    const now = vi.spyOn(performance, 'now').mockImplementation(() => startMs + aheadMs);
    test.onTestFinished(() => now.mockRestore());
    const { requests } = await crewAt(
      test,
      (path, response) => {
        if (path === '/api/local/machines') sendJson(response, MACHINES);
        else if (path.endsWith('/downtimes?uncategorized=true')) sendJson(response, [{ downtimeId: 'D-1' }]);
        else sendJson(response, {});
      },
      { random: () => 0.5, stopOf: () => 'coilChange', log: () => undefined },
    );
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

  it('reports an obstacle to its work, and goes on', async (test) => {
    const log: string[] = [];
    await crewAt(test, (_, response) => sendJson(response, { errors: ['no'] }, 500), {
      random: () => 0,
      stopOf: () => null,
      log: (line) => log.push(line),
    });
    await vi.waitFor(() => expect(log.length).toBeGreaterThan(1), WAIT);
    expect(log[0]).toContain('answered 500');
  });
});
