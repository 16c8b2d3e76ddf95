import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { writeUpdate } from '../../build/update-archive.ts';
import { NEWEST_SCHEMA } from '../../src/adapters/store/thread/database/migrations.ts';
import { installationIn } from '../../src/cli/commands/service/installation.ts';
import { updatePlaces } from '../../src/cli/commands/update/update-places.ts';
import { type Json, NODE_COMPILE_CACHE, Program, statusOf } from './program.ts';
import { RawDevice } from './raw-device.ts';
import { type SmallDisk, smallDisks } from './small-disk.ts';

/** The archive, what stays free for the database (256 MiB), and the database. */
const DISK_MIB = 320;
const PROGRAM_BYTES = 2_000_000;
const PIECE_BYTES = 262_144;
const ANSWER_WITHIN_MS = 250;

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

let dir = '';
let program: Program;
let attached: SmallDisk;
let archive: Buffer;
let device: AnsweredDevice;

/** A machine that reports without a pause, and the longest time for which it waited. */
class AnsweredDevice {
  slowestMs = 0;
  answers = 0;
  readonly #device: RawDevice;
  readonly #done: Promise<void>;
  #stopped = false;

  constructor(raw: RawDevice) {
    this.#device = raw;
    this.#done = this.#report();
  }

  /** Measures from now on: filling a disk keeps the test itself busy. */
  async measureAgain(): Promise<void> {
    const { answers } = this;
    await expect.poll(() => this.answers).toBeGreaterThan(answers);
    this.slowestMs = 0;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
    this.#device.drop();
  }

  async #report(): Promise<void> {
    for (let number = 0; !this.#stopped; number++) {
      const from = performance.now();
      const heard = new Promise<void>((resolve) => {
        this.#device.onCommand = () => resolve();
      });
      this.#device.status(statusOf({ mSecSinceBoot: 1_000 + number }));
      await heard;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - from);
      this.answers++;
      await pause(110);
    }
  }
}

/** A gateway on the small disk, and the archive, the keys and the unit of root elsewhere. */
async function start(disk: SmallDisk): Promise<void> {
  attached = disk;
  dir = Program.prepare();
  disk.attach(dir);
  const root = path.join(dir, 'computer');
  const places = updatePlaces(installationIn(root));
  for (const file of [places.applyPath, places.trustedKeys]) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(places.applyPath, `[Path]\nPathExists=${path.join(dir, 'data/requested.update')}\n`);
  writeFileSync(places.trustedKeys, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  writeFileSync(path.join(dir, 'made'), Buffer.alloc(PROGRAM_BYTES, 'a program '));
  const made = { version: '77.0.0', arch: process.arch, schema: NEWEST_SCHEMA, created: new Date(0) };
  await writeUpdate(path.join(dir, 'made.update'), { ...made, binary: path.join(dir, 'made') }, privateKey);
  archive = readFileSync(path.join(dir, 'made.update'));
  program = await Program.start({
    dir,
    atHand: true,
    environment: { ...process.env, NODE_COMPILE_CACHE, APPLYING_ROOT: root },
  });
  device = new AnsweredDevice(
    await RawDevice.open(program.mqttPort, { clientId: 'RF-01', topicRoot: 'plant1/rollformer-1' }),
  );
}

afterEach(async () => {
  await device.stop();
  await program.kill();
  attached.detach(dir);
  program.cleanUp();
});

const updateFilesOnDisk = () => readdirSync(path.join(dir, 'data')).filter((name) => name.endsWith('.update'));

async function sendPiece(uploadId: string, offset: number): Promise<{ status: number; text: string }> {
  const place = `/api/local/update/upload/${uploadId}?offset=${offset}`;
  const answer = await fetch(`http://127.0.0.1:${program.httpPort}${place}`, {
    method: 'PUT',
    headers: { authorization: `ApiKey ${program.key}`, 'content-type': 'application/octet-stream' },
    body: archive.subarray(offset, offset + PIECE_BYTES),
  });
  return { status: answer.status, text: await answer.text() };
}

async function begin(): Promise<string> {
  const { status, body } = await program.api('POST', '/update/upload', { bytes: archive.length });
  expect({ status, body }).toEqual({ status: 201, body: { uploadId: expect.any(String) } });
  return body.uploadId;
}

async function sendWhole(): Promise<Json> {
  const uploadId = await begin();
  for (let offset = 0; offset < archive.length; offset += PIECE_BYTES) {
    expect((await sendPiece(uploadId, offset)).status).toBe(204);
  }
  return program.api('POST', `/update/upload/${uploadId}/verify`);
}

async function expectNothingLeft(): Promise<void> {
  expect(updateFilesOnDisk()).toEqual([]);
  const { body } = await program.api('GET', '/update');
  expect(body).toMatchObject({ obstacle: null, upload: { state: 'none', receivedBytes: 0 }, outcome: null });
}

describe.each(smallDisks(DISK_MIB))('an update from the page on $name', (disk) => {
  it('D-46, VAR-04 ends with the reason and leaves nothing behind, machines are answered, and it can be sent again', async () => {
    await start(disk);
    const uploadId = await begin();
    expect((await sendPiece(uploadId, 0)).status).toBe(204);
    disk.fill(program);
    await device.measureAgain();
    const refused = await sendPiece(uploadId, PIECE_BYTES);
    expect(refused).toEqual({
      status: 503,
      text: expect.stringMatching(/the update cannot go on: .*(ENOSPC|EFBIG|took)/),
    });
    await expectNothingLeft();
    expect((await sendPiece(uploadId, PIECE_BYTES)).status).toBe(404);

    const before = device.answers;
    await pause(1_000);
    expect(device.answers).toBeGreaterThan(before + 4);
    disk.makeRoom(program);
    expect(await sendWhole()).toMatchObject({ status: 200, body: { upload: { state: 'ready', version: '77.0.0' } } });
    expect(device.slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
    console.info({ disk: disk.name, refused: refused.text, slowestAnswerMs: Math.round(device.slowestMs) });
  }, 60_000);

  it('D-46 is handed to root as a whole if the disk becomes full after it was verified, and the audit says so', async () => {
    await start(disk);
    expect((await sendWhole()).status).toBe(200);
    disk.fill(program);
    // A full disk is noticed when something has to be stored: the first status of a machine.
    expect((await program.device('status', statusOf({ machineId: 'RF-02' }))).status).toBe(200);
    await expect.poll(async () => (await program.get('/readyz')).status, { timeout: 20_000 }).toBe(503);
    expect((await program.api('POST', '/update/install', { version: '77.0.0' })).status).toBe(202);
    expect(updateFilesOnDisk()).toEqual(['requested.update']);
    expect(readFileSync(path.join(dir, 'data/requested.update')).equals(archive)).toBe(true);
    disk.makeRoom(program);
    await expect
      .poll(async () => (await program.api('GET', '/audit?q=installUpdate')).body.entries)
      .toEqual([expect.objectContaining({ act: 'installUpdate', subject: '77.0.0' })]);
  }, 60_000);
});

describe.each(smallDisks(DISK_MIB).filter(({ whenFull }) => whenFull.length === 0))('on $name', (disk) => {
  it('D-46 an archive is refused before its first byte if 256 MiB would not stay free', async () => {
    await start(disk);
    disk.fill(program);
    await device.measureAgain();
    const from = performance.now();
    const { status, body } = await program.api('POST', '/update/upload', { bytes: archive.length });
    expect(performance.now() - from).toBeLessThan(1_000);
    expect(status).toBe(503);
    expect(body.errors[0]).toMatch(/data needs 258 MiB for the update, and 0 MiB are free: make room there$/);
    await expectNothingLeft();
    disk.makeRoom(program);
    await begin();
    expect(updateFilesOnDisk()).toEqual(['incoming.update']);
    expect(statSync(path.join(dir, 'data/incoming.update')).size).toBe(0);
    expect(device.slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
  }, 60_000);
});
