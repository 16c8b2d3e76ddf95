import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Json, PLANT, Program, statusOf } from './program.ts';

const ROOT = 'plant1/rollformer-1';
const programs: Program[] = [];
const clients: MqttClient[] = [];

async function start(...options: Parameters<typeof Program.start>): Promise<Program> {
  const program = await Program.start(...options);
  programs.push(program);
  return program;
}

interface Heard {
  readonly topic: string;
  readonly text: string;
  readonly at: number;
}

/** A device over real MQTT that remembers every command with its time. */
async function device(program: Program): Promise<{ client: MqttClient; heard: Heard[]; command: () => Json }> {
  const client = await connectAsync(`mqtt://127.0.0.1:${program.mqttPort}`, {
    clientId: 'RF-01',
    clean: false,
    reconnectPeriod: 0,
  });
  clients.push(client);
  const heard: Heard[] = [];
  client.on('message', (topic, payload) => heard.push({ topic, text: payload.toString(), at: performance.now() }));
  await client.subscribeAsync([`${ROOT}/command`, `${ROOT}/command/run-enabled`, `${ROOT}/command/attention-needed`], {
    qos: 1,
  });
  const command = () => JSON.parse(heard.filter(({ topic }) => topic === `${ROOT}/command`).at(-1)?.text ?? 'null');
  return { client, heard, command };
}

function publish(client: MqttClient, suffix: string, payload: object | string, retain = false): Promise<unknown> {
  return client.publishAsync(`${ROOT}/${suffix}`, typeof payload === 'string' ? payload : JSON.stringify(payload), {
    qos: 1,
    retain,
  });
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.end(true);
  for (const program of programs.splice(0)) {
    await program.kill();
    program.cleanUp();
  }
});

describe('from status to command', () => {
  it('DEV-08, DEV-09, DEV-11, DEV-12, D-05 a shift at one machine: power, part, stop, category, each published over MQTT', async () => {
    const program = await start();
    const { client, heard, command } = await device(program);
    await publish(client, 'status', statusOf({ machinePower: false }));
    await expect.poll(command).toMatchObject({ runEnabled: false, message: 'Machine power is off' });
    await publish(client, 'status', statusOf({ mSecSinceBoot: 2_000 }));
    await expect.poll(command).toMatchObject({ runEnabled: false, message: 'Part not selected' });
    const selected = await program.api('PUT', '/machines/RF-01/part', { partId: 'P-100' });
    expect(selected.body).toMatchObject({
      part: { partId: 'P-100', partName: 'Panel 100' },
      decision: { runEnabled: true },
    });
    await expect.poll(command).toMatchObject({ runEnabled: true, message: null });
    expect(heard.at(-1)?.text).toBe('0');
    await publish(client, 'status', statusOf({ mSecSinceBoot: 3_000, running: false, fault: true }));
    await expect
      .poll(command)
      .toMatchObject({ runEnabled: false, attentionNeeded: true, message: 'Downtime categorization required' });
    const [downtime] = (await program.api('GET', '/machines/RF-01/downtimes?uncategorized=true')).body;
    expect(downtime).toMatchObject({ machineId: 'RF-01', endedAt: null, reasonId: null });
    const refused = await program.api('PUT', `/downtimes/${downtime.downtimeId}/category`, { reasonId: 'nonsense' });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.errors[0]).toContain('reasonId');
    expect((await program.api('PUT', `/downtimes/${downtime.downtimeId}/category`, { reasonId: 'DT-01' })).status).toBe(
      200,
    );
    await expect.poll(command).toMatchObject({ runEnabled: true, attentionNeeded: true, message: null });
  });

  it('MQTT-05, D-05 single fields alone run a simple PLC: no JSON command, the 0/1 topics when the decision changes', async () => {
    const program = await start();
    const { client, heard } = await device(program);
    for (const [name, value] of [
      ['machinePower', '1'],
      ['partId', 'P-200'],
      ['running', 'true'],
      ['msecsinceboot', '5000'],
    ] as const) {
      await publish(client, `status/${name}`, value);
    }
    await expect.poll(() => heard.filter(({ topic }) => topic.endsWith('run-enabled')).at(-1)?.text).toBe('1');
    expect(heard.filter(({ topic }) => topic === `${ROOT}/command`)).toEqual([]);
    const { body } = await program.api('GET', '/machines/RF-01');
    expect(body).toMatchObject({
      decision: { runEnabled: true },
      part: { partId: 'P-200' },
      status: { mSecSinceBoot: 5_000 },
    });
  });

  it('HTTP-05 one machine over HTTP and MQTT feeds one state', async () => {
    const program = await start();
    const { client, command } = await device(program);
    await publish(client, 'status', statusOf({ partId: 'P-100' }));
    await program.device('status', statusOf({ mSecSinceBoot: 2_000, goodPart: 107, partId: 'P-100' }));
    await publish(client, 'status', statusOf({ mSecSinceBoot: 3_000, goodPart: 110, partId: 'P-100' }));
    expect((await program.api('GET', '/machines/RF-01/production')).body).toMatchObject({ goodParts: 10 });
    await program.device('status', statusOf({ mSecSinceBoot: 4_000, goodPart: 110, machinePower: false }));
    await expect.poll(command).toMatchObject({ message: 'Machine power is off' });
  });

  it('MQTT-12, D-08 malformed messages change nothing, are shown, and do not end the connection', async () => {
    const program = await start();
    const { client } = await device(program);
    await publish(client, 'status', statusOf({ partId: 'P-100' }));
    const before = (await program.api('GET', '/machines/RF-01')).body;
    const bad: readonly (readonly [string, string])[] = [
      ['status', 'not json'],
      ['status', '[]'],
      ['status', JSON.stringify(statusOf({ cycle: 'ten' }))],
      ['status', JSON.stringify(statusOf({ machineId: 'RF-02' }))],
      ['status', JSON.stringify(statusOf({ machineId: 'rf-01' }))],
      ['status', `${'['.repeat(100)}${']'.repeat(100)}`],
      ['status/cycle', '-5'],
      ['status/running', 'maybe'],
      ['status/nonsense', '1'],
      ['vars', '[1,2]'],
      ['vars', '{'],
      ['online', 'perhaps'],
    ];
    for (const [suffix, payload] of bad) await publish(client, suffix, payload);
    // Each message is kept for people to read.
    expect((await program.api('GET', '/machines/RF-01')).body).toEqual({
      ...before,
      messages: before.messages + bad.length,
    });
    const diagnostics = (await program.api('GET', '/diagnostics')).body;
    expect(diagnostics.counts.malformed).toBe(bad.length);
    await publish(client, 'status', statusOf({ mSecSinceBoot: 2_000, partId: 'P-100' }));
    expect(client.connected).toBe(true);
  });

  it('VAR-01, VAR-02, VAR-03, MQTT-08, HTTP-03 variables of the tracking list are stored from MQTT and HTTP', async () => {
    const program = await start();
    const { client } = await device(program);
    await publish(client, 'vars', { lineSpeed: '12.5', motorTemp: true, other: 4 });
    await publish(client, 'vars/lineSpeed', '13');
    await publish(client, 'vars/lineSpeed', 'fast');
    expect(await program.device('vars', { machineId: 'RF-01', lineSpeed: 14, motorTemp: 61.5 })).toEqual({
      status: 200,
      body: null,
    });
    const { shiftDate } = (await program.api('GET', '/machines/RF-01/production')).body;
    const speed = (await program.api('GET', `/machines/RF-01/variables/lineSpeed?shiftDate=${shiftDate}`)).body;
    expect(speed.points.map(({ value }: { value: number }) => value)).toEqual([12.5, 13, 14]);
    const temperature = (await program.api('GET', `/machines/RF-01/variables/motorTemp?shiftDate=${shiftDate}`)).body;
    expect(temperature.points.map(({ value }: { value: number }) => value)).toEqual([61.5]);
  });

  it('DEV-18, D-12 a flood of one device is shed to the newest status, its counters lose nothing, and others are not delayed', async () => {
    const program = await start();
    const { client, heard } = await device(program);
    await publish(client, 'status', statusOf({ partId: 'P-100', goodPart: 0 }));
    const from = performance.now();
    for (let number = 1; number <= 300; number++) {
      client.publish(
        `${ROOT}/status`,
        JSON.stringify(statusOf({ partId: 'P-100', mSecSinceBoot: 1_000 + number, goodPart: number })),
        { qos: 1 },
      );
    }
    const other = await program.device('status', { ...statusOf(), machineId: 'RF-02' });
    expect(other.status).toBe(200);
    await expect
      .poll(async () => (await program.api('GET', '/machines/RF-01/production')).body.goodParts, { timeout: 20_000 })
      .toBe(300);
    const seconds = Math.ceil((performance.now() - from) / 950);
    expect(heard.filter(({ topic }) => topic === `${ROOT}/command`).length).toBeLessThanOrEqual(10 * (seconds + 1));
    expect((await program.api('GET', '/diagnostics')).body.counts.rateLimited).toBeGreaterThan(200);
  });
});

describe('silence', () => {
  // Other tests run beside this one, and may take the processor for longer than 250 ms.
  it('DEV-10 a silent device gets its command between 10.00 and 10.25 s after its last status, without any message arriving', {
    retry: 2,
  }, async () => {
    const program = await start();
    const { client, heard, command } = await device(program);
    const sentAt = performance.now();
    await publish(client, 'status', statusOf({ partId: 'P-100' }));
    await expect.poll(command).toMatchObject({ runEnabled: true });
    const answeredAt = heard.findLast(({ topic }) => topic === `${ROOT}/command`)?.at ?? 0;
    await expect
      .poll(command, { timeout: 12_000, interval: 20 })
      .toMatchObject({ runEnabled: false, message: 'Device not responding' });
    const toldAt = heard.findLast(({ topic }) => topic === `${ROOT}/command`)?.at ?? 0;
    // The gateway read the status after it was sent and before it was answered.
    expect(toldAt - sentAt).toBeGreaterThanOrEqual(10_000);
    expect(toldAt - answeredAt).toBeLessThanOrEqual(10_250);
    expect((await program.api('GET', '/machines/RF-01')).body.activity).toBe('offline');
  });

  it('D-04 after the process was held up, waiting messages are read before a machine counts as silent', async () => {
    const program = await start({ settings: 'devices: { timeoutSeconds: 2 }\n' });
    const { client, heard, command } = await device(program);
    await publish(client, 'status', statusOf({ partId: 'P-100' }));
    await expect.poll(command).toMatchObject({ runEnabled: true });
    program.process.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    client.publish(`${ROOT}/status`, JSON.stringify(statusOf({ partId: 'P-100', mSecSinceBoot: 4_000 })), { qos: 1 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    program.process.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(heard.filter(({ text }) => text.includes('Device not responding'))).toEqual([]);
    expect((await program.api('GET', '/diagnostics')).body.counts.heldUp).toBeGreaterThan(0);
    expect((await program.api('GET', '/machines/RF-01/production')).body).toMatchObject({ offlineSeconds: 0 });
    const { body } = await program.api('GET', '/machines/RF-01/timeline');
    expect(body).toEqual([expect.objectContaining({ state: 'running' })]);
  });
});

describe('restart', () => {
  it('VAR-03, D-03 under another shift calendar, production counts at once in its shifts', async () => {
    const zones = (timeZone: string) =>
      `shifts: { timeZone: ${timeZone}, shifts: [ { name: Day, start: "06:00" }, { name: Night, start: "18:00" } ] }\n`;
    const first = await start({ settings: zones('Etc/GMT+6') });
    await first.device('status', statusOf({ partId: 'P-100' }));
    await first.device('status', statusOf({ partId: 'P-100', mSecSinceBoot: 2_000, goodPart: 105 }));
    await first.stop();
    const file = path.join(first.dir, 'plantgate.yaml');
    // In the new zone the shifts lie half a day apart from those of the old one, at any hour of the test.
    writeFileSync(file, readFileSync(file, 'utf8').replace('Etc/GMT+6', 'Etc/GMT-6'));
    const again = await start({ dir: first.dir });
    await again.device('status', statusOf({ partId: 'P-100', mSecSinceBoot: 3_000, goodPart: 112 }));
    // The two shifts have the same date for half of the day, and the list then has both.
    const { shifts } = (await again.api('GET', '/machines/RF-01/production')).body;
    expect(shifts).toContainEqual(expect.objectContaining({ goodParts: 7 }));
  });

  it('D-03, D-09, DEV-07, MQTT-06, VAR-04 after kill -9 part, production, downtime, presence and variables go on', async () => {
    const first = await start();
    const { client } = await device(first);
    await publish(client, 'online', 'true', true);
    await publish(client, 'status', statusOf());
    await first.api('PUT', '/machines/RF-01/part', { partId: 'P-200' });
    await publish(client, 'status', statusOf({ mSecSinceBoot: 2_000, goodPart: 105 }));
    await publish(client, 'status', statusOf({ mSecSinceBoot: 3_000, goodPart: 105, running: false }));
    await publish(client, 'vars/lineSpeed', '7.5');
    await expect.poll(async () => (await first.api('GET', '/machines/RF-01/downtimes')).body.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await first.kill();

    const again = await start({ dir: first.dir });
    const restored = (await again.api('GET', '/machines/RF-01')).body;
    expect(restored).toMatchObject({
      connection: 'online',
      part: { partId: 'P-200', partName: 'Panel 200' },
      decision: { runEnabled: false, message: 'Downtime categorization required' },
      openDowntime: { reasonId: null },
    });
    await again.device('status', statusOf({ mSecSinceBoot: 60_000, goodPart: 125, running: false }));
    const { shiftDate, goodParts } = (await again.api('GET', '/machines/RF-01/production')).body;
    expect(goodParts).toBe(25);
    expect((await again.api('GET', '/machines/RF-01/downtimes')).body).toHaveLength(1);
    const points = (await again.api('GET', `/machines/RF-01/variables/lineSpeed?shiftDate=${shiftDate}`)).body.points;
    expect(points.map(({ value }: { value: number }) => value)).toEqual([7.5]);
  }, 30_000);

  it('D-03 a restart is no stop: rule 3 waits for the first ten seconds', async () => {
    const first = await start();
    await first.device('status', statusOf({ partId: 'P-100' }));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await first.stop()).toBe(0);
    const again = await start({ dir: first.dir });
    expect((await again.api('GET', '/machines/RF-01')).body.decision).toMatchObject({ runEnabled: true });
    expect((await again.api('GET', '/machines/RF-01/downtimes')).body).toEqual([]);
  });

  it('D-10, DEV-16 a work session goes on over a restart and a reboot of the device', async () => {
    const job = { jobNumber: 'J-1', userId: '4711', partId: 'P-100' };
    const first = await start();
    await first.device('status', statusOf({ ...job, goodPart: 0 }));
    await first.device('status', statusOf({ ...job, mSecSinceBoot: 2_000, goodPart: 10 }));
    await first.stop();
    const again = await start({ dir: first.dir });
    await again.device('status', statusOf({ ...job, mSecSinceBoot: 500, cycle: 0, goodPart: 5, badPart: 0 }));
    await again.device(
      'status',
      statusOf({ mSecSinceBoot: 900, cycle: 0, goodPart: 5, badPart: 0, jobNumber: 'J-2', partId: 'P-100' }),
    );
    const sessions = (await again.api('GET', '/machines/RF-01/workSessions')).body;
    expect(sessions.find((session: { jobNumber: string }) => session.jobNumber === 'J-1')).toMatchObject({
      goodParts: 15,
      userId: '4711',
    });
  });
});

describe('the program', () => {
  it('ends with 0 at SIGTERM within five seconds, and only its owner can read its files', async () => {
    const program = await start();
    await device(program);
    const from = performance.now();
    expect(await program.stop()).toBe(0);
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(statSync(path.join(program.dir, 'data')).mode & 0o777).toBe(0o700);
    for (const file of ['plantgate.db', 'local-access.json']) {
      expect(statSync(path.join(program.dir, 'data', file)).mode & 0o777).toBe(0o600);
    }
  });

  it('refuses a data directory that another process uses, with 73', async () => {
    const program = await start();
    const second = await Program.run(program.dir);
    expect(second.code).toBe(73);
    expect(second.output).toContain('data');
    expect((await program.api('GET', '/machines')).status).toBe(200);
  });

  it.each([
    ['an unknown key', 'mqtt: { prot: 1 }\n', /mqtt\.prot.*expected/],
    ['a wrong type', 'devices: { timeoutSeconds: soon }\n', /devices\.timeoutSeconds.*"soon"/],
  ])('refuses a configuration with %s, with 78 and its place', async (_what, settings, expected) => {
    const dir = Program.prepare();
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(path.join(dir, 'plantgate.yaml'), settings);
    const { code, output } = await Program.run(dir);
    expect(code).toBe(78);
    expect(output).toMatch(/plantgate\.yaml:1:\d+/);
    expect(output).toMatch(expected);
  });

  it('refuses to start with a faulty plant file and no plant, with 78; it goes on with an existing plant', async () => {
    const program = await start();
    await program.stop();
    writeFileSync(path.join(program.dir, 'plant.yaml'), 'machines: [ { machineId: "a/b", topicRoot: /x } ]\n');
    const again = await start({ dir: program.dir });
    expect((await again.api('GET', '/machines')).body).toHaveLength(2);
    expect((await again.api('GET', '/diagnostics')).body.counts.plantFile).toBe(1);
    mkdirSync(path.join(program.dir, 'other'));
    for (const file of ['plantgate.yaml', 'plant.yaml']) {
      writeFileSync(
        path.join(program.dir, 'other', file),
        file === 'plant.yaml' ? 'machines: 5\n' : 'plant: ./plant.yaml\n',
      );
    }
    const fresh = await Program.run(path.join(program.dir, 'other'));
    expect(fresh.code).toBe(78);
    expect(fresh.output).toContain('plant.yaml:1');
  });

  it('MQTT-09 applies the plant file when it changes, all or nothing', async () => {
    const program = await start();
    writeFileSync(
      path.join(program.dir, 'plant.yaml'),
      PLANT.replace('plant1/rollformer-2', 'plant1/rollformer-1/inside'),
    );
    await expect
      .poll(async () => (await program.api('GET', '/diagnostics')).body.counts.plantFile, { timeout: 8_000 })
      .toBe(1);
    expect((await program.api('GET', '/machines/RF-02')).body.topicRoot).toBe('plant1/rollformer-2');
    writeFileSync(
      path.join(program.dir, 'plant.yaml'),
      PLANT.replace('RF-02, topicRoot: plant1/rollformer-2', 'RF-03, topicRoot: plant1/rollformer-3'),
    );
    await expect.poll(async () => (await program.api('GET', '/machines/RF-03')).status, { timeout: 8_000 }).toBe(200);
    expect((await program.device('status', { ...statusOf(), machineId: 'RF-03' })).status).toBe(200);
    expect((await program.api('GET', '/machines/RF-02')).status).toBe(200);
  });
});
