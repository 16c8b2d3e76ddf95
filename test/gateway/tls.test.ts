import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, createServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { openTls } from '../../src/gateway/tls.ts';

const certificates = path.join(import.meta.dirname, '../adapters/broker/certificates');
const file = (name: string) => path.resolve(certificates, name);
const { config } = loadConfig({ environment: {}, cwd: certificates, hostName: 'here', timeZone: 'UTC' });

function configured(ca: string | null) {
  const paths = { cert: file('server.pem'), key: file('server.key'), ...(ca !== null && { ca: file(ca) }) };
  return {
    ...config,
    mqtt: { ...config.mqtt, tls: { ...paths, port: 0, requireClientCertificate: true, identity: 'none' as const } },
  };
}

it('the certificates that are watched include the authority of client certificates that expires first', async () => {
  const bundle = path.join(mkdtempSync(path.join(tmpdir(), 'plantgate-tls-')), 'authorities.pem');
  writeFileSync(bundle, ['authority.pem', 'expires-first.pem'].map((name) => readFileSync(file(name))).join('\n'));
  const { certificates: watched } = await openTls(configured(bundle));
  expect(watched()).toMatchObject([
    { setting: 'mqtt.tls.cert', subject: 'CN=server' },
    { setting: 'mqtt.tls.ca', subject: 'CN=authority that expires first' },
  ]);
});

it('MQTT-11 a reload takes a new authority of client certificates, and keeps the present one if it has none', async () => {
  const tls = await openTls(configured('authority.pem'));
  if (tls.mqtt === null) throw new Error('mqtt.tls is configured');
  const server = createServer(tls.mqtt);
  onTestFinished(() => {
    server.close();
  });
  tls.mqtt.pace(server);
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Whether a machine with a certificate of the first authority gets in. */
  const isLetIn = () =>
    new Promise<boolean>((resolve) => {
      const own = { cert: readFileSync(file('client.pem')), key: readFileSync(file('client.key')) };
      server.once('secureConnection', (socket) => {
        socket.destroy();
        resolve(true);
      });
      const client = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...own });
      client.on('error', () => resolve(false));
      client.on('close', () => resolve(false));
    });
  expect(await isLetIn()).toBe(true);
  await tls.reload(configured(null));
  expect(await isLetIn()).toBe(true);
  await tls.reload(configured('server.pem'));
  expect(await isLetIn()).toBe(false);
});
