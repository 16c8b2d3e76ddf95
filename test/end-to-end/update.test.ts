import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeUpdate } from '../../build/update-archive.ts';
import manifest from '../../package.json' with { type: 'json' };
import { NEWEST_SCHEMA } from '../../src/adapters/store/thread/database/migrations.ts';
import { type Installation, installationIn } from '../../src/cli/commands/service/installation.ts';
import { runRequestedUpdate } from '../../src/cli/commands/update/requested/requested-update.ts';
import { runUpdate } from '../../src/cli/commands/update/update.ts';
import { realUpdateParts } from '../../src/cli/commands/update/update-command.ts';
import type { ServiceControl } from '../../src/cli/commands/update/update-parts.ts';
import { updatePlaces } from '../../src/cli/commands/update/update-places.ts';
import { openLocalClient } from '../../src/cli/local-client.ts';
import { parseUpdateOutcome, REQUESTED_UPDATE } from '../../src/domain/update/update-outcome.ts';
import { PROGRAM_FILE } from '../bundle-program.ts';
import { fakeIo } from '../cli/program-under-test.ts';
import { NODE_COMPILE_CACHE, PLANT } from './program.ts';

const NEXT = '77.0.0';
/** The new version has so long to serve, and then the old one: on a busy computer it takes more than 5 s. */
const BACK_WITHIN_MS = 15_000;
/** A version that changes the schema, writes, and then never answers. */
const HANGING = `
if (process.argv[2] === '--version') { console.log('78.0.0'); process.exit(0); }
const Database = require(${JSON.stringify(path.resolve('node_modules/better-sqlite3'))});
const database = new Database(process.env.DATABASE);
database.pragma('user_version = ${NEWEST_SCHEMA + 1}');
database.exec('DROP TABLE IF EXISTS machine; CREATE TABLE of_the_new_version (row)');
setInterval(() => undefined, 1000);
`;

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
let root: string;
let installation: Installation;
let running: ChildProcess | null = null;

/** The service without systemd: one process, which is not restarted. */
const service: ServiceControl = {
  start: async () => {
    const { binary, config, dataDir } = installation;
    const env = { ...process.env, NODE_COMPILE_CACHE, DATABASE: path.join(dataDir, 'plantgate.db') };
    running = spawn(binary, ['run', '--config', config], { stdio: 'ignore', env });
  },
  stop: async () => {
    const child = running;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  },
  failure: () => (running?.exitCode == null ? null : `it ended with ${running.exitCode}`),
  guardStart: () => undefined,
};

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'plantgate-updated-'));
  installation = installationIn(root);
  const { binary, configDir, config, dataDir } = installation;
  for (const dir of [path.dirname(binary), configDir, dataDir]) mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(configDir, 'plant.yaml'), PLANT);
  const ports = 'http: { host: 127.0.0.1, port: 0 }\nmqtt: { host: 127.0.0.1, port: 0 }\n';
  writeFileSync(config, `dataDir: ${dataDir}\nplant: ./plant.yaml\n${ports}`);
  writeFileSync(binary, scriptOf(PROGRAM_FILE), { mode: 0o755 });
  await service.start();
  await vi.waitFor(async () => expect(await call('GET', '/api/local/system')).toMatchObject({ ok: true }), {
    timeout: 60_000,
    interval: 200,
  });
}, 90_000);
afterAll(async () => {
  await service.stop();
  rmSync(root, { recursive: true, force: true });
});

function scriptOf(program: string): string {
  return `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
}

async function call(method: 'GET' | 'PUT', url: string, body?: unknown) {
  const opened = await openLocalClient(installation.dataDir);
  return opened.ok ? opened.client.call(method, url, body) : opened;
}

async function update(program: string, version: string, schema: number, waitMs: number, isRequested = false) {
  const binary = path.join(root, 'new-program');
  writeFileSync(binary, scriptOf(program));
  const file = path.join(root, 'new.update');
  await writeUpdate(file, { binary, version, arch: process.arch, schema, created: new Date() }, privateKey);
  const io = fakeIo();
  const parts = realUpdateParts(installation, '/var/lib/plantgate', io);
  const present = { ...parts, service, versionOf: () => version };
  if (isRequested) {
    renameSync(file, path.join(installation.dataDir, REQUESTED_UPDATE));
    writeFileSync(parts.places.trustedKeys, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
    return { exitCode: await runRequestedUpdate(waitMs, present, io), io };
  }
  const options = { file, trustedKeys: [publicKey], checkOnly: false, allowDowngrade: false, waitMs };
  const exitCode = await runUpdate(options, present, io);
  return { exitCode, io };
}

async function served() {
  const [system, machine] = [await call('GET', '/api/local/system'), await call('GET', '/api/local/machines/RF-01')];
  return { system, machine };
}

describe('plantgate update with the real program', () => {
  it('D-42, D-43 brings back the program and the data after a version that damages the database and hangs', {
    timeout: 180_000,
  }, async () => {
    await call('PUT', '/api/local/machines/RF-01/part', { partId: 'P-200' });
    const hanging = path.join(root, 'hanging.cjs');
    writeFileSync(hanging, HANGING);
    const { exitCode, io } = await update(hanging, '78.0.0', NEWEST_SCHEMA + 1, BACK_WITHIN_MS);
    const said = io.err.join('\n');
    expect({ exitCode, said }).toMatchObject({ exitCode: 69, said: expect.stringContaining('is back and serves') });
    expect(said).toMatch(/What the new version left is kept: .*before-restore/);
    expect(await served()).toMatchObject({
      system: { ok: true, body: { version: manifest.version } },
      machine: { ok: true, body: { part: { partId: 'P-200' } } },
    });
  });

  it('D-42, D-46 ends with the new version, which serves on the same data, at the request of the gateway', {
    timeout: 180_000,
  }, async () => {
    const folder = path.join(root, 'next');
    cpSync(path.dirname(PROGRAM_FILE), folder, { recursive: true });
    const bundle = path.join(folder, 'main-thread.cjs');
    const text = readFileSync(bundle, 'utf8');
    const renamed = text.replace(`version:"${manifest.version}"`, `version:"${NEXT}"`);
    expect(renamed).not.toBe(text);
    writeFileSync(bundle, renamed);
    const { exitCode, io } = await update(path.join(folder, 'main.cjs'), NEXT, NEWEST_SCHEMA, 60_000, true);
    expect({ exitCode, err: io.err }).toEqual({ exitCode: 0, err: [] });
    expect(io.out.join('\n')).toContain('A verified backup of the gateway is');
    const told = readFileSync(updatePlaces(installation).outcome, 'utf8');
    expect(parseUpdateOutcome(told)).toMatchObject({ result: 'installed', from: manifest.version, to: NEXT });
    expect(await served()).toMatchObject({
      system: { ok: true, body: { version: NEXT } },
      machine: { ok: true, body: { part: { partId: 'P-200' } } },
    });
  });
});
