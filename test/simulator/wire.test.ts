import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'mqtt';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { parseStatus } from '../../src/domain/machine/status/status.ts';
import { fieldIndex, pickFields } from '../../src/domain/machine/status/status-fields.ts';
import type { SimulatedMachine } from '../../src/simulator/machine/machine-design.ts';
import { simulatedMachines } from '../../src/simulator/machine/rolling-line.ts';
import { type Simulation, startSimulation } from '../../src/simulator/simulation.ts';
import { ALLOW, HOLD, idOf, openRecordingBroker, type RecordingBroker } from './recording-broker.ts';

/** Most tests wait for a machine’s work, so they wait side by side. */
const WAIT = { timeout: 20_000, interval: 20 };
const [PANEL, TRIM, PURLIN, RIDGE, SOFFIT, GUTTER] = simulatedMachines(6, { timeScale: 100 });

const TRIM_ID = idOf('RF-02');

/** A broker until the end of the test. */
async function broker(test: TestContext, machines: readonly SimulatedMachine[], port = 0): Promise<RecordingBroker> {
  const opened = await openRecordingBroker(machines, port);
  test.onTestFinished(() => opened.broker.close());
  return opened;
}

function simulate(
  test: TestContext,
  machines: readonly SimulatedMachine[],
  urls: { mqttUrl?: string; httpUrl?: string },
  log: (line: string) => void = () => undefined,
): Simulation {
  const { mqttUrl = 'mqtt://127.0.0.1:1', httpUrl = 'http://127.0.0.1:1' } = urls;
  const simulation = startSimulation({ mqttUrl, httpUrl, machines, log });
  test.onTestFinished(() => simulation.stop());
  return simulation;
}

function given(
  machine: SimulatedMachine | undefined,
  changes: Partial<SimulatedMachine['pace']> = {},
): SimulatedMachine {
  if (machine === undefined) throw new Error('no such machine');
  return {
    ...machine,
    ratedSpeedFtPerMinute: 3_000,
    coilLengthFt: [9_000, 9_000],
    pace: { ...machine.pace, ...changes },
  };
}

const NOTHING_ELSE = {
  breakEveryMs: 1e12,
  faultEveryMs: null,
  silentEveryMs: null,
  rebootEveryMs: null,
  patienceMs: 1e9,
};

function jsonOf(text: string | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(text ?? '{}') as Record<string, unknown>;
}

describe.concurrent('a machine with JSON over MQTT', () => {
  it('MQTT-01 sends whole statuses, obeys the command, and does not run without it', async (test) => {
    const machine = given(PANEL, { ...NOTHING_ELSE, setUpMs: [100, 100], coilChangeMs: [100, 100] });
    const server = await broker(test, [machine]);
    server.decision = HOLD;
    const simulation = simulate(test, [machine], { mqttUrl: server.url });
    await vi.waitFor(
      () => expect(server.heard.filter(({ topic }) => topic === 'status').length).toBeGreaterThan(2),
      WAIT,
    );
    expect(simulation.state('RF-01')).toMatchObject({ running: false, stop: null, allowed: false });
    server.decision = ALLOW;
    await vi.waitFor(() => expect(simulation.state('RF-01')?.counters.cycle).toBeGreaterThan(0), WAIT);
    const told = server.heard.findLast(({ topic }) => topic === 'status');
    expect(parseStatus(jsonOf(told?.text))).toMatchObject({ ok: true, status: { machineId: 'RF-01', running: true } });
    server.decision = HOLD;
    await vi.waitFor(() => expect(simulation.state('RF-01')?.running).toBe(false), WAIT);
    expect(server.troubles).toEqual([]);
  });

  it('VAR-02 sends its variables as one JSON object', async (test) => {
    const machine = given(PANEL, NOTHING_ELSE);
    const server = await broker(test, [machine]);
    simulate(test, [machine], { mqttUrl: server.url });
    await vi.waitFor(() => expect(server.heard.some(({ topic }) => topic === 'vars')).toBe(true), WAIT);
    const variables = jsonOf(server.heard.find(({ topic }) => topic === 'vars')?.text);
    expect(Object.keys(variables)).toEqual(['lineSpeed', 'motorTemp', 'hydraulicPressure']);
  });

  it('MQTT-06 MQTT-10 publishes online when it comes, says goodbye when it ends, and has a persistent session', async (test) => {
    const machine = given(PANEL, NOTHING_ELSE);
    const server = await broker(test, [machine]);
    const simulation = simulate(test, [machine], { mqttUrl: server.url });
    await vi.waitFor(
      () => expect(server.heard).toContainEqual({ machineId: 'RF-01', topic: 'online', text: 'true' }),
      WAIT,
    );
    await simulation.stop();
    await vi.waitFor(
      () => expect(server.heard.at(-1)).toEqual({ machineId: 'RF-01', topic: 'online', text: 'false' }),
      WAIT,
    );
    expect(server.heard.some(({ topic }) => topic === 'lwt')).toBe(false);
    const sessionPresent = await new Promise<boolean>((resolve, reject) => {
      const client = connect(server.url, { clientId: 'RF-01', clean: false, protocolVersion: 4 });
      client.on('connect', (acknowledgement) => client.end(false, () => resolve(acknowledgement.sessionPresent)));
      client.on('error', reject);
    });
    expect(sessionPresent).toBe(true);
  });

  it('DEV-07 MQTT-07 reboots: its will is published, and it comes back with a smaller uptime', async (test) => {
    const machine = given(GUTTER, { ...NOTHING_ELSE, setUpMs: [100, 100], rebootEveryMs: 3_000 });
    const server = await broker(test, [machine]);
    const log: string[] = [];
    const simulation = simulate(test, [machine], { mqttUrl: server.url }, (line) => log.push(line));
    await vi.waitFor(
      () => expect(server.heard).toContainEqual({ machineId: 'RF-06', topic: 'lwt', text: 'false' }),
      WAIT,
    );
    const spokenUntil = server.heard.filter(({ topic }) => topic === 'status').length;
    await vi.waitFor(
      () => expect(server.heard.filter(({ topic }) => topic === 'status').length).toBeGreaterThan(spokenUntil),
      WAIT,
    );
    const { poweredForMs = 0, boots = 0 } = simulation.state('RF-06') ?? {};
    const spoken = server.heard.findLast(({ topic }) => topic === 'status');
    expect(Number(jsonOf(spoken?.text).millis_since_boot)).toBeLessThan(poweredForMs - 900);
    expect(boots).toBeGreaterThan(1);
    expect(log).toContainEqual(expect.stringContaining('reboots'));
  });

  it('DEV-10 sends nothing while it is silent, and keeps its connection', async (test) => {
    const machine = given(SOFFIT, {
      ...NOTHING_ELSE,
      setUpMs: [100, 100],
      coilChangeMs: [100, 100],
      silentEveryMs: 1_500,
      silentMs: [2_500, 2_500],
    });
    const server = await broker(test, [machine]);
    const simulation = simulate(test, [machine], { mqttUrl: server.url });
    await vi.waitFor(() => expect(simulation.state('RF-05')?.silentMs).toBeGreaterThan(1_500), WAIT);
    const before = server.heard.length;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(server.heard.length).toBe(before);
    expect(simulation.counts().linked).toBe(1);
    await vi.waitFor(() => expect(server.heard.length).toBeGreaterThan(before), WAIT);
  });

  it('D-03 comes back by itself after a restart of the gateway, and goes on with its counters', async (test) => {
    const machine = given(PANEL, { ...NOTHING_ELSE, setUpMs: [100, 100], coilChangeMs: [100, 100] });
    const first = await openRecordingBroker([machine]);
    const simulation = simulate(test, [machine], { mqttUrl: first.url });
    await vi.waitFor(() => expect(simulation.state('RF-01')?.counters.cycle).toBeGreaterThan(0), WAIT);
    await first.broker.close();
    await vi.waitFor(() => expect(simulation.counts().linked).toBe(0), WAIT);
    expect(simulation.state('RF-01')?.running).toBe(true);
    const made = simulation.state('RF-01')?.counters.cycle ?? 0;
    const second = await broker(test, [machine], first.port);
    await vi.waitFor(() => expect(second.heard.some(({ topic }) => topic === 'status')).toBe(true), WAIT);
    expect(jsonOf(second.heard.find(({ topic }) => topic === 'status')?.text).cycle).toBeGreaterThanOrEqual(made);
    expect(simulation.state('RF-01')?.boots).toBe(1);
  });
});

describe.concurrent('a simple PLC', () => {
  it('MQTT-04 MQTT-05 sends single values as the interface spells them, never a whole status, and obeys the 0/1 topics', async (test) => {
    const machine = given(TRIM, { ...NOTHING_ELSE, setUpMs: [100, 100], coilChangeMs: [100, 100] });
    const server = await broker(test, [machine]);
    const simulation = simulate(test, [machine], { mqttUrl: server.url });
    await vi.waitFor(() => expect(server.heard.map(({ topic }) => topic)).toContain('status/msecsinceboot'), WAIT);
    expect(
      server.heard
        .filter(({ topic }) => topic === 'status/machinePower')
        .slice(0, 2)
        .map(({ text }) => text),
    ).toEqual(['0', '1']);
    expect(simulation.state('RF-02')?.running).toBe(false);
    server.broker.send(TRIM_ID, ALLOW, 'bits');
    await vi.waitFor(() => expect(simulation.state('RF-02')?.counters.goodPart).toBeGreaterThan(0), WAIT);
    server.broker.send(TRIM_ID, HOLD, 'bits');
    await vi.waitFor(
      () => expect(simulation.state('RF-02')).toMatchObject({ running: false, attentionNeeded: true }),
      WAIT,
    );
    const topics = new Set(server.heard.map(({ topic }) => topic));
    expect(topics.has('status')).toBe(false);
    for (const topic of ['status/running', 'status/goodPart', 'status/cycles', 'status/partId', 'vars/lineSpeed'])
      expect(topics).toContain(topic);
    expect(
      server.heard.filter(({ topic }) => topic === 'status/running').every(({ text }) => text === '0' || text === '1'),
    ).toBe(true);
  });
});

describe.concurrent('a machine that polls over HTTP', () => {
  type Answer = { readonly status: number; readonly body: string };

  async function httpServer(test: TestContext, answer: (path: string) => Answer | null, port = 0) {
    const requests: { readonly path: string; readonly body: string }[] = [];
    const server: Server = createServer(async (request: IncomingMessage, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const path = request.url ?? '';
      requests.push({ path, body });
      const given = answer(path);
      if (given !== null) response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const address = server.address();
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    test.onTestFinished(close);
    const bound = typeof address === 'object' && address !== null ? address.port : 0;
    return { requests, close, port: bound, url: `http://127.0.0.1:${bound}` };
  }

  const command = (runEnabled: boolean) =>
    JSON.stringify({
      machineId: 'RF-03',
      runEnabled,
      attentionNeeded: false,
      message: null,
      timestamp: '2026-01-01T00:00:00.000Z',
    });

  it('HTTP-01 HTTP-03 repeats its status, reads the command from each answer, and sends its variables', async (test) => {
    const machine = given(PURLIN, { ...NOTHING_ELSE, setUpMs: [100, 100], coilChangeMs: [100, 100] });
    let runEnabled = true;
    const server = await httpServer(test, (path) => ({
      status: 200,
      body: path.endsWith('/vars') ? '' : command(runEnabled),
    }));
    const simulation = simulate(test, [machine], { httpUrl: server.url });
    await vi.waitFor(() => expect(simulation.state('RF-03')?.running).toBe(true), WAIT);
    runEnabled = false;
    await vi.waitFor(() => expect(simulation.state('RF-03')?.running).toBe(false), WAIT);
    const status = jsonOf(server.requests.find(({ path }) => path === '/api/device/status')?.body);
    expect(parseStatus(status)).toMatchObject({ ok: true, status: { machineId: 'RF-03' } });
    expect(status).toHaveProperty('machine_power', true);
    await vi.waitFor(
      () =>
        expect(jsonOf(server.requests.find(({ path }) => path === '/api/device/vars')?.body)).toMatchObject({
          machineId: 'RF-03',
          lineSpeed: expect.any(Number),
        }),
      WAIT,
    );
  });

  it.for([
    ['text that is no command', 200, 'hello'],
    ['a command without runEnabled', 200, '{"attentionNeeded":false}'],
    [
      'D-11 a server error',
      500,
      JSON.stringify({ runEnabled: false, attentionNeeded: true, message: 'Server error - grain unavailable' }),
    ],
    ['a refusal', 400, '{"errors":["machineId"]}'],
  ] as const)('stands still and asks for attention after %s', async ([, status, body], test) => {
    const machine = given(PURLIN, { ...NOTHING_ELSE, setUpMs: [50, 50], coilChangeMs: [50, 50] });
    let broken = false;
    const server = await httpServer(test, () => (broken ? { status, body } : { status: 200, body: command(true) }));
    const simulation = simulate(test, [machine], { httpUrl: server.url });
    await vi.waitFor(() => expect(simulation.state('RF-03')?.running).toBe(true), WAIT);
    broken = true;
    await vi.waitFor(
      () => expect(simulation.state('RF-03')).toMatchObject({ running: false, attentionNeeded: true }),
      WAIT,
    );
  });

  it('keeps trying while the gateway does not answer, says so once, and goes on when it does', async (test) => {
    const machine = given(PURLIN, { ...NOTHING_ELSE, setUpMs: [50, 50] });
    const gone = await httpServer(test, () => null);
    await gone.close();
    const log: string[] = [];
    const simulation = simulate(test, [machine], { httpUrl: gone.url }, (line) => log.push(line));
    await vi.waitFor(() => expect(log).toContainEqual(expect.stringContaining('ECONNREFUSED')), WAIT);
    await httpServer(test, () => ({ status: 200, body: command(true) }), gone.port);
    await vi.waitFor(() => expect(simulation.counts()).toMatchObject({ linked: 1, running: 1 }), WAIT);
    expect(log.filter((line) => line.includes('ECONNREFUSED'))).toHaveLength(1);
  });
});

describe('all simulated machines together', () => {
  it('DEV-03 DEV-04 spell fields in ways that the alias table knows, each machine in its own way', async (test) => {
    const machines = [PANEL, RIDGE, SOFFIT, GUTTER].map((machine) => given(machine, NOTHING_ELSE));
    const server = await broker(test, machines);
    simulate(test, machines, { mqttUrl: server.url });
    await vi.waitFor(
      () =>
        expect(
          new Set(server.heard.filter(({ topic }) => topic === 'status').map(({ machineId }) => machineId)).size,
        ).toBe(4),
      WAIT,
    );
    const keys = machines.map(({ machineId }) => {
      const body = jsonOf(
        server.heard.find((heard) => heard.machineId === machineId && heard.topic === 'status')?.text,
      );
      const read = pickFields(body);
      expect(read[fieldIndex('machineId')]).toBe(machineId);
      expect(parseStatus(body)).toMatchObject({ ok: true });
      return Object.keys(body).join();
    });
    expect(new Set(keys).size).toBe(4);
  });

  it('D-12 send at the configured rate in every state of the machine', async (test) => {
    const machines = simulatedMachines(1, { rateHz: 5 });
    const server = await broker(test, machines);
    simulate(test, machines, { mqttUrl: server.url });
    const statuses = () => server.heard.filter(({ topic }) => topic === 'status').length;
    await vi.waitFor(() => expect(statuses()).toBeGreaterThan(0), WAIT);
    const before = statuses();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(statuses() - before).toBeGreaterThanOrEqual(8);
    expect(statuses() - before).toBeLessThanOrEqual(12);
  });

  it('can be 500 in one process without keeping it busy', async (test) => {
    const machines = simulatedMachines(500).filter(({ transport }) => transport !== 'http');
    const server = await broker(test, machines);
    const simulation = simulate(test, machines, { mqttUrl: server.url });
    await vi.waitFor(() => expect(simulation.counts().linked).toBe(machines.length), WAIT);
    const before = simulation.counts().statuses;
    const cpuBefore = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { user, system } = process.cpuUsage(cpuBefore);
    expect(simulation.counts().statuses - before).toBeGreaterThan(machines.length * 2);
    expect((user + system) / 1_000).toBeLessThan(2_500);
    expect(server.troubles).toEqual([]);
  });
});
