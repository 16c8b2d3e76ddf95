import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Json, Program, statusOf } from './program.ts';
import { RawDevice, VariablePublisher } from './raw-device.ts';
import { type SmallDisk, smallDisks } from './small-disk.ts';

const ROOT = 'plant1/rollformer-1';
const ANSWER_WITHIN_MS = 250;
const RESUMED_WITHIN_MS = 5_000;
/** Five seconds are promised. */
const MOST_VARIABLES_WAIT_MS = 7_000;

let dir = '';
let program: Program;
let publisher: VariablePublisher;
let attached: SmallDisk;

async function start(disk: SmallDisk): Promise<void> {
  attached = disk;
  dir = Program.prepare();
  disk.attach(dir);
  program = await Program.start({ dir });
  publisher = new VariablePublisher('historian', `${ROOT}/vars/lineSpeed`);
}

afterEach(async () => {
  publisher.disconnect();
  await program.kill();
  attached.detach(dir);
  program.cleanUp();
});

async function readyz(): Promise<{ status: number; body: Json }> {
  const { status, text } = await program.get('/readyz');
  return { status, body: JSON.parse(text) };
}

async function stored(variable: string): Promise<readonly number[]> {
  const { body } = await program.api('GET', `/machines/RF-01/variables/${variable}`);
  return body.points.map(({ value }: Json) => value);
}

/** Publishes on a disk without room until the gateway says so. */
async function fillUnderLoad(disk: SmallDisk): Promise<void> {
  publisher.connect(program.mqttPort);
  await expect.poll(() => publisher.acknowledged.length).toBeGreaterThan(20);
  disk.fill(program);
  await expect.poll(async () => (await readyz()).status, { timeout: 10_000 }).toBe(503);
}

/** The answers to ten statuses in a row, and the longest wait. */
async function decide(
  device: RawDevice,
  uptimeMs: number,
): Promise<{ messages: readonly unknown[]; slowestMs: number }> {
  const messages: unknown[] = [];
  let slowestMs = 0;
  for (let number = 0; number < 10; number++) {
    const from = performance.now();
    const heard = new Promise<Json>((resolve) => {
      device.onCommand = ({ command }) => resolve(command);
    });
    device.status(statusOf({ partId: 'P-100', mSecSinceBoot: uptimeMs + number }));
    messages.push((await heard).message);
    slowestMs = Math.max(slowestMs, performance.now() - from);
    await pause(110);
  }
  return { messages, slowestMs };
}

describe.each(smallDisks())('$name', (disk) => {
  it('VAR-04 decisions go on, only stored variables are acknowledged, and storing resumes by itself', async () => {
    await start(disk);
    const device = await RawDevice.open(program.mqttPort, { clientId: 'RF-01', topicRoot: ROOT });
    await decide(device, 1_000);
    await fillUnderLoad(disk);

    const { messages, slowestMs } = await decide(device, 20_000);
    expect(messages).toEqual(Array.from({ length: 10 }, () => null));
    expect(slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
    const { status, body } = await readyz();
    expect(status).toBe(503);
    expect(body.reasons[0]).toMatch(/^store: (full|failing): .+/);
    const acknowledgedFull = publisher.acknowledged.length;
    await pause(1_000);
    expect(publisher.acknowledged).toHaveLength(acknowledgedFull);
    expect(publisher.waiting).toBeGreaterThan(0);
    const { storage } = (await program.api('GET', '/diagnostics')).body;
    expect(storage.health).toMatchObject({ state: expect.stringMatching(/full|failing/) });
    expect(storage.threadRestarts).toBe(0);

    disk.makeRoom(program);
    const roomAt = performance.now();
    await expect.poll(async () => (await readyz()).status, { timeout: RESUMED_WITHIN_MS, interval: 50 }).toBe(200);
    await expect
      .poll(() => publisher.acknowledged.length, { timeout: RESUMED_WITHIN_MS })
      .toBeGreaterThan(acknowledgedFull);
    const resumedMs = performance.now() - roomAt;
    publisher.stop();
    await expect.poll(() => publisher.waiting, { timeout: RESUMED_WITHIN_MS }).toBe(0);
    await program.kill();
    program = await Program.start({ dir });
    const values = new Set(await stored('lineSpeed'));
    expect(publisher.acknowledged.filter((value) => !values.has(value))).toEqual([]);
    expect(values.size).toBe(publisher.published);
    console.info({ disk: disk.name, slowestAnswerMs: Math.round(slowestMs), resumedMs: Math.round(resumedMs) });
  }, 60_000);

  it('VAR-04, D-11, ERR-01 variables over HTTP and acts of people are refused at once, and work again when there is room', async () => {
    await start(disk);
    await program.device('status', statusOf());
    await fillUnderLoad(disk);
    const from = performance.now();
    const variables = await Promise.race([
      program.device('vars', { machineId: 'RF-01', motorTemp: 61.5 }),
      pause(3_000),
    ]);
    expect(variables).toMatchObject({
      status: 500,
      body: { runEnabled: false, message: 'Server error - grain unavailable' },
    });
    const act = await Promise.race([program.api('PUT', '/machines/RF-01/part', { partId: 'P-100' }), pause(3_000)]);
    expect(act).toMatchObject({ status: 503, body: { errors: [expect.any(String)] } });
    expect(performance.now() - from).toBeLessThan(1_000);
    expect((await program.api('GET', '/machines/RF-01')).body.part).toBeNull();

    disk.makeRoom(program);
    await expect.poll(async () => (await readyz()).status, { timeout: RESUMED_WITHIN_MS }).toBe(200);
    expect((await program.api('GET', '/machines/RF-01')).body.part).toBeNull();
    expect((await program.device('vars', { machineId: 'RF-01', motorTemp: 62 })).status).toBe(200);
    expect((await program.api('PUT', '/machines/RF-01/part', { partId: 'P-200' })).status).toBe(200);
    await program.kill();
    program = await Program.start({ dir });
    expect((await program.api('GET', '/machines/RF-01')).body.part).toMatchObject({ partId: 'P-200' });
    expect(await stored('motorTemp')).toEqual([62]);
  }, 60_000);

  it('VAR-04, D-11 variables that are sent as the disk becomes full are answered with 500 in time, and a status after them at once', async () => {
    await start(disk);
    await program.device('status', statusOf());
    await expect.poll(async () => (await readyz()).status).toBe(200);
    disk.fill(program);
    const from = performance.now();
    const { status, body } = await program.device('vars', { machineId: 'RF-01', motorTemp: 61.5 });
    const tookMs = performance.now() - from;
    expect({ status, body }).toMatchObject({ status: 500, body: { runEnabled: false } });
    expect(tookMs).toBeLessThan(MOST_VARIABLES_WAIT_MS);
    expect((await program.device('status', statusOf({ mSecSinceBoot: 9_000 }))).status).toBe(200);
    disk.makeRoom(program);
    await expect.poll(async () => (await readyz()).status, { timeout: RESUMED_WITHIN_MS }).toBe(200);
    expect((await program.device('vars', { machineId: 'RF-01', motorTemp: 62 })).status).toBe(200);
    expect((await stored('motorTemp')).at(-1)).toBe(62);
    console.info({ disk: disk.name, answeredMs: Math.round(tookMs) });
  }, 60_000);

  it('D-03 a gateway that starts on a full disk decides, and stores once there is room', async () => {
    await start(disk);
    await program.device('status', statusOf({ partId: 'P-100' }));
    await fillUnderLoad(disk);
    await program.kill();
    program = await Program.start({ dir, under: disk.whenFull });
    expect((await program.device('status', statusOf({ mSecSinceBoot: 9_000 }))).body).toMatchObject({
      runEnabled: true,
    });
    await expect.poll(async () => (await readyz()).status, { timeout: 15_000 }).toBe(503);
    disk.makeRoom(program);
    await expect.poll(async () => (await readyz()).status, { timeout: RESUMED_WITHIN_MS }).toBe(200);
    expect((await program.device('vars', { machineId: 'RF-01', motorTemp: 62 })).status).toBe(200);
  }, 60_000);
});
