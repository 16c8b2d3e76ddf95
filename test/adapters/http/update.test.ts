import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeUpdate } from '../../../build/update-archive.ts';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { NEWEST_SCHEMA } from '../../../src/adapters/store/thread/database/migrations.ts';
import { MAX_UPDATE_BYTES } from '../../../src/domain/update/update-header.ts';
import { VERSION } from '../../../src/version.ts';
import { type Answer, type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const NEXT = { version: '77.0.0', arch: process.arch as string, schema: NEWEST_SCHEMA, created: new Date(0) };
const OCTETS = 'application/octet-stream';

let gateway: GatewayUnderTest;
const at = (name: string) => path.join(gateway.dataDir, name);
beforeAll(async () => {
  gateway = await startGateway({
    applying: (dataDir) => ({
      trustedKeys: path.join(dataDir, 'keys.pem'),
      applyPath: path.join(dataDir, 'apply.path'),
      packagedUnits: [path.join(dataDir, 'packaged.service')],
      outcome: path.join(dataDir, 'outcome.json'),
    }),
  });
  writeFileSync(at('keys.pem'), publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  writeFileSync(at('program'), 'a program '.repeat(1_000));
});
afterAll(() => gateway.close());
beforeEach(async () => {
  writeFileSync(at('apply.path'), `[Path]\nPathExists=${at('requested.update')}\n`);
  for (const name of ['requested.update', 'packaged.service', 'outcome.json']) rmSync(at(name), { force: true });
  await ask('DELETE', '/upload');
});

function ask(method: string, place = '', body?: unknown, type = 'application/json'): Promise<Answer> {
  const headers = { authorization: `ApiKey ${keyOf('admin')}`, ...(body !== undefined && { 'content-type': type }) };
  return gateway.call(method, `/api/local/update${place}`, body, headers);
}

async function archive(more: object = {}, key = privateKey): Promise<Buffer> {
  await writeUpdate(at('made.update'), { ...NEXT, ...more, binary: at('program') }, key);
  return readFileSync(at('made.update'));
}

async function begin(bytes: number): Promise<string> {
  const { status, body } = await ask('POST', '/upload', { bytes });
  expect({ status, body }).toEqual({ status: 201, body: { uploadId: expect.any(String) } });
  return `/upload/${(body as { uploadId: string }).uploadId}`;
}

const add = (upload: string, offset: number, piece: Buffer) => ask('PUT', `${upload}?offset=${offset}`, piece, OCTETS);

/** Sends an archive in pieces, and has it verified. */
async function send(bytes: Buffer): Promise<Answer> {
  const upload = await begin(bytes.length);
  for (let offset = 0; offset < bytes.length; offset += 4_000) {
    expect((await add(upload, offset, bytes.subarray(offset, offset + 4_000))).status).toBe(204);
  }
  return ask('POST', `${upload}/verify`);
}

describe('D-46 an update from the page', () => {
  it('is received, verified, and handed to root; the audit says by whom', async () => {
    const bytes = await archive();
    expect(await send(bytes)).toMatchObject({
      status: 200,
      body: { version: VERSION, obstacle: null, upload: { state: 'ready', version: '77.0.0' }, outcome: null },
    });
    expect((await ask('POST', '/install', { version: '78.0.0' })).status).toBe(409);
    const requested = await ask('POST', '/install', { version: '77.0.0' });
    expect(requested).toMatchObject({ status: 202, body: { upload: { state: 'requested', version: '77.0.0' } } });
    expect(readFileSync(at('requested.update')).equals(bytes)).toBe(true);
    expect(statSync(at('requested.update')).mode & 0o777).toBe(0o600);
    expect((await ask('DELETE', '/upload')).status).toBe(409);
    const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=installUpdate');
    expect(body).toMatchObject({ entries: [{ who: 'admin-principal', act: 'installUpdate', subject: '77.0.0' }] });
    // Root takes it, and tells the outcome.
    rmSync(at('requested.update'));
    const outcome = {
      result: 'refused',
      from: VERSION,
      to: '77.0.0',
      reason: 'no room',
      at: '2026-11-25T10:00:00.000Z',
    };
    writeFileSync(at('outcome.json'), JSON.stringify(outcome));
    expect((await ask('GET')).body).toMatchObject({ upload: { state: 'none' }, outcome });
  });

  it.each<readonly [string, () => Promise<Buffer>, RegExp]>([
    ['of another maker', () => archive({}, generateKeyPairSync('ed25519').privateKey), /no key that is trusted here/],
    ['with another program', async () => changed(await archive(), -5), /not the one that was signed/],
    ['with another header', async () => changed(await archive(), 120), /no key that is trusted here/],
    ['that is cut off', async () => (await archive()).subarray(0, -1), /its program has \d+ bytes/],
    ['of zeros', async () => Buffer.alloc(9_000), /no update archive of plantgate/],
    ['of an older version', () => archive({ version: '0.0.1' }), /0\.0\.1 is older than the installed/],
    ['of this version', () => archive({ version: VERSION }), /is installed already/],
    ['of another computer', () => archive({ arch: 'riscv64' }), /it is for riscv64/],
  ])('an archive %s is refused with the reason, and removed', async (_, make, reason) => {
    const { status, text } = await send(await make());
    expect({ status, text }).toEqual({ status: 400, text: expect.stringMatching(reason) });
    expect(existsSync(at('incoming.update'))).toBe(false);
    expect((await ask('GET')).body).toMatchObject({ upload: { state: 'none' } });
  });

  it('refuses a wrong piece, and says where the next one begins', async () => {
    const upload = await begin(3_000);
    const piece = Buffer.alloc(1_000);
    expect((await add(upload, 0, piece)).status).toBe(204);
    const late = await add(upload, 0, piece);
    expect(late).toMatchObject({ status: 409, text: expect.stringContaining('expected 1000: go on there') });
    expect((await add(upload, 1_000, Buffer.alloc(2_001))).status).toBe(400);
    expect((await add(upload, 1_000, Buffer.alloc(LIMITS.updatePieceBytes + 1))).status).toBe(413);
    expect((await ask('PUT', `${upload}?offset=1000`, {})).status).toBe(415);
    expect((await ask('PUT', `${upload}?offset=1000`)).status).toBe(400);
    expect((await ask('PUT', upload, piece, OCTETS)).status).toBe(400);
    expect((await ask('POST', `${upload}/verify`)).status).toBe(409);
    expect((await ask('GET')).body).toMatchObject({
      upload: { state: 'receiving', bytes: 3_000, receivedBytes: 1_000 },
    });
    expect(statSync(at('incoming.update')).size).toBe(1_000);
    expect((await add('/upload/none', 1_000, piece)).status).toBe(404);
    expect((await ask('POST', '/upload', { bytes: MAX_UPDATE_BYTES + 1 })).status).toBe(400);
  });

  it('a new upload ends the one before', async () => {
    const first = await begin(2_000);
    await add(first, 0, Buffer.alloc(1_500, 'a'));
    const second = await begin(10);
    expect((await add(first, 1_500, Buffer.alloc(500))).status).toBe(404);
    expect((await add(second, 0, Buffer.alloc(10, 'b'))).status).toBe(204);
    expect(readFileSync(at('incoming.update'), 'latin1')).toBe('b'.repeat(10));
  });

  it('is not offered where no service waits for requests of this data directory, or a package has installed it', async () => {
    writeFileSync(at('apply.path'), '[Path]\nPathExists=/var/lib/plantgate/requested.update\n');
    expect((await ask('GET')).body).toMatchObject({ obstacle: 'noService' });
    renameSync(at('apply.path'), at('another.path'));
    expect((await ask('GET')).body).toMatchObject({ obstacle: 'noService' });
    const refused = await ask('POST', '/upload', { bytes: 10 });
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('plantgate update FILE') });
    writeFileSync(at('packaged.service'), '');
    expect((await ask('GET')).body).toMatchObject({ obstacle: 'package' });
    expect(await ask('POST', '/upload', { bytes: 10 })).toMatchObject({
      text: expect.stringContaining('package manager'),
    });
  });
});

function changed(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = place < 0 ? copy.length + place : place;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
}
