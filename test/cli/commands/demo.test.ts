import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeLocalAccess } from '../../../src/adapters/system/local-access.ts';
import { type DemoConfig, type DemoGateway, runDemo } from '../../../src/cli/commands/demo/demo.ts';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import { simulatedMachines } from '../../../src/simulator/machine/rolling-line.ts';
import { openRecordingBroker, type RecordingBroker } from '../../simulator/recording-broker.ts';
import { type AnsweringServer, answeringServer, fakeIo, sendJson } from '../program-under-test.ts';

const WAIT = { timeout: 8_000, interval: 20 };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A fake gateway of a broker and an HTTP server, which notes its configuration. */
function fakeGateway() {
  const seen: {
    config?: DemoConfig;
    plantText?: string;
    broker?: RecordingBroker;
    http?: AnsweringServer;
    closed: boolean;
  } = { closed: false };
  const start = async (config: DemoConfig, plantText: string): Promise<DemoGateway> => {
    const broker = await openRecordingBroker(simulatedMachines(2));
    const http = await answeringServer((path, response) =>
      sendJson(response, path.startsWith('/api/local') ? [] : { runEnabled: true, attentionNeeded: false }),
    );
    await writeLocalAccess(config.dataDir, { url: http.url, key: 'demo-key' });
    Object.assign(seen, { config, plantText, broker, http });
    return {
      httpUrl: http.url,
      mqttUrl: broker.url,
      dataDir: config.dataDir,
      close: async () => {
        seen.closed = true;
        await broker.broker.close();
        await http.close();
      },
    };
  };
  return { seen, start };
}

async function taken(port = 0): Promise<number | null> {
  const server: Server = createServer();
  const bound = await new Promise<number | null>((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '0.0.0.0', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });
  if (bound !== null) closing.push(() => new Promise((resolve) => server.close(resolve)));
  return bound;
}

describe('plantgate demo', () => {
  it('is a gateway with a sample plant and simulated machines, and leaves nothing behind', async () => {
    const { seen, start } = fakeGateway();
    const io = fakeIo();
    const ended = runDemo({ machines: '2', port: '0', mqttPort: '0' }, io, start);
    await vi.waitFor(
      () => expect(new Set(seen.broker?.heard.map(({ machineId }) => machineId))).toEqual(new Set(['RF-01', 'RF-02'])),
      WAIT,
    );
    await vi.waitFor(
      () =>
        expect(seen.http?.requests.find(({ path }) => path === '/api/local/machines')?.authorization).toBe(
          'ApiKey demo-key',
        ),
      WAIT,
    );
    expect(seen.config).toMatchObject({ http: { port: 0 }, mqtt: { port: 0 }, legacyAgent: { kind: 'simulated' } });
    expect(readPlantFile(seen.plantText ?? '', 'plant.yaml').ok).toBe(true);
    const dataDir = seen.config?.dataDir ?? '';
    expect(existsSync(dataDir)).toBe(true);
    const told = io.out.join('\n');
    for (const part of [
      seen.http?.url ?? '?',
      seen.broker?.url ?? '?',
      `mosquitto_sub -p ${seen.broker?.port} -t '#' -v`,
      'ApiKey demo-key',
    ]) {
      expect(told).toContain(part);
    }
    io.end();
    expect(await ended).toBe(0);
    expect(seen.closed).toBe(true);
    expect(existsSync(dataDir)).toBe(false);
    expect(seen.broker?.heard.filter(({ topic, text }) => topic === 'online' && text === 'false')).toHaveLength(2);
  });

  it('removes its data when the gateway cannot be started', async () => {
    let dataDir = '';
    const start = (config: DemoConfig): Promise<DemoGateway> => {
      dataDir = config.dataDir;
      return Promise.reject(new Error('cannot start'));
    };
    await expect(runDemo({ port: '0', mqttPort: '0' }, fakeIo(), start)).rejects.toThrow('cannot start');
    expect(dataDir).not.toBe('');
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each(['port', 'mqttPort'] as const)('ends with 73 if the requested %s is taken', async (option) => {
    const { start } = fakeGateway();
    const port = await taken();
    const io = fakeIo();
    expect(await runDemo({ port: '0', mqttPort: '0', [option]: String(port) }, io, start)).toBe(73);
    expect(io.err.join()).toMatch(new RegExp(`${port} cannot be had: another program has it`));
  });

  it('takes a free port if the default is taken, and says so', async () => {
    await taken(1_883);
    const { seen, start } = fakeGateway();
    const io = fakeIo();
    const ended = runDemo({ machines: '1', port: '0' }, io, start);
    await vi.waitFor(() => expect(seen.config?.mqtt.port).toBe(0), WAIT);
    expect(io.out.join('\n')).toContain('port 1883 cannot be had (another program has it), a free one is taken');
    io.end();
    expect(await ended).toBe(0);
  });

  it.each([{ machines: '0' }, { port: '65536' }, { mqttPort: 'x' }])('ends with 64 for %j', async (options) => {
    const io = fakeIo();
    expect(await runDemo(options, io, fakeGateway().start)).toBe(64);
    expect(io.err).toHaveLength(1);
  });
});
