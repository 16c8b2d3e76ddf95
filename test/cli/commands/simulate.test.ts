import { afterEach, describe, expect, it, vi } from 'vitest';
import { runSimulate } from '../../../src/cli/commands/demo/simulate.ts';
import {
  PROGRESS_INTERVAL_MS,
  progressLine,
  tellProgress,
} from '../../../src/cli/commands/demo/simulation-progress.ts';
import { numberOption } from '../../../src/cli/number-option.ts';
import { simulatedMachines } from '../../../src/simulator/machine/rolling-line.ts';
import { openRecordingBroker, type RecordingBroker } from '../../simulator/recording-broker.ts';
import { type AnsweringServer, answeringServer, fakeIo, sendJson } from '../program-under-test.ts';

const URLS = { url: 'http://127.0.0.1:1', mqtt: 'mqtt://127.0.0.1:1' };
const WAIT = { timeout: 8_000, interval: 20 };

let broker: RecordingBroker | null = null;
let server: AnsweringServer | null = null;
afterEach(async () => {
  vi.useRealTimers();
  await broker?.broker.close();
  await server?.close();
  broker = null;
  server = null;
});

describe('plantgate simulate', () => {
  it.each([
    ['--url', {}, 2],
    ['--mqtt', { url: URLS.url }, 1],
    ['--url', { ...URLS, url: 'ftp://x' }, 1],
    ['--mqtt', { ...URLS, mqtt: '127.0.0.1:1883' }, 1],
    ['--machines', { ...URLS, machines: '0' }, 1],
    ['--machines', { ...URLS, machines: '2.5' }, 1],
    ['--machines', { ...URLS, machines: 'six' }, 1],
    ['--rate', { ...URLS, rate: '1000' }, 1],
    ['--rate', { ...URLS, rate: '-1' }, 1],
  ])('ends with 64 and names %s when it is wrong: %j', async (name, options, complaints) => {
    const io = fakeIo();
    expect(await runSimulate(options, io)).toBe(64);
    expect(io.err).toHaveLength(complaints);
    expect(io.err[0]).toMatch(new RegExp(`^${name}: found .*, expected `));
  });

  it('MQTT-06 runs its machines against a gateway, and lets them say goodbye at the signal (0)', async () => {
    broker = await openRecordingBroker(simulatedMachines(3));
    server = await answeringServer((_, response) =>
      sendJson(response, { machineId: 'RF-03', runEnabled: true, attentionNeeded: false, message: null }),
    );
    const io = fakeIo();
    const ended = runSimulate({ url: server.url, mqtt: broker.url, machines: '3', rate: '10' }, io);
    const { heard } = broker;
    await vi.waitFor(() => {
      expect(heard.some(({ machineId, topic }) => machineId === 'RF-01' && topic === 'status')).toBe(true);
      expect(heard.some(({ machineId, topic }) => machineId === 'RF-02' && topic === 'status/running')).toBe(true);
      expect(server?.requests.some(({ path }) => path === '/api/device/status')).toBe(true);
    }, WAIT);
    io.end();
    expect(await ended).toBe(0);
    for (const machineId of ['RF-01', 'RF-02']) {
      expect(heard.findLast((said) => said.machineId === machineId)).toEqual({
        machineId,
        topic: 'online',
        text: 'false',
      });
    }
    expect(heard.some(({ topic }) => topic === 'lwt')).toBe(false);
  });

  it('keeps trying without a gateway, says so, and still ends with 0', async () => {
    const gone = await answeringServer(() => undefined);
    await gone.close();
    const io = fakeIo();
    const ended = runSimulate({ url: gone.url, mqtt: `mqtt://127.0.0.1:${gone.port}`, machines: '3' }, io);
    await vi.waitFor(
      () => expect(io.out.filter((line) => line.includes('ECONNREFUSED')).length).toBeGreaterThanOrEqual(3),
      WAIT,
    );
    io.end();
    expect(await ended).toBe(0);
  });
});

describe('the progress of a simulation', () => {
  const counts = { machines: 6, linked: 6, running: 4, statuses: 100, commands: 90 };

  it('is printed every few seconds until the signal', async () => {
    vi.useFakeTimers();
    const io = fakeIo();
    const told = tellProgress({ counts: () => counts }, io);
    vi.advanceTimersByTime(PROGRESS_INTERVAL_MS * 2);
    expect(io.out).toHaveLength(2);
    io.end();
    await told;
    vi.advanceTimersByTime(PROGRESS_INTERVAL_MS);
    expect(io.out).toHaveLength(2);
  });

  it.each([
    [
      { ...counts, statuses: 150, commands: 140 },
      '6 of 6 machines linked, 4 running, 10.0 statuses/s, 10.0 commands/s',
    ],
    [
      { ...counts, linked: 0 },
      '0 of 6 machines linked, 4 running, 0.0 statuses/s, 0.0 commands/s; the gateway cannot be reached, trying again',
    ],
  ])('prints %j as a line', (now, line) => {
    expect(progressLine(counts, now)).toBe(line);
  });
});

describe('the number of an option', () => {
  it.each([
    [undefined, { ok: true, value: 6 }],
    ['1', { ok: true, value: 1 }],
    ['0', { ok: false }],
    ['11', { ok: false }],
    ['1e1', { ok: false }],
    ['', { ok: false }],
    [' 1', { ok: false }],
  ])('%j is read as %j', (text, expected) => {
    expect(numberOption(text, { name: '--n', min: 1, max: 10, kind: 'whole' }, 6)).toMatchObject(expected);
  });
});
