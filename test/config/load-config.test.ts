import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_SCHEMA } from '../../src/config/config-schema.ts';
import { readEnvironment, variableName } from '../../src/config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';
import { ConfigError, type LocatedFault } from '../../src/config/located-fault.ts';

type Environment = Record<string, string>;

function load(yaml: string | Uint8Array | null, environment: Environment = {}): LoadedConfig & { cwd: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'plantgate-config-'));
  if (yaml !== null) writeFileSync(join(cwd, 'plantgate.yaml'), yaml);
  return { cwd, ...loadConfig({ environment, cwd, hostName: 'gate', timeZone: 'Europe/Berlin' }) };
}

function faultsOf(yaml: string | Uint8Array, environment: Environment = {}): readonly LocatedFault[] {
  try {
    load(yaml, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('settings chosen at the page', () => {
  const berlin = { timeZone: 'Europe/Berlin', shifts: [{ name: 'A', start: '05:30' }] };

  function loadChosen(yaml: string, chosen: object | string, environment: Environment = {}): LoadedConfig {
    const cwd = mkdtempSync(join(tmpdir(), 'plantgate-config-'));
    mkdirSync(join(cwd, 'state'));
    writeFileSync(join(cwd, 'plantgate.yaml'), `dataDir: state\n${yaml}`);
    const text = typeof chosen === 'string' ? chosen : JSON.stringify(chosen);
    writeFileSync(join(cwd, 'state', 'settings.json'), text);
    return loadConfig({ environment, cwd, hostName: 'gate', timeZone: 'UTC' });
  }

  it('count if neither the file nor the environment has the section', () => {
    const upstream = { url: 'https://central/', apiKey: 'k' };
    const { config, sections } = loadChosen('', { shifts: berlin, upstream });
    expect(config.shifts).toEqual(berlin);
    expect(config.upstream).toMatchObject({ ...upstream, pollSeconds: 5 });
    expect(sections).toEqual({ given: [], chosen: ['shifts', 'upstream'] });
  });

  it.each([
    ['the file', 'shifts: { timeZone: Asia/Tokyo }', {}],
    ['the environment', '', { PLANTGATE_SHIFTS_TIME_ZONE: 'Asia/Tokyo' }],
  ])('give way to %s', (_, yaml, environment) => {
    const { config, sections } = loadChosen(yaml, { shifts: berlin }, environment);
    expect(config.shifts.timeZone).toBe('Asia/Tokyo');
    expect(sections).toEqual({ given: ['shifts'], chosen: [] });
  });

  it.each([
    ['{"shifts":', /settings\.json/],
    [JSON.stringify({ shifts: { timeZone: 'Mars/Phobos' } }), /settings\.json:1:\d+: shifts\.timeZone/],
  ])('are refused with the name of their file if they are wrong: %s', (text, message) => {
    expect(() => loadChosen('', text)).toThrow(message);
  });
});

describe('loadConfig', () => {
  it('gives the defaults of the contract without a file and an environment', () => {
    const { config, sources, cwd } = load(null);
    expect(sources).toEqual({ file: null, variables: [], ignoredVariables: [] });
    expect(config).toEqual({
      gatewayId: 'gate',
      dataDir: join(cwd, 'data'),
      plants: [],
      http: { host: '0.0.0.0', port: 8080, allowedHosts: [], trustedProxies: [], requestsPerSecond: 200 },
      page: { scanPrefixes: [], openAndon: false, units: 'imperial' },
      mqtt: { host: '0.0.0.0', port: 1883, maxPacketBytes: 262_144, access: 'open' },
      discovery: { enabled: true, name: 'plantgate' },
      devices: { timeoutSeconds: 10, maxUpdatesPerSecond: 10, legacyCommandTopics: true, minimumStopSeconds: 0 },
      shifts: {
        timeZone: 'Europe/Berlin',
        shifts: [
          { name: 'Day', start: '06:00' },
          { name: 'Night', start: '18:00' },
        ],
      },
      legacyAgent: { kind: 'none', timeoutSeconds: 5 },
      storage: {
        maxQueueBytes: 2_000_000_000,
        variableRetentionDays: 90,
        statusRetentionDays: 30,
        productionRetentionDays: 400,
        auditRetentionDays: 730,
      },
      log: { level: 'info' },
    });
  });

  it('takes an empty file as one that changes no default', () => {
    expect(load('# all as it comes\n').config.http.port).toBe(8080);
  });

  it('fills the sections that are named in part', () => {
    const { config } = load(
      'deviceHttp: {}\nmqtt: { tls: { cert: c.pem, key: k.pem } }\nupstream: { url: "https://c/", apiKey: k }',
    );
    expect(config.deviceHttp).toEqual({ host: '0.0.0.0', port: 8081 });
    expect(config.mqtt.tls).toMatchObject({ port: 8883, requireClientCertificate: false });
    expect(config.upstream).toMatchObject({ pollSeconds: 5, timeoutSeconds: 10, enforceSourceStates: true });
  });

  it('takes paths in the file from its directory, paths in the environment from the working directory', () => {
    const directory = mkdtempSync(join(tmpdir(), 'plantgate-config-'));
    const file = join(directory, 'my.yaml');
    writeFileSync(
      file,
      'plant: ./plant.yaml\nhttp: { tls: { cert: c.pem, key: /k.pem } }\nstorage: { backups: { directory: spare } }',
    );
    const request = { cwd: '/somewhere', hostName: 'gate', timeZone: 'UTC', file };
    const { config } = loadConfig({ ...request, environment: {} });
    expect(config.storage.backups).toEqual({ directory: join(directory, 'spare'), keep: 7, at: '02:47' });
    expect(config).toMatchObject({ plant: join(directory, 'plant.yaml'), dataDir: join(directory, 'data') });
    expect(config.http.tls).toEqual({ cert: join(directory, 'c.pem'), key: '/k.pem' });
    const overridden = loadConfig({ ...request, environment: { PLANTGATE_DATA_DIR: 'd', PLANTGATE_PLANT: 'p.yaml' } });
    expect(overridden.config).toMatchObject({ dataDir: '/somewhere/d', plant: '/somewhere/p.yaml' });
  });

  it.each([
    ['PLANTGATE_HTTP_PORT', '0', { http: { port: 0 } }],
    ['PLANTGATE_MQTT_MAX_PACKET_BYTES', '1MiB', { mqtt: { maxPacketBytes: 1_048_576 } }],
    ['PLANTGATE_DEVICES_LEGACY_COMMAND_TOPICS', 'false', { devices: { legacyCommandTopics: false } }],
    ['PLANTGATE_HTTP_ALLOWED_HOSTS', '[gate.local, gate]', { http: { allowedHosts: ['gate.local', 'gate'] } }],
    ['PLANTGATE_SHIFTS_SHIFTS', '[{ name: All, start: "00:00" }]', { shifts: { shifts: [{ name: 'All' }] } }],
    ['PLANTGATE_DEVICE_HTTP_PORT', '9000', { deviceHttp: { host: '0.0.0.0', port: 9000 } }],
    ['PLANTGATE_GATEWAY_ID', '007', { gatewayId: '007' }],
  ])('lets %s=%s win over the file', (variable, value, expected) => {
    const file = 'gatewayId: file\nhttp: { port: 1, allowedHosts: [x] }\nmqtt: { maxPacketBytes: 2KiB }';
    const { config, sources } = load(file, { [variable]: value, OTHER_PORT: 'x' });
    expect(config).toMatchObject(expected);
    expect(sources.variables).toEqual([variable]);
  });

  it.each([
    ['', 'PORT', 'tcp://10.0.0.7:8080'],
    ['', 'PORT_8080_TCP', 'tcp://[fd00::7]:8080'],
    ['', 'PORT_8080_TCP_PROTO', 'tcp'],
    ['', 'PORT_8080_TCP_PORT', '8080'],
    ['', 'PORT_8080_TCP_ADDR', '10.0.0.7'],
    ['', 'SERVICE_HOST', 'fd00::7'],
    ['', 'SERVICE_PORT', '8080'],
    ['', 'SERVICE_PORT_HTTP_ALT', '8080'],
    ['HTTP_', 'PORT', 'tcp://10.0.0.7:8080'],
    ['MQTT_', 'PORT_1883_UDP', 'udp://10.0.0.7:1883'],
  ])('ignores what Kubernetes makes for a Service of that name: PLANTGATE_%s%s=%s', (service, name, value) => {
    const variable = `PLANTGATE_${service}${name}`;
    const { config, sources } = load('http: { port: 1 }\nmqtt: { port: 2 }', { [variable]: value });
    expect(config).toMatchObject({ http: { port: 1 }, mqtt: { port: 2 } });
    expect(sources).toMatchObject({ variables: [], ignoredVariables: [variable] });
  });

  it.each([
    ['PLANTGATE_PORT', '8080'],
    ['PLANTGATE_SERVICE_HOST', 'gate.example'],
    ['PLANTGATE_HTTP_HOSTT', '10.0.0.7'],
    ['PLANTGATE_MQTT_URL', 'tcp://10.0.0.7:1883'],
  ])('refuses an unknown variable that no Service makes: %s=%s', (variable, value) => {
    expect(() => load(null, { [variable]: value })).toThrow(variable);
  });

  it.each([
    ['', {}, 'kept', 'the-first'],
    ['gatewayId: of-file', {}, 'given', 'of-file'],
    ['', { PLANTGATE_GATEWAY_ID: 'of-variable' }, 'given', 'of-variable'],
  ])('D-63 takes the kept name of the gateway unless %j %o names another', (yaml, environment, source, name) => {
    const cwd = mkdtempSync(join(tmpdir(), 'plantgate-config-'));
    writeFileSync(join(cwd, 'plantgate.yaml'), yaml);
    const request = { environment, cwd, hostName: 'gate', timeZone: 'UTC' };
    if (source === 'kept')
      expect(loadConfig(request)).toMatchObject({ gatewayName: 'hostName', config: { gatewayId: 'gate' } });
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data', 'gateway-id'), 'the-first\n');
    expect(loadConfig(request)).toMatchObject({ gatewayName: source, config: { gatewayId: name } });
    writeFileSync(join(cwd, 'data', 'gateway-id'), '');
    if (source === 'kept') expect(() => loadConfig(request)).toThrow(/gateway-id: gatewayId: found ""/);
  });

  it('takes the variables of the service behind its own, and only with the file of the service', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'plantgate-config-'));
    const file = join(cwd, 'plantgate.yaml');
    writeFileSync(file, '');
    const request = { cwd, hostName: 'gate', timeZone: 'UTC', environment: { PLANTGATE_HTTP_PORT: '1' } };
    const variables = { PLANTGATE_HTTP_PORT: '2', PLANTGATE_MQTT_PORT: '2' };
    const ofService = (read: string) => (read === file ? variables : {});
    expect(loadConfig({ ...request, ofService }).config).toMatchObject({ http: { port: 1 }, mqtt: { port: 2 } });
    const other = join(cwd, 'other.yaml');
    writeFileSync(other, '');
    expect(loadConfig({ ...request, ofService, file: other }).config).toMatchObject({
      http: { port: 1 },
      mqtt: { port: 1883 },
    });
  });

  it('lets the variable of one key win over the variable of its section', () => {
    const { config } = load(null, { PLANTGATE_MQTT_PORT: '2', PLANTGATE_MQTT: '{ port: 1, access: known }' });
    expect(config.mqtt).toMatchObject({ port: 2, access: 'known' });
  });

  it('gives every setting a variable of its own', () => {
    expect(variableName(['mqtt', 'maxPacketBytes'])).toBe('PLANTGATE_MQTT_MAX_PACKET_BYTES');
    const { overrides, faults } = readEnvironment({ PLANTGATE_SHIFTS_TIME_ZONE: 'UTC' }, CONFIG_SCHEMA);
    expect(faults).toEqual([]);
    expect(overrides).toMatchObject([{ path: ['shifts', 'timeZone'], value: 'UTC' }]);
  });

  it('freezes its whole result', () => {
    const { config } = load(null);
    expect(Object.isFrozen(config.shifts.shifts[0])).toBe(true);
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  });

  it.each([
    [
      'an unknown key, suggesting the nearest',
      'http:\n  prot: 1',
      { line: 2, column: 3, path: 'http.prot', expected: 'a known key; did you mean port?' },
    ],
    [
      'a proxy that is neither an address nor a network',
      'http: { trustedProxies: [10.0.0.5, 10.0.0.0/33] }',
      {
        path: 'http.trustedProxies[1]',
        found: '"10.0.0.0/33"',
        expected: 'an address or a network, as 10.0.0.5, 10.0.0.0/24 or fd00::/8',
      },
    ],
    [
      'a key in the wrong letter case',
      'dataDIR: x',
      { path: 'dataDIR', expected: 'a known key; did you mean dataDir?' },
    ],
    [
      'a key that resembles no other, with all that are known',
      'log: { file: x }',
      { path: 'log.file', expected: 'level' },
    ],
    ['a key __proto__', '__proto__: { http: { port: 1 } }', { line: 1, path: '__proto__' }],
    ['text for a port', 'http: { port: "8080" }', { column: 15, path: 'http.port', found: '"8080"' }],
    ['a port too large', 'mqtt: { port: 65536 }', { path: 'mqtt.port', found: '65536' }],
    ['a negative port', 'mqtt: { port: -1 }', { path: 'mqtt.port' }],
    ['a fraction of a port', 'mqtt: { port: 1.5 }', { path: 'mqtt.port' }],
    [
      'a number where text belongs',
      'gatewayId: 5',
      { path: 'gatewayId', expected: 'a name for this gateway, in quotes' },
    ],
    ['a name that no address can have', 'gatewayId: ..', { path: 'gatewayId', found: '".."' }],
    ['null for a section', 'log:', { line: 1, path: 'log', found: 'null' }],
    ['null for a key', 'http: { port: null }', { path: 'http.port', found: 'null' }],
    ['a list for a section', 'http: [1]', { path: 'http', found: 'an array' }],
    ['a text for the whole', 'just words', { path: '(root)', found: '"just words"' }],
    ['a word that is no choice', 'mqtt: { access: opn }', { path: 'mqtt.access', expected: 'open, known or password' }],
    ['TLS without a key', 'http:\n  tls: { cert: c.pem }', { line: 2, path: 'http.tls.key', found: 'nothing' }],
    [
      'client certificates without an authority',
      'mqtt: { tls: { cert: c, key: k, requireClientCertificate: true } }',
      { path: 'mqtt.tls.ca' },
    ],
    [
      'D-66 names in client certificates without an authority',
      'mqtt: { tls: { cert: c, key: k, identity: cn } }',
      { path: 'mqtt.tls.ca' },
    ],
    [
      'a size without a unit known',
      'storage: { maxQueueBytes: 2XB }',
      { path: 'storage.maxQueueBytes', found: '"2XB"' },
    ],
    ['a size too small', 'mqtt: { maxPacketBytes: 10 }', { path: 'mqtt.maxPacketBytes', found: '10' }],
    ['a timeout of nothing', 'devices: { timeoutSeconds: 0 }', { path: 'devices.timeoutSeconds' }],
    ['a timeout without end', 'devices: { timeoutSeconds: .inf }', { path: 'devices.timeoutSeconds' }],
    ['a timeout that is no number', 'devices: { timeoutSeconds: .nan }', { path: 'devices.timeoutSeconds' }],
    ['an unknown time zone', 'shifts: { timeZone: Mars/Base }', { path: 'shifts.timeZone', found: '"Mars/Base"' }],
    [
      'a shift at 25 o’clock',
      'shifts:\n  shifts:\n    - { name: A, start: "25:00" }',
      { line: 3, path: 'shifts.shifts[0].start' },
    ],
    ['no shift at all', 'shifts: { shifts: [] }', { path: 'shifts.shifts' }],
    ['an agent without its URL', 'legacyAgent: { kind: http }', { path: 'legacyAgent.url', found: 'nothing' }],
    ['an agent behind no upstream', 'legacyAgent: { kind: upstream }', { path: 'upstream', found: 'nothing' }],
    [
      'a URL with a password',
      'upstream: { url: "http://a:b@c", apiKey: k }',
      { path: 'upstream.url', found: 'a password', expected: 'a URL without a name or password in it' },
    ],
    ['a URL with a question', 'upstream: { url: "http://c/?a=b", apiKey: k }', { path: 'upstream.url' }],
    ['a URL with a fragment', 'legacyAgent: { kind: http, url: "http://c/#f" }', { path: 'legacyAgent.url' }],
    [
      'a URL that names the interface as well',
      'upstream: { url: "http://c/api/v1", apiKey: k }',
      { path: 'upstream.url', expected: 'the address of the central server, in front of /api/v1' },
    ],
    ['a URL of another kind', 'upstream: { url: "ftp://c", apiKey: k }', { path: 'upstream.url' }],
    ['one port for two', 'http: { port: 1883 }', { path: 'mqtt.port', expected: 'another port than http.port' }],
    ['a key twice', 'log: { level: info }\nlog: { level: debug }', { line: 2, column: 1, path: 'log' }],
    ['a huge file', `# ${'x'.repeat(300_000)}`, { expected: 'at most 262144 bytes' }],
    ['a file that is no UTF-8', new Uint8Array([0x61, 0x3a, 0x20, 0xff]), { expected: 'UTF-8 text' }],
  ])('refuses %s', (_what, yaml, expected) => {
    const faults = faultsOf(yaml);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject(expected);
  });

  it.each([
    ['61 2 * * *', '"61" is no minute'],
    ['0 25 * * *', '"25" is no hour'],
    ['0 3 31 2 *', '"31" is no day of the month'],
    ['0 3 * 13 *', '"13" is no month'],
    ['0 3 * * MO', '"MO" is no day of the week'],
    ['0 3 29 2 1#1', 'no day is like that'],
    ['24:00', 'a time of day as "HH:MM", or a cron expression with one minute'],
    ['*/5 * * * *', 'a cron expression with one minute'],
    ['0 0 3 * * *', 'a cron expression with one minute'],
    ['0 0-99999999999 * * *', 'a cron expression with one minute'],
    ['@daily', 'a cron expression with one minute'],
  ])('D-56 refuses backups at %s', (at, expected) => {
    const faults = faultsOf(`storage: { backups: { directory: d, at: "${at}" } }`);
    expect(faults).toEqual([
      expect.objectContaining({
        path: 'storage.backups.at',
        found: `"${at}"`,
        expected: expect.stringContaining(expected),
      }),
    ]);
  });

  it.each(['02:47', '23:59', '47 2 * * 1-5', '0 */6 * * mon,thu', '30 22-2 L * ?'])(
    'D-56 takes backups at %s',
    (at) => {
      const { config } = load(`storage: { backups: { directory: d, at: "${at}" } }`);
      expect(config.storage.backups?.at).toBe(at);
    },
  );

  it.each([
    [
      'PLANTGATE_HTTP_PROT',
      '1',
      { file: 'environment', path: 'PLANTGATE_HTTP_PROT', expected: expect.stringContaining('PLANTGATE_HTTP_PORT') },
    ],
    ['PLANTGATE_HTTP_PORT', 'many', { file: 'PLANTGATE_HTTP_PORT', path: 'http.port', found: '"many"', line: null }],
    ['PLANTGATE_HTTP_PORT', '', { path: 'http.port', found: 'null' }],
    ['PLANTGATE_SHIFTS_SHIFTS', '[{', { file: 'PLANTGATE_SHIFTS_SHIFTS', path: 'shifts.shifts' }],
    ['PLANTGATE_UPSTREAM_URL', 'https://c', { file: 'PLANTGATE_UPSTREAM_URL', path: 'upstream.apiKey' }],
  ])('refuses the variable %s=%s', (variable, value, expected) => {
    expect(faultsOf('', { [variable]: value })[0]).toMatchObject(expected);
  });

  it('reports all faults at once, in the order of the file', () => {
    const faults = faultsOf('log: { level: loud }\nhttp: { port: x, hots: y }\ngatewayId: [1]', { PLANTGATE_X: '1' });
    expect(faults.map(({ line, path }) => [line, path])).toEqual([
      [1, 'log.level'],
      [2, 'http.hots'],
      [2, 'http.port'],
      [3, 'gatewayId'],
      [null, 'PLANTGATE_X'],
    ]);
  });

  it('never repeats a secret in a fault', () => {
    const faults = faultsOf('upstream: { url: "https://c", apiKey: "top secret" }');
    expect(faults).toMatchObject([{ path: 'upstream.apiKey' }]);
    expect(JSON.stringify(faults)).not.toContain('top secret');
  });

  it.each([
    ['is not there', 'nowhere.yaml'],
    ['is a directory', '.'],
  ])('refuses a --config that %s', (_what, file) => {
    const request = { file, environment: {}, cwd: tmpdir(), hostName: 'gate', timeZone: 'UTC' };
    expect(() => loadConfig(request)).toThrow(ConfigError);
  });
});

it.each([
  [
    'plants: [{ id: tulsa, name: Tulsa }, { id: tulsa, name: T2 }]',
    /plants\[1\]\.id: found "tulsa", expected a plant once/,
  ],
  ['plants: [{ id: ../up, name: Up }]', /plants\[0\]\.id: found "\.\.\/up", expected 1 to 63 small letters/],
  ['plants: [{ id: tulsa }]', /plants\[0\]\.name: found nothing/],
  [
    'plants: [{ id: tulsa, name: Tulsa }]\nupstream: { url: "https://c", apiKey: k }',
    /plants: found 1 plants, expected none/,
  ],
])('D-108 a wrong plant is refused: %s', (yaml, message) => {
  const [fault] = faultsOf(yaml);
  expect(`${fault?.path}: found ${fault?.found}, expected ${fault?.expected}`).toMatch(message);
});
