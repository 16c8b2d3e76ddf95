import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { writeUpdate } from '../../build/update-archive.ts';
import manifest from '../../package.json' with { type: 'json' };
import { NEWEST_SCHEMA } from '../../src/adapters/store/thread/database/migrations.ts';
import { installationIn } from '../../src/cli/commands/service/installation.ts';
import { writeOutcome } from '../../src/cli/commands/update/requested/outcome-file.ts';
import { type UpdatePlaces, updatePlaces } from '../../src/cli/commands/update/update-places.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { inEnvironment, type TimeSlicer } from './pace.ts';
import { type Json, NODE_COMPILE_CACHE, PLANT, Program } from './program.ts';

/** Programs start slowly while other tests run beside them. */
vi.setConfig({ testTimeout: 120_000 });

const PACE: TimeSlicer = { times: 8, fromWallMs: Date.now() };
const KEY = 'line-3-key-0123456789';
const WITHIN = { timeout: 40_000, interval: 200 };
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519').privateKey;

const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
});

interface Computer {
  readonly program: Program;
  readonly places: UpdatePlaces;
  /** The archive that waits for root. */
  readonly requested: string;
}

const PLANT_OF_CENTRAL = PLANT.replace(
  /^apiKeys:.*$/m,
  `apiKeys: [ { principal: lines, key: ${KEY}, role: gateway } ]`,
);

/** A program on a computer of its own, on which root trusts a key and installs updates. */
async function start(settings: string, plant: string): Promise<Computer> {
  const dir = Program.prepare({ settings, plant });
  const root = path.join(dir, 'computer');
  const places = updatePlaces(installationIn(root));
  const requested = path.join(dir, 'data/requested.update');
  for (const file of [places.applyPath, places.trustedKeys]) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(places.applyPath, `[Path]\nPathExists=${requested}\n`);
  writeFileSync(places.trustedKeys, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  const environment = { ...process.env, NODE_COMPILE_CACHE, APPLYING_ROOT: root, ...inEnvironment(PACE) };
  const program = await Program.start({ dir, atHand: true, environment });
  programs.push(program);
  return { program, places, requested };
}

async function pack(dir: string, key = privateKey): Promise<Buffer> {
  const [out, binary] = [path.join(dir, 'made.update'), path.join(dir, 'program')];
  writeFileSync(binary, 'a program '.repeat(30_000));
  const made = { version: '77.0.0', arch: process.arch, schema: NEWEST_SCHEMA, created: new Date(0) };
  await writeUpdate(out, { ...made, binary }, key);
  return readFileSync(out);
}

async function send({ program }: Computer, archive: Buffer): Promise<{ status: number; body: Json }> {
  const { uploadId } = (await program.api('POST', '/fleet/archives/upload', { bytes: archive.length })).body;
  const upload = `/fleet/archives/upload/${uploadId}`;
  for (let offset = 0; offset < archive.length; offset += 200_000) {
    const answer = await fetch(`http://127.0.0.1:${program.httpPort}/api/local${upload}?offset=${offset}`, {
      method: 'PUT',
      headers: { authorization: `ApiKey ${program.key}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(archive.subarray(offset, offset + 200_000)),
    });
    expect(answer.status).toBe(204);
  }
  return program.api('POST', `${upload}/finish`);
}

/** Waits until the gateways have told their condition, and makes a group of them. */
async function groupOf({ program }: Computer, gatewayIds: readonly string[]): Promise<string> {
  await expect
    .poll(async () => (await program.api('GET', '/gateways')).body.filter(told).length, WITHIN)
    .toBe(gatewayIds.length);
  const { groupId } = (await program.api('POST', '/fleet/groups', { name: 'North' })).body;
  for (const gatewayId of gatewayIds) await program.api('PUT', `/fleet/groups/${groupId}/gateways/${gatewayId}`);
  return groupId;
}

const told = ({ health }: Json): boolean => health !== null;

it('D-107 an update goes to the canary first, and stops by itself when that rolls it back', async () => {
  const central = await start('gatewayId: central\n', PLANT_OF_CENTRAL);
  const upstream = `upstream: { url: "http://127.0.0.1:${central.program.httpPort}/", apiKey: ${KEY} }\n`;
  const canary = await start(`${upstream}gatewayId: line-1\n`, PLANT);
  const other = await start(`${upstream}gatewayId: line-2\n`, PLANT);
  const api = (method: string, place: string, body?: object) => central.program.api(method, place, body);
  const groupId = await groupOf(central, ['line-1', 'line-2']);
  const update = `/fleet/groups/${groupId}/update`;
  const shown = async (): Promise<Json> => (await api('GET', update)).body.update;
  expect(await shown()).toBe(null);

  const refused = await send(central, await pack(central.program.dir, stranger));
  expect(refused).toMatchObject({ status: 400, body: { errors: [expect.stringContaining('no key that is trusted')] } });
  const archive = await pack(central.program.dir);
  const kept = await send(central, archive);
  expect(kept).toMatchObject({ status: 201, body: { version: '77.0.0', arch: process.arch, bytes: archive.length } });
  const { archiveId } = kept.body;
  const begin = { archiveId, canaries: ['line-1'], atOnce: 5 };
  expect((await api('POST', update, { ...begin, canaries: ['line-9'] })).status).toBe(400);
  expect((await api('POST', update, begin)).status).toBe(204);
  expect((await api('POST', update, begin)).status).toBe(409);

  await expect.poll(() => existsSync(canary.requested), WITHIN).toBe(true);
  expect(readFileSync(canary.requested).equals(archive)).toBe(true);
  await expect
    .poll(shown, WITHIN)
    .toMatchObject({ state: 'running', gateways: [{ standing: 'taking' }, { standing: 'waiting' }] });
  // Root takes it, the new version does not serve, and the one before comes back.
  rmSync(canary.requested);
  const at = new Date().toISOString();
  const reason = 'the new version did not serve within 60 s';
  writeOutcome(canary.places.outcome, { result: 'rolledBack', from: manifest.version, to: '77.0.0', reason, at });
  await expect.poll(shown, WITHIN).toMatchObject({
    state: 'stopped',
    why: `line-1: rolledBack: ${reason}`,
    gateways: [
      { gatewayId: 'line-1', standing: 'failed', why: `rolledBack: ${reason}`, version: manifest.version },
      { gatewayId: 'line-2', standing: 'waiting' },
    ],
  });
  expect(existsSync(other.requested)).toBe(false);
  const actsAt = async ({ program }: Computer): Promise<readonly string[]> =>
    (await program.api('GET', '/audit')).body.entries.map(({ who, act, subject }: Json) => `${who} ${act} ${subject}`);
  expect(await actsAt(canary)).toEqual(
    expect.arrayContaining(['central server installUpdate 77.0.0', 'central server refuseUpdate 77.0.0']),
  );
  expect(await actsAt(central)).toEqual(
    expect.arrayContaining([
      'roll-out giveUpdate 77.0.0',
      'roll-out stopUpdate 77.0.0',
      'local beginGroupUpdate North',
    ]),
  );

  // A person has looked at it, and goes on without that gateway; it is not given the update again.
  expect((await api('POST', `${update}/goOn`)).status).toBe(204);
  await expect.poll(() => existsSync(other.requested), WITHIN).toBe(true);
  expect(existsSync(canary.requested)).toBe(false);
  expect((await api('POST', `${update}/stop`)).status).toBe(204);
  expect(await shown()).toMatchObject({ state: 'stopped', why: '' });
});

it('D-111 an archive that was sent to one node is given by another one, while the first is dead', async () => {
  const database = await LocalPostgres.start();
  onTestFinished(() => database.end());
  const settings = `storage: { postgres: { url: "${database.url()}", maxConnections: 8 } }\n`;
  const first = await start(settings, PLANT_OF_CENTRAL);
  const second = await start(settings, '{}');
  const upstream = `upstream: { url: "http://127.0.0.1:${second.program.httpPort}/", apiKey: ${KEY} }\n`;
  const line = await start(`${upstream}gatewayId: line-1\n`, PLANT);
  const groupId = await groupOf(second, ['line-1']);
  const archive = await pack(first.program.dir);
  const kept = await send(first, archive);
  expect(kept.status).toBe(201);
  await first.program.kill();
  expect((await second.program.api('GET', '/fleet/archives')).body).toEqual([kept.body]);
  const begin = { archiveId: kept.body.archiveId, canaries: [], atOnce: 1 };
  expect((await second.program.api('POST', `/fleet/groups/${groupId}/update`, begin)).status).toBe(204);
  // The gateway has verified it, too.
  await expect.poll(() => existsSync(line.requested), WITHIN).toBe(true);
  expect(readFileSync(line.requested).equals(archive)).toBe(true);
});
