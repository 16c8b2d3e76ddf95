import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCheck } from '../../../src/cli/commands/check.ts';

function check(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  json = false,
) {
  const cwd = mkdtempSync(join(tmpdir(), 'plantgate-check-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const exitCode = runCheck({ cwd, environment, hostName: 'gate', timeZone: 'UTC', write, json });
  return { exitCode, lines: output.replaceAll(`${cwd}/`, '').trimEnd().split('\n') };
}

const certificates = new URL('../../adapters/broker/certificates/', import.meta.url);
const CERTIFICATES = Object.fromEntries(
  readdirSync(certificates).map((name) => [name, readFileSync(new URL(name, certificates), 'utf8')]),
);

describe('plantgate check', () => {
  it('ends with 0 on defaults, and on files without a fault', () => {
    expect(check({})).toEqual({
      exitCode: 0,
      lines: ['configuration: built-in defaults: no faults', 'plant file: none configured'],
    });
    const plant = 'parts: [{ partId: P }]\nmachines: [{ machineId: A, topicRoot: a }]';
    expect(check({ 'plantgate.yaml': 'plant: ./p.yaml', 'p.yaml': plant })).toEqual({
      exitCode: 0,
      lines: ['configuration: plantgate.yaml: no faults', 'plant file: p.yaml: no faults (1 machines, 1 parts)'],
    });
  });

  it('names every fault of the configuration with file, line and column, and ends with 78', () => {
    expect(check({ 'plantgate.yaml': 'http:\n  port: x\nlogg: {}' }, { PLANTGATE_MQTT_PORT: '-1' })).toEqual({
      exitCode: 78,
      lines: [
        'PLANTGATE_MQTT_PORT: mqtt.port: found -1, expected a port from 0 (any free one) to 65535',
        'plantgate.yaml:2:9: http.port: found "x", expected a port from 0 (any free one) to 65535',
        'plantgate.yaml:3:1: logg: found the unknown key "logg", expected a known key; did you mean log?',
        'not checked before these are mended: TLS files and the plant file',
        '3 faults',
      ],
    });
  });

  it('prints the same as JSON for programs', () => {
    const faulty = { 'plantgate.yaml': 'http:\n  port: x\n' };
    const { exitCode, lines } = check(faulty, {}, true);
    expect({ exitCode, ...JSON.parse(lines.join('\n')) }).toEqual({
      exitCode: 78,
      faults: [
        {
          file: 'plantgate.yaml',
          line: 2,
          column: 9,
          path: 'http.port',
          found: '"x"',
          expected: 'a port from 0 (any free one) to 65535',
        },
      ],
      unseen: 'TLS files and the plant file',
    });
    expect(JSON.parse(check({}, {}, true).lines.join('\n'))).toEqual({ faults: [], unseen: null });
  });

  it('judges every section, also by its demands on others, if another section is malformed', () => {
    const config = 'http: { port: 70000 }\nshifts: { timeZone: Mars/X }\nlegacyAgent: { kind: http }';
    const { lines } = check({ 'plantgate.yaml': config });
    expect(lines).toEqual([
      expect.stringMatching(/^plantgate\.yaml:1:\d+: http\.port: found 70000/),
      expect.stringMatching(/^plantgate\.yaml:2:\d+: shifts\.timeZone: found "Mars\/X"/),
      expect.stringMatching(/^plantgate\.yaml:3:\d+: legacyAgent\.url: found nothing/),
      'not checked before these are mended: TLS files and the plant file',
      '3 faults',
    ]);
    const unsound = check({ 'plantgate.yaml': 'legacyAgent: { kind: upstream }\nupstream: { url: 1 }' }).lines;
    expect(unsound.join('\n')).not.toContain('a central server, for');
  });

  it.each([
    [
      'a missing certificate',
      'none.pem',
      'server.key',
      'tls.cert: found none.pem, which does not exist, expected a PEM file with a certificate',
    ],
    [
      'a file that is not a certificate',
      'junk.pem',
      'server.key',
      'tls.cert: found junk.pem, which holds none, expected a PEM file with a certificate',
    ],
    [
      'a file that is not a key',
      'server.pem',
      'junk.pem',
      'tls.key: found junk.pem, which holds none, expected a PEM file with a private key',
    ],
    [
      'the key of another',
      'server.pem',
      'client.key',
      'tls.key: found client.key, the key of another certificate, expected the key of server.pem',
    ],
  ])('MQTT-11 reports %s with its place', (_what, cert, key, fault) => {
    const files = { ...CERTIFICATES, 'junk.pem': 'x' };
    for (const section of ['http', 'mqtt']) {
      const { exitCode, lines } = check({
        ...files,
        'plantgate.yaml': `${section}:\n  tls: { cert: ${cert}, key: ${key} }`,
      });
      expect(exitCode).toBe(78);
      expect(lines).toEqual([expect.stringMatching(/^plantgate\.yaml:2:\d+: /), '1 fault']);
      expect(lines[0]).toContain(`${section}.${fault}`);
    }
  });

  it('MQTT-11 judges the authority of clients, and accepts files that belong together', () => {
    const tls = (ca: string) => `mqtt:\n  tls: { cert: server.pem, key: server.key, ca: ${ca} }`;
    expect(check({ ...CERTIFICATES, 'plantgate.yaml': tls('authority.pem') }).exitCode).toBe(0);
    expect(check({ ...CERTIFICATES, 'plantgate.yaml': tls('server.key') })).toMatchObject({
      exitCode: 78,
      lines: [expect.stringContaining('mqtt.tls.ca: found server.key, which holds none'), '1 fault'],
    });
  });

  it.each([
    ['of shape', 'parts: [{ partId: 1 }]', 'p.yaml:1:19: parts[0].partId: found 1, expected'],
    [
      'MQTT-09 of TopicRoots',
      'machines:\n  - { machineId: A, topicRoot: a }\n  - { machineId: B, topicRoot: a }',
      'p.yaml:3:32: machines[1].topicRoot: found "a", expected a TopicRoot apart from "a" of machine A',
    ],
    [
      'of a key without its secret',
      'apiKeys: [{ principal: p, role: admin }]',
      'p.yaml:1:11: apiKeys[0].key: found nothing',
    ],
    ['of a profile', 'profiles:\n  - { profileName: R, features: [ { type: Straight, length: 1 } ] }', 'p.yaml:2:5: '],
    ['of an order', 'orders:\n  - { documentID: D, products: 1 }', 'p.yaml:2:32: orders[0].products: found 1'],
    ['of syntax', 'parts: [', 'p.yaml:1:9: YAML: found'],
  ])('names a fault %s in the plant file', (_what, plant, line) => {
    const { exitCode, lines } = check({ 'plantgate.yaml': 'plant: p.yaml', 'p.yaml': plant });
    expect(exitCode).toBe(78);
    expect(lines[0]).toContain(line);
    expect(lines.at(-1)).toBe('1 fault');
  });

  it('judges the plant file beside faults of TLS, and names the parts that it could not judge yet', () => {
    const config = 'plant: p.yaml\nmqtt:\n  tls: { cert: none.pem, key: server.key }';
    const plant = 'machines:\n  - { machineId: A, topicRoot: a }\n  - { machineId: A, topicRoot: a }\n';
    const judged = check({ ...CERTIFICATES, 'plantgate.yaml': config, 'p.yaml': plant }).lines;
    expect(judged).toEqual([
      expect.stringContaining('mqtt.tls.cert'),
      expect.stringContaining('machines[1].machineId: found "A"'),
      expect.stringContaining('machines[1].topicRoot: found "a"'),
      '3 faults',
    ]);
    const misshapen = check({ 'plantgate.yaml': 'plant: p.yaml', 'p.yaml': `${plant}parts: [{ partId: 1 }]` }).lines;
    expect(misshapen.slice(1)).toEqual(['not checked before these are mended: the rest of the plant file', '1 fault']);
  });

  it('reports a missing plant file', () => {
    const { exitCode, lines } = check({ 'plantgate.yaml': 'plant: p.yaml' });
    expect([exitCode, lines[0]]).toEqual([78, 'p.yaml: plant: found no such file, expected a file to read']);
  });
});
