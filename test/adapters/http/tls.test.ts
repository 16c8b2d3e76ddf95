import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Handshakes } from '../../../src/adapters/system/handshakes.ts';
import { call, startGateway, statusOf } from './gateway-under-test.ts';

const certificates = path.join(import.meta.dirname, '../broker/certificates');
const read = (file: string) => readFileSync(path.join(certificates, file));

const PATIENCE_MS = 4_000;

function startTls() {
  const tls = { cert: read('server.pem'), key: read('server.key'), pace: vi.fn(new Handshakes().pace) };
  return {
    tls,
    starting: startGateway({
      options: {
        http: { host: '127.0.0.1', port: 0, tls, allowedHosts: [], trustedProxies: [], requestsPerSecond: 200 },
      },
    }),
  };
}

it('HTTP-01 a gateway serves over TLS when it has a certificate', async () => {
  const { tls, starting } = startTls();
  const gateway = await starting;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { method: 'POST', ca: read('authority.pem'), agent: false, checkServerIdentity: () => undefined };
    const sent = request(`https://127.0.0.1:${gateway.port}/api/device/status`, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(statusOf()));
  });
  expect(status).toBe(200);
  expect(tls.pace).toHaveBeenCalledOnce();
  await expect(call(`http://127.0.0.1:${gateway.port}/healthz`, 'GET', undefined, {})).rejects.toThrow();
  expect(gateway.incidents.entries('accessRefused')[0]?.detail).toMatch(/^TLS: /);
  await gateway.close();
});

it('a gateway closes within its grace, also with a begun TLS handshake and a silent connection', async () => {
  const gateway = await startTls().starting;
  const clients = await Promise.all(
    Array.from({ length: 2 }, () => {
      return new Promise<Socket>((resolve) => {
        const socket = connect(gateway.port, '127.0.0.1', () => resolve(socket)).on('error', () => undefined);
      });
    }),
  );
  // The head of a record whose rest never comes.
  clients[0]?.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]));
  await delay(50);
  const startedMs = performance.now();
  await gateway.close();
  expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS);
});
