import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { Program, statusOf } from './program.ts';
import { Device, MACHINE_IDS, rootOf, SHARED_PLANT } from './remembering-device.ts';

let shared: Program;
const devices: Device[] = [];

beforeAll(async () => {
  shared = await Program.start({ plant: SHARED_PLANT });
});

afterEach(() => {
  for (const { client } of devices.splice(0)) client.end(true);
});

afterAll(() => shared.end());

/** A device that goes with its test. */
async function device(program: Program, machineId: string): Promise<Device> {
  const connected = await Device.connect(program, machineId);
  devices.push(connected);
  return connected;
}

describe('from status to command', () => {
  it('DEV-08, DEV-09, DEV-11, DEV-12, D-05 a shift at one machine: power, part, stop, category, each published over MQTT', async () => {
    const rf1 = await device(shared, 'RF-01');
    const command = () => rf1.command();
    await rf1.status({ machinePower: false });
    await expect.poll(command).toMatchObject({ runEnabled: false, message: 'Machine power is off' });
    await rf1.status({ mSecSinceBoot: 2_000 });
    await expect.poll(command).toMatchObject({ runEnabled: false, message: 'Part not selected' });
    const selected = await shared.api('PUT', '/machines/RF-01/part', { partId: 'P-100' });
    expect(selected.body).toMatchObject({
      part: { partId: 'P-100', partName: 'Panel 100' },
      decision: { runEnabled: true },
    });
    await expect.poll(command).toMatchObject({ runEnabled: true, message: null });
    expect(rf1.heard.at(-1)?.text).toBe('0');
    await rf1.status({ mSecSinceBoot: 3_000, running: false, fault: true });
    await expect
      .poll(command)
      .toMatchObject({ runEnabled: false, attentionNeeded: true, message: 'Downtime categorization required' });
    const [downtime] = (await shared.api('GET', '/machines/RF-01/downtimes?uncategorized=true')).body;
    expect(downtime).toMatchObject({ machineId: 'RF-01', endedAt: null, reasonId: null });
    const refused = await shared.api('PUT', `/downtimes/${downtime.downtimeId}/category`, { reasonId: 'nonsense' });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.errors[0]).toContain('reasonId');
    expect((await shared.api('PUT', `/downtimes/${downtime.downtimeId}/category`, { reasonId: 'DT-01' })).status).toBe(
      200,
    );
    await expect.poll(command).toMatchObject({ runEnabled: true, attentionNeeded: true, message: null });
  });

  it('MQTT-05, D-05 single fields alone run a simple PLC: no JSON command, the 0/1 topics when the decision changes', async () => {
    const rf2 = await device(shared, 'RF-02');
    for (const [name, value] of [
      ['machinePower', '1'],
      ['partId', 'P-200'],
      ['running', 'true'],
      ['msecsinceboot', '5000'],
    ] as const) {
      await rf2.publish(`status/${name}`, value);
    }
    await expect.poll(() => rf2.heard.findLast(({ topic }) => topic.endsWith('run-enabled'))?.text).toBe('1');
    expect(rf2.heard.filter(({ topic }) => topic === rf2.commandTopic)).toEqual([]);
    const { body } = await shared.api('GET', '/machines/RF-02');
    expect(body).toMatchObject({
      decision: { runEnabled: true },
      part: { partId: 'P-200' },
      status: { mSecSinceBoot: 5_000 },
    });
  });

  it('HTTP-05 one machine over HTTP and MQTT feeds one state', async () => {
    const rf3 = await device(shared, 'RF-03');
    const overHttp = (more: object) => shared.device('status', statusOf({ machineId: 'RF-03', ...more }));
    await rf3.status({ partId: 'P-100' });
    await overHttp({ mSecSinceBoot: 2_000, goodPart: 107, partId: 'P-100' });
    await rf3.status({ mSecSinceBoot: 3_000, goodPart: 110, partId: 'P-100' });
    expect((await shared.api('GET', '/machines/RF-03/production')).body).toMatchObject({ goodParts: 10 });
    await overHttp({ mSecSinceBoot: 4_000, goodPart: 110, machinePower: false });
    await expect.poll(() => rf3.command()).toMatchObject({ message: 'Machine power is off' });
  });

  it('MQTT-12, D-08 malformed messages change nothing, are shown, and do not end the connection', async () => {
    const rf4 = await device(shared, 'RF-04');
    await rf4.status({ partId: 'P-100' });
    const before = (await shared.api('GET', '/machines/RF-04')).body;
    const malformed = async () => (await shared.api('GET', '/diagnostics')).body.counts.malformed ?? 0;
    const malformedBefore = await malformed();
    const bad: readonly (readonly [string, string])[] = [
      ['status', 'not json'],
      ['status', '[]'],
      ['status', JSON.stringify(statusOf({ machineId: 'RF-04', cycle: 'ten' }))],
      ['status', JSON.stringify(statusOf({ machineId: 'RF-02' }))],
      ['status', JSON.stringify(statusOf({ machineId: 'rf-04' }))],
      ['status', `${'['.repeat(100)}${']'.repeat(100)}`],
      ['status/cycle', '-5'],
      ['status/running', 'maybe'],
      ['status/nonsense', '1'],
      ['vars', '[1,2]'],
      ['vars', '{'],
      ['online', 'perhaps'],
    ];
    for (const [suffix, payload] of bad) await rf4.publish(suffix, payload);
    // Each message is kept for people to read.
    expect((await shared.api('GET', '/machines/RF-04')).body).toEqual({
      ...before,
      messages: before.messages + bad.length,
    });
    expect(await malformed()).toBe(malformedBefore + bad.length);
    await rf4.status({ mSecSinceBoot: 2_000, partId: 'P-100' });
    expect(rf4.client.connected).toBe(true);
  });

  it('VAR-01, VAR-02, VAR-03, MQTT-08, HTTP-03 variables of the tracking list are stored from MQTT and HTTP', async () => {
    const rf5 = await device(shared, 'RF-05');
    await rf5.publish('vars', JSON.stringify({ lineSpeed: '12.5', motorTemp: true, other: 4 }));
    await rf5.publish('vars/lineSpeed', '13');
    await rf5.publish('vars/lineSpeed', 'fast');
    expect(await shared.device('vars', { machineId: 'RF-05', lineSpeed: 14, motorTemp: 61.5 })).toEqual({
      status: 200,
      body: null,
    });
    const { shiftDate } = (await shared.api('GET', '/machines/RF-05/production')).body;
    const speed = (await shared.api('GET', `/machines/RF-05/variables/lineSpeed?shiftDate=${shiftDate}`)).body;
    expect(speed.points.map(({ value }: { value: number }) => value)).toEqual([12.5, 13, 14]);
    const temperature = (await shared.api('GET', `/machines/RF-05/variables/motorTemp?shiftDate=${shiftDate}`)).body;
    expect(temperature.points.map(({ value }: { value: number }) => value)).toEqual([61.5]);
  });

  it('DEV-18, D-12 a flood of one device is shed to the newest status, its counters lose nothing, and others are not delayed', async () => {
    const rf6 = await device(shared, 'RF-06');
    const rateLimited = async () => (await shared.api('GET', '/diagnostics')).body.counts.rateLimited ?? 0;
    const rateLimitedBefore = await rateLimited();
    await rf6.status({ partId: 'P-100', goodPart: 0 });
    const from = performance.now();
    const flood = Array.from({ length: 300 }, (_, index) =>
      rf6.status({ partId: 'P-100', mSecSinceBoot: 1_001 + index, goodPart: index + 1 }),
    );
    const other = await shared.device('status', statusOf({ machineId: 'RF-07' }));
    expect(other.status).toBe(200);
    await expect
      .poll(async () => (await shared.api('GET', '/machines/RF-06/production')).body.goodParts, { timeout: 20_000 })
      .toBe(300);
    await Promise.all(flood);
    const seconds = Math.ceil((performance.now() - from) / 950);
    expect(rf6.heard.filter(({ topic }) => topic === rf6.commandTopic).length).toBeLessThanOrEqual(10 * (seconds + 1));
    expect((await rateLimited()) - rateLimitedBefore).toBeGreaterThan(200);
  });
});

/** A gateway of one test and its machine, which go with the test. */
async function ownGateway({ onTestFinished }: TestContext, settings = '') {
  const program = await Program.start({ settings });
  onTestFinished(() => program.end());
  const rf1 = await Device.connect(program, 'RF-01');
  onTestFinished(() => void rf1.client.end(true));
  return { program, rf1 };
}

describe.concurrent('silence', () => {
  it('D-04 after the process was held up, waiting messages are read before a machine counts as silent', async (test) => {
    const { expect } = test;
    const { program, rf1 } = await ownGateway(test, 'devices: { timeoutSeconds: 2 }\n');
    await rf1.status({ partId: 'P-100' });
    await expect.poll(() => rf1.command()).toMatchObject({ runEnabled: true });
    program.process.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const waiting = rf1.status({ partId: 'P-100', mSecSinceBoot: 4_000 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    program.process.kill('SIGCONT');
    await waiting;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(rf1.heard.filter(({ text }) => text.includes('Device not responding'))).toEqual([]);
    expect((await program.api('GET', '/diagnostics')).body.counts.heldUp).toBeGreaterThan(0);
    expect((await program.api('GET', '/machines/RF-01/production')).body).toMatchObject({ offlineSeconds: 0 });
    const { body } = await program.api('GET', '/machines/RF-01/timeline');
    expect(body).toEqual([expect.objectContaining({ state: 'running' })]);
  });
});

describe('restart', () => {
  const calendar = (timeZone: string) =>
    `shifts: { timeZone: ${timeZone}, shifts: [ { name: Day, start: "06:00" }, { name: Night, start: "18:00" } ] }\n`;
  let program: Program;

  beforeAll(async () => {
    program = await Program.start({ plant: SHARED_PLANT, settings: calendar('Etc/GMT+6') });
  });

  afterAll(() => program.end());

  const startAgain = async () => {
    program = await Program.start({ dir: program.dir });
  };

  it('VAR-03, D-03 under another shift calendar, production counts at once in its shifts', async () => {
    const status = (more: object) => program.device('status', statusOf({ partId: 'P-100', ...more }));
    await status({});
    await status({ mSecSinceBoot: 2_000, goodPart: 105 });
    await program.stop();
    const file = path.join(program.dir, 'plantgate.yaml');
    // In the new zone the shifts lie half a day apart from those of the old one, at any hour of the test.
    writeFileSync(file, readFileSync(file, 'utf8').replace('Etc/GMT+6', 'Etc/GMT-6'));
    await startAgain();
    await status({ mSecSinceBoot: 3_000, goodPart: 112 });
    // The two shifts have the same date for half of the day, and the list then has both.
    const { shifts } = (await program.api('GET', '/machines/RF-01/production')).body;
    expect(shifts).toContainEqual(expect.objectContaining({ goodParts: 7 }));
  });

  it('D-03, D-09, DEV-07, MQTT-06, VAR-04 after kill -9 part, production, downtime, presence and variables go on', async () => {
    const rf2 = await device(program, 'RF-02');
    const read = async (more = '') => (await program.api('GET', `/machines/RF-02${more}`)).body;
    await rf2.publish('online', 'true', true);
    await rf2.status();
    await program.api('PUT', '/machines/RF-02/part', { partId: 'P-200' });
    await rf2.status({ mSecSinceBoot: 2_000, goodPart: 105 });
    await rf2.status({ mSecSinceBoot: 3_000, goodPart: 105, running: false });
    await rf2.publish('vars/lineSpeed', '7.5');
    await expect.poll(async () => (await read('/downtimes')).length).toBe(1);
    await program.untilStored();
    await program.kill();

    await startAgain();
    expect(await read()).toMatchObject({
      connection: 'online',
      part: { partId: 'P-200', partName: 'Panel 200' },
      decision: { runEnabled: false, message: 'Downtime categorization required' },
      openDowntime: { reasonId: null },
    });
    await program.device(
      'status',
      statusOf({ machineId: 'RF-02', mSecSinceBoot: 60_000, goodPart: 125, running: false }),
    );
    const { shiftDate, goodParts } = await read('/production');
    expect(goodParts).toBe(25);
    expect(await read('/downtimes')).toHaveLength(1);
    const { points } = await read(`/variables/lineSpeed?shiftDate=${shiftDate}`);
    expect(points.map(({ value }: { value: number }) => value)).toEqual([7.5]);
  });

  it('D-03 a restart is no stop: the machine may run on, and no downtime begins', async () => {
    await program.device('status', statusOf({ machineId: 'RF-03', partId: 'P-100' }));
    expect(await program.stop()).toBe(0);
    await startAgain();
    expect((await program.api('GET', '/machines/RF-03')).body.decision).toMatchObject({ runEnabled: true });
    expect((await program.api('GET', '/machines/RF-03/downtimes')).body).toEqual([]);
  });

  it('D-10, DEV-16 a work session goes on over a restart and a reboot of the device', async () => {
    const job = { machineId: 'RF-04', jobNumber: 'J-1', userId: '4711', partId: 'P-100' };
    const reboot = { machineId: 'RF-04', cycle: 0, goodPart: 5, badPart: 0, partId: 'P-100' };
    await program.device('status', statusOf({ ...job, goodPart: 0 }));
    await program.device('status', statusOf({ ...job, mSecSinceBoot: 2_000, goodPart: 10 }));
    await program.stop();
    await startAgain();
    await program.device('status', statusOf({ ...job, ...reboot, mSecSinceBoot: 500 }));
    await program.device('status', statusOf({ ...reboot, mSecSinceBoot: 900, jobNumber: 'J-2' }));
    const sessions = (await program.api('GET', '/machines/RF-04/workSessions')).body;
    expect(sessions.find((session: { jobNumber: string }) => session.jobNumber === 'J-1')).toMatchObject({
      goodParts: 15,
      userId: '4711',
    });
  });

  it('machines that the store knows are answered before the plant file is read', async () => {
    const { dir, httpPort } = program;
    const parts = Array.from({ length: 3_000 }, (_, index) => `{ partId: N-${index}, partName: New ${index} }, `);
    await program.stop();
    writeFileSync(path.join(dir, 'plant.yaml'), SHARED_PLANT.replace('parts: [ ', `parts: [ ${parts.join('')}`));
    const ports = `http: { host: 127.0.0.1, port: ${httpPort} }\nmqtt: { host: 127.0.0.1, port: 0 }\n`;
    writeFileSync(path.join(dir, 'plantgate.yaml'), `plant: ./plant.yaml\n${ports}`);
    const starting = startAgain();
    const soon = { timeout: 20_000, interval: 5 };
    const { status } = await vi.waitFor(() => program.device('status', statusOf({ mSecSinceBoot: 70_000 })), soon);
    expect(status).toBe(200);
    const statusOfNewPart = async () => (await program.api('GET', '/plant/parts/N-2999')).status;
    await vi.waitFor(async () => expect(await statusOfNewPart()).toBe(404), soon);
    await starting;
    await vi.waitFor(async () => expect(await statusOfNewPart()).toBe(200), soon);
  });

  it('a faulty plant file ends a start without a stored plant with 78, but not one with a stored plant', async () => {
    await program.stop();
    writeFileSync(path.join(program.dir, 'plant.yaml'), 'machines: [ { machineId: "a/b", topicRoot: /x } ]\n');
    await startAgain();
    expect((await program.api('GET', '/machines')).body).toHaveLength(MACHINE_IDS.length);
    expect((await program.api('GET', '/diagnostics')).body.counts.plantFile).toBe(1);
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
});

describe('the program', () => {
  it('refuses a data directory that another process uses, with 73', async () => {
    const second = await Program.run(shared.dir);
    expect(second.code).toBe(73);
    expect(second.output).toContain('data');
    expect((await shared.api('GET', '/machines')).status).toBe(200);
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

  it('MQTT-09 applies the plant file when it changes, all or nothing', async () => {
    const file = path.join(shared.dir, 'plant.yaml');
    writeFileSync(file, SHARED_PLANT.replace(rootOf('RF-02'), `${rootOf('RF-01')}/inside`));
    await expect
      .poll(async () => (await shared.api('GET', '/diagnostics')).body.counts.plantFile, { timeout: 8_000 })
      .toBe(1);
    expect((await shared.api('GET', '/machines/RF-02')).body.topicRoot).toBe(rootOf('RF-02'));
    writeFileSync(
      file,
      SHARED_PLANT.replace(`RF-02, topicRoot: ${rootOf('RF-02')}`, `RF-08, topicRoot: ${rootOf('RF-08')}`),
    );
    await expect.poll(async () => (await shared.api('GET', '/machines/RF-08')).status, { timeout: 8_000 }).toBe(200);
    expect((await shared.device('status', statusOf({ machineId: 'RF-08' }))).status).toBe(200);
    expect((await shared.api('GET', '/machines/RF-02')).status).toBe(200);
  });

  it('ends with 0 at SIGTERM within five seconds, and only its owner can read its files', async () => {
    await device(shared, 'RF-01');
    const from = performance.now();
    expect(await shared.stop()).toBe(0);
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(statSync(path.join(shared.dir, 'data')).mode & 0o777).toBe(0o700);
    for (const file of ['plantgate.db', 'local-access.json']) {
      expect(statSync(path.join(shared.dir, 'data', file)).mode & 0o777).toBe(0o600);
    }
  });
});
