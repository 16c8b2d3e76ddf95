import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { V8_OPTIONS } from '../../build/single-executable.ts';
import manifest from '../../package.json' with { type: 'json' };
import { Program, statusOf } from '../end-to-end/program.ts';

const binary = path.resolve(import.meta.dirname, `../../dist/plantgate-linux-${process.arch}`);
/**
 * An environment with only the directory for the native addon of the unit file, because a service's user may have no
 * home.
 */
const cacheDir = mkdtempSync(path.join(tmpdir(), 'plantgate-native-'));
const NOTHING: NodeJS.ProcessEnv = { PKG_NATIVE_CACHE_PATH: cacheDir };

/** The output of `npm run build:binary`, in an empty environment: no Node, no sources, no node_modules. */
describe('the single binary', () => {
  let program: Program;

  beforeAll(async () => {
    if (!existsSync(binary)) throw new Error(`${binary} is missing: npm run build:binary makes it`);
    program = await Program.start({ binary, environment: NOTHING });
  });
  afterAll(async () => {
    await program.end();
    rmSync(cacheDir, { recursive: true, force: true });
  });

  it('serves the firmware samples that it holds', async () => {
    expect((await program.get('/docs/manual/operate.md')).text).toContain('## Back up and restore');
    expect((await program.get('/docs/samples')).text).toContain('siemens/Plantgate.scl');
    expect((await program.get('/docs/samples/c/plantgate.h')).text).toContain('plantgate_status');
  });

  it('has the page with all its files', async () => {
    const { text } = await program.get('/');
    const assets = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, asset = '']) => asset);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const asset of assets) expect(`${asset} ${(await program.get(asset)).status}`).toBe(`${asset} 200`);
    const script = await program.get(assets.find((asset) => asset.endsWith('.js')) ?? '');
    const [, later] = /\.\/(plants-place-[\w-]+\.js)/.exec(script.text) ?? [];
    expect(`${later} ${(await program.get(`/assets/${later}`)).status}`).toMatch(/^plants-place-.*\.js 200$/);
  });

  it('gives metrics, and a table to a client that asks for text/csv', async () => {
    expect((await program.get('/metrics')).text).toMatch(/^process_cpu_seconds_total \d/m);
    const headers = { authorization: `ApiKey ${program.key}`, accept: 'text/csv' };
    const table = await fetch(`http://127.0.0.1:${program.httpPort}/api/local/machines/RF-01/downtimes`, { headers });
    expect(table.headers.get('content-type')).toContain('text/csv');
  });

  it('takes a backup and verifies it in a thread of its own', async () => {
    const { status, body } = await program.api('POST', '/backups');
    expect({ status, body }).toMatchObject({ status: 201, body: { bytes: expect.any(Number) } });
  });

  it('says its version', () => {
    expect(execFileSync(binary, ['--version'], { env: NOTHING, encoding: 'utf8' }).trim()).toBe(manifest.version);
  });

  it('has no complaint from doctor, and has the folder with the unit file for install', async () => {
    const config = path.join(program.dir, 'plantgate.yaml');
    const said = execFileSync(binary, ['doctor', '--config', config], { env: NOTHING, encoding: 'utf8' });
    expect(said).toContain(' 0 faults');
    expect(execFileSync(binary, ['completion', 'bash'], { env: NOTHING, encoding: 'utf8' })).toContain('doctor');
    const image = mkdtempSync(path.join(tmpdir(), 'plantgate-image-'));
    // `install` ends with 74 here: the empty image has no /etc/passwd, and the environment has no PATH.
    spawnSync(binary, ['install', '--root', image], { env: NOTHING });
    expect(readFileSync(path.join(image, 'etc/systemd/system/plantgate.service'), 'utf8')).toContain('Type=notify');
    rmSync(image, { recursive: true });
  });

  it('comes with a bill of materials, and with the licence of each package in it', () => {
    const dist = path.dirname(binary);
    const bom = JSON.parse(readFileSync(path.join(dist, `sbom-linux-${process.arch}.cdx.json`), 'utf8')) as {
      readonly components: readonly { readonly name: string }[];
    };
    const names = bom.components.map(({ name }) => name).filter((name) => name !== 'node' && name !== 'openssl');
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    const licences = readFileSync(path.join(dist, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of names) expect(licences).toContain(name);
  });

  it('starts with the V8 settings of npm start, and Node reads further ones from NODE_OPTIONS', () => {
    expect(manifest.scripts.start).toContain(`exec node ${V8_OPTIONS.join(' ')} src/main.ts`);
    for (const option of V8_OPTIONS) expect(readFileSync(binary).includes(option)).toBe(true);
    const wrong = { ...NOTHING, NODE_OPTIONS: '--no-such-option' };
    expect(() => execFileSync(binary, ['--version'], { env: wrong, stdio: 'ignore' })).toThrow();
  });

  it('MQTT-01, VAR-04 answers a status over MQTT and stores variables', async () => {
    const client = await connectAsync(`mqtt://127.0.0.1:${program.mqttPort}`, {
      clientId: 'RF-01',
      reconnectPeriod: 0,
    });
    await client.subscribeAsync('plant1/rollformer-1/command', { qos: 1 });
    const answered = new Promise<string>((resolve) =>
      client.on('message', (_topic, payload) => resolve(payload.toString())),
    );
    await client.publishAsync('plant1/rollformer-1/status', JSON.stringify(statusOf()), { qos: 1 });
    expect(JSON.parse(await answered)).toMatchObject({ runEnabled: false, message: 'Part not selected' });
    await client.publishAsync('plant1/rollformer-1/vars/lineSpeed', '12.5', { qos: 1 });
    await client.endAsync();
  });

  it('HTTP-01 answers a status over HTTP and keeps its state over a kill -9', async () => {
    const { status, body } = await program.device('status', statusOf({ mSecSinceBoot: 2_000, partId: 'P-100' }));
    expect({ status, body }).toMatchObject({ status: 200, body: { machineId: 'RF-01', runEnabled: true } });
    await program.untilStored();
    await program.kill();
    program = await Program.start({ binary, environment: NOTHING, dir: program.dir });
    const restored = (await program.api('GET', '/machines/RF-01')).body;
    expect(restored).toMatchObject({ part: { partId: 'P-100' }, decision: { runEnabled: true } });
    const { shiftDate } = (await program.api('GET', '/machines/RF-01/production')).body;
    const { points } = (await program.api('GET', `/machines/RF-01/variables/lineSpeed?shiftDate=${shiftDate}`)).body;
    expect(points).toHaveLength(1);
  });

  it('SYNC-03 draws a profile with its own renderer, and gives it to the subscribed machine', async () => {
    const machine = (await program.api('GET', '/plant/machines/RF-01')).body;
    const credentials = { serialNumber: 'SN-0001', registrationKey: 'reg-secret-1' };
    await program.api('PUT', '/plant/machines/RF-01', { ...machine, ...credentials });
    const created = await fetch(`http://127.0.0.1:${program.httpPort}/api/v1/profiles`, {
      method: 'POST',
      headers: { authorization: `ApiKey ${program.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ profileName: 'Flat', features: [{ type: 'Straight', length: 4 }] }),
    });
    expect(created.status).toBe(200);
    const basic = Buffer.from('SN-0001:reg-secret-1').toString('base64');
    const fetched = await fetch(`http://127.0.0.1:${program.httpPort}/api/machine/profiles`, {
      headers: { authorization: `Basic ${basic}` },
    });
    const { changes } = (await fetched.json()) as { readonly changes: readonly object[] };
    expect(changes).toEqual([
      expect.objectContaining({
        name: 'Flat',
        thumbnail: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/),
      }),
    ]);
  });

  it('contract.md, Plant file: takes a changed plant file, and names the place of a fault', async () => {
    const file = path.join(program.dir, 'plant.yaml');
    const told = (text: string) =>
      vi.waitFor(() => expect(program.log.join('\n')).toContain(text), { timeout: 15_000 });
    const plant = readFileSync(file, 'utf8');
    writeFileSync(file, plant.replace('parts: [', 'parts: [ { partId: P-300, partName: Ridge },'));
    await told('"changes":1,"msg":"plant file applied"');
    expect((await program.api('GET', '/plant/parts/P-300')).body).toMatchObject({ partName: 'Ridge' });
    writeFileSync(file, plant.replace('location: RF-01', 'location: RF-77'));
    await told('machines[0].location');
  });

  it('names the directory that SQLite is unpacked to, not the data directory, if that directory cannot be used', async () => {
    const dir = Program.prepare();
    const environment = { PKG_NATIVE_CACHE_PATH: '/dev/null/native' };
    const { code, output } = await Program.run(dir, { binary, environment });
    expect(code).toBe(73);
    expect(output).toMatch(/SQLite cannot be loaded: .*\/dev\/null\/native.*Set PKG_NATIVE_CACHE_PATH to a directory/);
    rmSync(dir, { recursive: true });
  });

  it('ends with 0 at SIGTERM', async () => {
    expect(await program.stop()).toBe(0);
  });
});
