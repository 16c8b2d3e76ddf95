import { X509Certificate } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkAuthorities, checkCertificates } from '../../../src/cli/commands/doctor/check-certificates.ts';
import { checkPorts } from '../../../src/cli/commands/doctor/check-ports.ts';
import { judgeApplyPath, judgeService } from '../../../src/cli/commands/doctor/check-service.ts';
import type { Config } from '../../../src/config/config-schema.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import type { Gateway } from '../../../src/gateway/gateway-parts.ts';
import { quietLog, threadEntry } from '../../adapters/store/open-test-store.ts';
import { hasOpenssl } from '../../this-computer.ts';
import { type AnsweringServer, answeringServer, sendJson, useCli } from '../program-under-test.ts';

interface SeenFinding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy?: string;
}

const FREE_PORTS = 'http: { host: 127.0.0.1, port: 0 }\nmqtt: { host: 127.0.0.1, port: 0 }\n';
const certificates = path.resolve(import.meta.dirname, '../../adapters/broker/certificates');

const cli = useCli();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function configure(settings: string): void {
  writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${cli.dir}/data\n${settings}`);
}

async function examined(): Promise<{
  readonly exitCode: number | undefined;
  readonly of: (check: string) => SeenFinding | undefined;
  readonly findings: readonly SeenFinding[];
}> {
  const { exitCode, out } = await cli.run('doctor', '--json');
  const { findings } = JSON.parse(out.join('\n')) as { readonly findings: readonly SeenFinding[] };
  return { exitCode, findings, of: (check) => findings.find((finding) => finding.check === check) };
}

async function takenPort(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function anotherServer(status: number, body: unknown): Promise<AnsweringServer> {
  const server = await answeringServer((_, response) => sendJson(response, body, status));
  ends.push(() => server.close());
  return server;
}

function loaded(): Config {
  return loadConfig({ environment: {}, cwd: cli.dir, hostName: 'here', timeZone: 'UTC' }).config;
}

async function runningGateway(): Promise<Gateway> {
  const gateway = await createGateway(loaded(), { log: quietLog, storeThreadEntry: threadEntry });
  ends.push(() => gateway.close());
  return gateway;
}

describe('plantgate doctor', () => {
  it('D-63 tells that the gateway keeps its name though the host name is another', async () => {
    configure('http: { host: 127.0.0.1, port: 0 }\nmqtt: { host: 127.0.0.1, port: 0 }\n');
    expect((await examined()).of('gatewayId')).toBeUndefined();
    mkdirSync(path.join(cli.dir, 'data'), { mode: 0o700 });
    writeFileSync(path.join(cli.dir, 'data', 'gateway-id'), 'the-first\n');
    expect((await examined()).of('gatewayId')).toMatchObject({
      state: 'warning',
      found: 'the-first, and the host name is here now',
      remedy: expect.stringContaining('gatewayId: the-first'),
    });
  });

  it('says that the service may not open a port of root, also to root, who may', async () => {
    configure('http: { host: 127.0.0.1, port: 3 }\nmqtt: { host: 127.0.0.1, port: 0 }\n');
    const { of } = await examined();
    expect(of('http.port')).toMatchObject({
      found: expect.stringMatching(/may not (open a port below 1024|be opened by this user)/),
      remedy: expect.stringContaining('a http.port above 1023'),
    });
  });

  it('finds no fault in a fresh installation, and warns that no gateway runs', async () => {
    configure(FREE_PORTS);
    const { exitCode, findings, of } = await examined();
    expect(findings.filter(({ state }) => state === 'fault')).toEqual([]);
    expect(exitCode).toBe(0);
    expect(of('gateway')).toMatchObject({ state: 'warning', remedy: expect.stringContaining('plantgate run') });
  });

  it('names a database that was damaged and set aside, as status and the metrics do', async () => {
    configure(FREE_PORTS);
    mkdirSync(`${cli.dir}/data`);
    writeFileSync(`${cli.dir}/data/plantgate.db`, 'not a database at all'.repeat(1_000));
    const { addresses } = await runningGateway();
    const file = `${cli.dir}/data/plantgate.db.damaged-`;
    const { exitCode, of } = await examined();
    expect(of('storage')).toMatchObject({ state: 'fault', found: expect.stringContaining(file) });
    expect(of('storage')?.remedy).toContain('Restore a backup');
    expect(exitCode).not.toBe(0);
    expect((await cli.run('status')).out.join('\n')).toContain(`a damaged database lies in ${file}`);
    const metrics = await (await fetch(`http://127.0.0.1:${addresses.httpPort}/metrics`)).text();
    expect(metrics).toMatch(/^plantgate_store_set_aside_database 1$/m);
  });

  it.each([
    ['127.0.0.1', ''],
    ['127.0.0.2', ''],
    ['127.0.0.2', ', tls: { cert: ./server.pem, key: ./server.key }'],
    ['0.0.0.0', ''],
    ['localhost', ''],
  ])('finds no fault in a running gateway, through the gateway’s own ports: HTTP on %s%s', async (host, tls) => {
    for (const name of ['server.pem', 'server.key'])
      copyFileSync(path.join(certificates, name), path.join(cli.dir, name));
    configure(`http: { host: ${host}, port: 0${tls} }\nmqtt: { host: 127.0.0.1, port: 0 }\n`);
    const { addresses } = await runningGateway();
    const { exitCode, of } = await examined();
    expect(exitCode).toBe(0);
    expect(of('gateway')).toMatchObject({ state: 'ok', found: expect.stringContaining('runs as here') });
    expect(of('http.port')?.found).toBe(`${addresses.httpPort} is held by the running gateway`);
    expect(of('broker')?.found).toBe(`an MQTT client is accepted on ${addresses.mqttPort}`);
    expect(of('storage')).toMatchObject({ state: 'ok' });
    expect(of('dataDir mode')?.found).toBe('0700');
  });

  it('accepts a broker that lets in only known machines', async () => {
    configure(`http: { host: 127.0.0.1, port: 0 }\nmqtt: { host: 127.0.0.1, port: 0, access: known }\n`);
    await runningGateway();
    expect((await examined()).of('broker')).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('mqtt.access'),
    });
  });

  it.each([
    ['is a file', 'plantgate.yaml', { check: 'dataDir', found: expect.stringContaining('is no directory') }],
    ['cannot be looked at', 'x'.repeat(300), { check: 'configuration', found: expect.stringMatching(/ENAMETOOLONG/) }],
  ])('names a data directory that %s', async (_, name, finding) => {
    writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${cli.dir}/${name}\n${FREE_PORTS}`);
    const { findings } = await examined();
    expect(findings).toContainEqual(expect.objectContaining({ ...finding, state: 'fault' }));
  });

  it('ends with 78 and each fault if the configuration or the plant file is bad', async () => {
    configure('http: { prot: 80 }\n');
    const bad = await examined();
    expect(bad).toMatchObject({ exitCode: 78, findings: [{ check: 'configuration', state: 'fault' }, {}] });
    writeFileSync(path.join(cli.dir, 'plant.yaml'), 'machines: [ { machineId: A } ]');
    configure(`plant: ./plant.yaml\n${FREE_PORTS}`);
    const badPlant = await examined();
    expect(badPlant.exitCode).toBe(78);
    expect(badPlant.of('clock')).toMatchObject({ state: 'ok' });
  });

  it('prints lines with advice for people', async () => {
    const port = await takenPort();
    configure(`http: { host: 127.0.0.1, port: ${port} }\nmqtt: { host: 127.0.0.1, port: 0 }\n`);
    const { exitCode, out } = await cli.run('doctor');
    expect(exitCode).toBe(69);
    const line = out.findIndex((text) => text.startsWith('fault') && text.includes(`${port} is in use`));
    expect(out[line + 1]).toContain(`→ Find the program with "ss -ltnp sport = :${port}"`);
    expect(out.at(-1)).toMatch(/^\d+ findings: 1 fault,/);
  });

  it('reports a data directory that other users may read', async () => {
    configure(FREE_PORTS);
    mkdirSync(path.join(cli.dir, 'data'));
    chmodSync(path.join(cli.dir, 'data'), 0o755);
    expect((await examined()).of('dataDir mode')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/^0755/),
    });
  });

  it.each<readonly [string, string, number | null, string, RegExp]>([
    ['no schedule', '', null, 'warning', /none is taken by itself/],
    ['no backup yet', 'spare', null, 'ok', /none was taken yet in .*spare, on the disk of the data/],
    ['a fresh one', 'spare', 3, 'ok', /the newest in .*spare, on the disk of the data is of 20/],
    ['an old one', 'spare', 50, 'warning', /the newest in .* is of 20/],
    ['one of last week, with one a week', 'weekly', 150, 'ok', /the newest in .*weekly, .* is of 20/],
    ['one of a time to come', 'spare', -3, 'ok', /each in .*spare, on the disk of the data has a later time than now/],
    ['a file in the way', 'plantgate.yaml', null, 'fault', /plantgate\.yaml may not be written/],
  ])('looks for backups: %s', async (_, directory, ageHours, state, found) => {
    const at = directory === 'weekly' ? 'at: "0 3 * * 0", ' : '';
    configure(`${FREE_PORTS}${directory && `storage: { backups: { ${at}directory: ./${directory} } }\n`}`);
    if (ageHours !== null) {
      const time = new Date(Date.now() - ageHours * 3_600_000).toISOString();
      mkdirSync(path.join(cli.dir, directory));
      writeFileSync(path.join(cli.dir, directory, `plantgate-${time.slice(0, 19).replaceAll(/[:-]/g, '')}Z.db`), '');
    }
    expect((await examined()).of('backups')).toMatchObject({ state, found: expect.stringMatching(found) });
  });

  it('says how long certificates are valid', async () => {
    for (const name of ['server.pem', 'server.key'])
      copyFileSync(path.join(certificates, name), path.join(cli.dir, name));
    configure('http: { host: 127.0.0.1, port: 0, tls: { cert: ./server.pem, key: ./server.key } }\n');
    expect((await examined()).of('http.tls.cert')).toMatchObject({
      found: expect.stringMatching(/valid for \d+ more days/),
    });
  });

  it.runIf(hasOpenssl)('says that the running gateway has not read the renewed certificate, until it has', async () => {
    await cli.run('cert', cli.dir);
    const tls = 'tls: { cert: ./server.pem, key: ./server.key }';
    configure(`http: { host: 127.0.0.1, port: 0, ${tls} }\nmqtt: { host: 127.0.0.1, port: 0 }\n`);
    const gateway = await runningGateway();
    expect((await examined()).of('http.tls.cert')).toMatchObject({ state: 'ok' });
    for (const name of ['server.pem', 'server.key'])
      copyFileSync(path.join(certificates, name), path.join(cli.dir, name));
    expect((await examined()).of('http.tls.cert')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('uses an earlier certificate, which expires on'),
      remedy: expect.stringContaining('systemctl reload plantgate'),
    });
    await gateway.reloadTls(loaded());
    expect((await examined()).of('http.tls.cert')).toMatchObject({ state: 'ok' });
  });

  it.each([
    ['has expired', '2026-11-01T00:00:00Z', 'fault', 'earlier certificate, which expired on 2026-11-01'],
    ['expires first', '2026-12-01T00:00:00Z', 'warning', 'earlier certificate, which expires on 2026-12-01'],
    ['expires last', '2226-12-01T00:00:00Z', 'ok', 'valid for'],
  ])('judges the certificate that the running gateway uses if that one %s', async (_, until, state, found) => {
    const file = path.join(certificates, 'server.pem');
    configure(`http: { tls: { cert: ${file}, key: ./server.key } }\n`);
    const config = loaded();
    const running = { certificatesUntilMs: new Map([['http.tls.cert', Date.parse(until)]]) };
    const findings = await Promise.all(checkCertificates(config, running, new Date('2026-11-25T00:00:00Z')));
    expect(findings).toMatchObject([{ check: 'http.tls.cert', state, found: expect.stringContaining(found) }]);
  });

  it.runIf(hasOpenssl).each([
    [31, 'ok', 'valid for 31 more days'],
    [29, 'warning', 'valid for 29 more days'],
    [-1, 'fault', 'expired on'],
  ])('judges the authority of "plantgate cert" %i days before its end', async (days, state, found) => {
    await cli.run('cert', cli.dir);
    const tls = 'tls: { cert: ./server.pem, key: ./server.key }';
    configure(`http: { ${tls} }\nmqtt: { ${tls} }\n`);
    const config = loaded();
    const end = Date.parse(new X509Certificate(readFileSync(path.join(cli.dir, 'ca.pem'))).validTo);
    expect(await checkAuthorities(config, new Date(end - days * 86_400_000))).toMatchObject([
      { check: 'authority', state, found: expect.stringContaining(found) },
    ]);
  });

  it.runIf(hasOpenssl)('judges no authority that did not sign the certificate', async () => {
    await cli.run('cert', cli.dir);
    for (const name of ['server.pem', 'server.key'])
      copyFileSync(path.join(certificates, name), path.join(cli.dir, name));
    configure('http: { tls: { cert: ./server.pem, key: ./server.key } }\n');
    expect((await examined()).of('authority')).toBeUndefined();
  });

  it.each([
    ['accepts the key', 200, { version: 1 }, 'ok'],
    ['refuses the key', 401, { errors: ['no'] }, 'fault'],
    ['fails', 503, {}, 'fault'],
  ])('reports a central server that %s', async (_, status, body, state) => {
    const { url, requests } = await anotherServer(status, body);
    configure(`${FREE_PORTS}upstream: { url: "${url}", apiKey: a-key }\n`);
    const { exitCode, of } = await examined();
    expect({ exitCode, state: of('upstream')?.state }).toEqual({ exitCode: state === 'ok' ? 0 : 69, state });
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it.each([
    [404, 'ok', 0],
    [500, 'warning', 0],
  ])('reports a legacy agent that answers %i', async (status, state, exitCode) => {
    const { url } = await anotherServer(status, {});
    configure(`${FREE_PORTS}legacyAgent: { kind: http, url: "${url}" }\n`);
    const found = await examined();
    expect(found.of('legacyAgent')?.state).toBe(state);
    expect(found.exitCode).toBe(exitCode);
  });

  it('reports a legacy agent that cannot be reached', async () => {
    const server = await anotherServer(200, {});
    await server.close();
    configure(`${FREE_PORTS}legacyAgent: { kind: http, url: "${server.url}" }\n`);
    expect((await examined()).of('legacyAgent')).toMatchObject({ state: 'fault' });
  });

  it.each([
    ['with a database', 'storage: { postgres: { url: "postgres://127.0.0.1:1/none" } }\n', null],
    ['of its package', '', '/etc/plantgate-central/plantgate.yaml'],
  ])('D-110 expects no MQTT of a central server %s that does not run', async (_, settings, file) => {
    configure(`http: { host: 127.0.0.1, port: 0 }\n${settings}`);
    const found = loadConfig({ environment: {}, cwd: cli.dir, hostName: 'here', timeZone: 'UTC' });
    const judged = { ...found, sources: { ...found.sources, file: file ?? found.sources.file } };
    const findings = await Promise.all(checkPorts(judged, { running: null, findings: [], isHidden: false }));
    expect(findings.map(({ check, found: text }) => [check, text])).toEqual([
      ['http.port', 'any free port'],
      ['mqtt.port', expect.stringMatching(/^not opened: a central server/)],
    ]);
  });

  it.each([
    [{ LoadState: 'not-found' }, 'ok'],
    [{ ActiveState: 'failed', SubState: 'failed' }, 'fault'],
    [{ UnitFileState: 'disabled' }, 'warning'],
    [{ WatchdogUSec: '0' }, 'warning'],
    [{ NRestarts: '3' }, 'warning'],
    [{}, 'ok'],
  ])('judges the service by the answer of systemd: %j', (told, state) => {
    const sound = { LoadState: 'loaded', ActiveState: 'active', SubState: 'running', NRestarts: '0' };
    const properties = { ...sound, WatchdogUSec: '15s', UnitFileState: 'enabled', ...told };
    expect(judgeService(new Map(Object.entries(properties)), 'plantgate').state).toBe(state);
  });

  it.each([
    [{ LoadState: 'not-found', ActiveState: 'inactive' }, []],
    [{ LoadState: 'loaded', ActiveState: 'active' }, ['ok']],
    [{ LoadState: 'loaded', ActiveState: 'inactive' }, ['warning']],
    [{ LoadState: 'loaded', ActiveState: 'failed' }, ['warning']],
  ])('D-46 judges the unit that installs updates from the page: %j', (properties, states) => {
    const found = judgeApplyPath(new Map(Object.entries(properties)));
    expect(found.map(({ state }) => state)).toEqual(states);
    if (states[0] === 'warning') expect(JSON.stringify(found)).toContain('reset-failed plantgate-apply.path');
  });
});
