import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { Handshakes } from '../../../src/adapters/system/handshakes.ts';
import { call, startGateway, statusOf } from './gateway-under-test.ts';

const certificates = path.join(import.meta.dirname, '../broker/certificates');
const read = (file: string) => readFileSync(path.join(certificates, file));

it('HTTP-01 serves over TLS when it has a certificate', async () => {
  const tls = { cert: read('server.pem'), key: read('server.key'), pace: vi.fn(new Handshakes().pace) };
  const gateway = await startGateway({ options: { http: { host: '127.0.0.1', port: 0, tls, allowedHosts: [] } } });
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
