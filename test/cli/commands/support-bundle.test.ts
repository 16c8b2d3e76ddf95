import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedaction } from '../../../src/cli/commands/support/support-bundle.ts';
import { type AnsweringServer, answeringServer, programUnderTest, sendJson } from '../program-under-test.ts';

const SECRETS = {
  upstreamKey: 'upstream-key-7f3a91',
  apiKey: 'erp-key-01234567890',
  password: 'rolls & "coils" 42',
  badge: 'BADGE-99-X',
  pin: '8642',
  registrationKey: 'reg-secret-zq1',
  mqttPassword: 'mqtt-secret-kk9',
  localKey: 'local-key-of-this-run',
  setUpCode: 'KHMN-F4BV',
  inUrl: 'url-pass-5512',
} as const;

const PLANT = `
machines:
  - { machineId: RF-01, topicRoot: plant1/rf-01, serialNumber: SN-1, registrationKey: ${SECRETS.registrationKey}, mqttPassword: ${SECRETS.mqttPassword} }
apiKeys: [ { principal: erp, key: ${SECRETS.apiKey}, role: business } ]
users: [ { name: pat, role: technician, password: ${JSON.stringify(SECRETS.password)}, badge: ${SECRETS.badge}, pin: "${SECRETS.pin}" } ]
`;

/** Every secret in places where careless programs might write it. */
const CARELESS = [
  ...Object.values(SECRETS).map((secret) => `refused: ${secret}`),
  `https://erp:${SECRETS.inUrl}@central.example/api`,
  `Authorization: ApiKey ${SECRETS.apiKey}`,
  `/login?password=${encodeURIComponent(SECRETS.password)}`,
].filter((text) => text !== `refused: ${SECRETS.inUrl}` && text !== `refused: ${SECRETS.setUpCode}`);

let cli: ReturnType<typeof programUnderTest>;
let server: AnsweringServer;
let bundle: string;

beforeEach(async () => {
  cli = programUnderTest();
  bundle = path.join(cli.dir, 'bundle.tar.gz');
  server = await answeringServer((place, response) => {
    if (place === '/metrics') response.end(`# careless ${CARELESS.join(' ')}\nplantgate_up 1\n`);
    else sendJson(response, { incidents: CARELESS, password: 'of nobody known', port: 1234 });
  });
  await cli.standBeside(server.url, SECRETS.localKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  cli.cleanUp();
});

/** The journald of this test. */
function keepLog(lines: readonly string[]): void {
  const program = path.join(cli.dir, 'journalctl');
  writeFileSync(path.join(cli.dir, 'journal'), lines.join('\n'));
  writeFileSync(program, `#!/bin/sh\nexec cat ${cli.dir}/journal\n`);
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${cli.dir}:${process.env.PATH}`);
}

function unpacked(): Readonly<Record<string, string>> {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-unpacked-'));
  execFileSync('tar', ['-xzf', bundle, '-C', dir, '--strip-components=1']);
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(dir, name), 'utf8')]));
  rmSync(dir, { recursive: true });
  return files;
}

describe('plantgate support-bundle', () => {
  it('holds all needed files, and no secret from any place', { timeout: 30_000 }, async () => {
    writeFileSync(path.join(cli.dir, 'plant.yaml'), PLANT);
    const upstream = `upstream: { url: "http://127.0.0.1:1/", apiKey: ${SECRETS.upstreamKey} }`;
    writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${cli.dir}\nplant: ./plant.yaml\n${upstream}\n`);
    symlinkSync('missing', path.join(cli.dir, 'dangling'));
    keepLog([`{"setUpCode":"${SECRETS.setUpCode}"}`, `setUpCode=${SECRETS.setUpCode}`, ...CARELESS]);
    expect(await cli.run('support-bundle', bundle)).toMatchObject({ exitCode: 0, err: [] });
    expect(statSync(bundle).mode & 0o777).toBe(0o600);

    const bytes = gunzipSync(readFileSync(bundle)).toString('latin1');
    expect(Object.values(SECRETS).filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(bytes).not.toContain('of nobody known');
    expect(bytes).not.toContain(encodeURIComponent(SECRETS.password));

    const files = unpacked();
    expect(Object.keys(files).sort()).toEqual([
      'configuration.json',
      'doctor.json',
      'files.json',
      'gateway/alerts-channels.json',
      'gateway/alerts-rules.json',
      'gateway/diagnostics.json',
      'gateway/machines.json',
      'gateway/metrics.txt',
      'gateway/sync-history.json',
      'gateway/sync.json',
      'gateway/system.json',
      'log.txt',
      'version.json',
    ]);
    expect(JSON.parse(files['configuration.json'] ?? '')).toMatchObject({ upstream: { apiKey: '(left out)' } });
    expect(JSON.parse(files['gateway/diagnostics.json'] ?? '')).toMatchObject({ port: 1234 });
    expect(files['gateway/metrics.txt']).toContain('plantgate_up 1');
    expect(files['log.txt']).toContain('"setUpCode":"(left out)"');
    expect(JSON.parse(files['files.json'] ?? '').files).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'local-access.json', bytes: expect.any(Number) }),
        { name: 'dangling', fault: expect.stringContaining('ENOENT') },
      ]),
    );
  });

  it('lists the files of the data directory, and none that a symbolic link leads to', async () => {
    mkdirSync(path.join(cli.dir, 'backups'));
    writeFileSync(path.join(cli.dir, 'backups', 'one.db'), '');
    symlinkSync(import.meta.dirname, path.join(cli.dir, 'elsewhere'));
    await cli.run('support-bundle', bundle);
    const { files } = JSON.parse(unpacked()['files.json'] ?? '') as { readonly files: readonly { name: string }[] };
    const names = files.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['backups', 'backups/one.db', 'elsewhere']));
    expect(names.filter((name) => name.startsWith('elsewhere/'))).toEqual([]);
  });

  it('is also made without a gateway and with a bad configuration', async () => {
    await server.close();
    expect(await cli.run('support-bundle', bundle)).toMatchObject({ exitCode: 0 });
    expect(unpacked()['gateway/system.json']).toContain('does not answer');
    rmSync(bundle);
    writeFileSync(path.join(cli.dir, 'plantgate.yaml'), 'http: { prot: 1 }\n');
    expect(await cli.run('support-bundle', bundle)).toMatchObject({ exitCode: 0 });
    expect(unpacked()['doctor.json']).toContain('prot');
  });

  it('says that there is no log, and why the data directory cannot be listed', async () => {
    vi.stubEnv('PATH', path.join(cli.dir, 'no-programs'));
    writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${cli.dir}/missing\n`);
    expect(await cli.run('support-bundle', bundle)).toMatchObject({ exitCode: 0, err: [] });
    vi.unstubAllEnvs();
    const files = unpacked();
    expect(files['log-not-read.txt']).toContain('journalctl is missing');
    expect(JSON.parse(files['files.json'] ?? '')).toMatchObject({ fault: expect.stringContaining('ENOENT') });
  });

  it('overwrites no file, and names a place where it cannot write', async () => {
    writeFileSync(bundle, 'mine');
    expect(await cli.run('support-bundle', bundle)).toMatchObject({ exitCode: 73 });
    expect(readFileSync(bundle, 'utf8')).toBe('mine');
    expect(await cli.run('support-bundle', path.join(cli.dir, 'no', 'such'))).toMatchObject({ exitCode: 74 });
  });

  it('keeps a longer number that contains the digits of a PIN', () => {
    const { text } = createRedaction(['8642']);
    expect(text('depth 86420 at 0.8642, pin 8642')).toBe('depth 86420 at 0.8642, pin (left out)');
  });
});
