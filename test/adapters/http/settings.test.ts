import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path, { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const certificates = path.join(import.meta.dirname, '../broker/certificates');
const read = (file: string) => readFileSync(path.join(certificates, file));
const SHIFTS = { timeZone: 'Europe/Berlin', shifts: [{ name: 'Früh', start: '06:00' }] };

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const ask = (method: string, path: string, body?: object) =>
  gateway.as(keyOf('admin'), method, `/api/local/settings${path}`, body);

describe('settings chosen at the page', () => {
  it('are kept for the next start in a file that only the gateway reads, and their key is never shown', async () => {
    expect((await ask('GET', '')).body).toMatchObject({
      timeZone: 'UTC',
      upstream: null,
      chosen: [],
      restartNeeded: false,
    });
    const upstream = { url: 'https://central.example/', apiKey: 'key-of-the-central-server' };
    const { body } = await ask('PUT', '', { shifts: SHIFTS, upstream });
    expect(body).toEqual({
      ...SHIFTS,
      upstream: { url: upstream.url },
      fixed: [],
      chosen: ['shifts', 'upstream'],
      restartNeeded: true,
      restart: { by: 'terminal', command: null },
    });
    const file = join(gateway.dataDir, 'settings.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ shifts: SHIFTS, upstream });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { body: audit } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=changeSettings');
    expect(JSON.stringify(audit)).toContain('central.example');
    expect(JSON.stringify(audit)).not.toContain(upstream.apiKey);
    expect((await ask('PUT', '', { upstream: null })).body).toMatchObject({
      upstream: null,
      timeZone: SHIFTS.timeZone,
      chosen: ['shifts'],
    });
  });

  it('F17 keep weekdays and breaks of shifts, and days off, and are refused by their names', async () => {
    const [early] = SHIFTS.shifts;
    const shifts = {
      ...SHIFTS,
      shifts: [{ ...early, days: ['Mon', 'Fri'], breaks: [{ start: '09:00', minutes: 15 }] }],
      daysOff: [{ date: '2026-12-25', name: 'Christmas' }],
    };
    expect((await ask('PUT', '', { shifts })).body).toMatchObject(shifts);
    const wrong = { ...shifts, daysOff: [{ date: 'soon', name: 'x' }] };
    const { status, body } = await ask('PUT', '', { shifts: wrong });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('shifts.daysOff[0].date');
  });

  it('keep the sections of two people who change them at the same time', async () => {
    const upstream = { url: 'https://other.example/', apiKey: 'key-of-the-other-server' };
    const shifts = { ...SHIFTS, timeZone: 'Europe/Vienna' };
    await Promise.all([ask('PUT', '', { shifts }), ask('PUT', '', { upstream })]);
    const kept = { timeZone: shifts.timeZone, upstream: { url: upstream.url } };
    expect((await ask('GET', '')).body).toMatchObject(kept);
    expect(JSON.parse(readFileSync(join(gateway.dataDir, 'settings.json'), 'utf8'))).toEqual({ shifts, upstream });
  });

  it.each([
    [{ shifts: { ...SHIFTS, timeZone: 'Mars/Phobos' } }, 'shifts.timeZone'],
    [{ shifts: { ...SHIFTS, shifts: [{ name: 'A', start: '25:00' }] } }, 'shifts'],
    [{ upstream: { url: 'ftp://central', apiKey: 'x' } }, 'upstream.url: found "ftp://central"'],
    [{ upstream: { url: 'http://central/', apiKey: 'two words' } }, 'upstream.apiKey'],
  ])('are refused as the next start would refuse them: %j', async (change, fault) => {
    const { status, body } = await ask('PUT', '', change);
    expect(status).toBe(400);
    expect(JSON.stringify(body).replaceAll('\\"', '"')).toContain(fault);
  });
});

describe('a trial of a central server', () => {
  const servers: { close(): unknown }[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  function answering(status: number, text: string): Promise<string> {
    const server = createServer((_, response) => response.writeHead(status).end(text));
    servers.push(server);
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    });
  }

  it.each([
    ['answers, with the batch extension', 200, '{"version":1}', { outcome: 'answers', speaks: 'batch' }],
    ['refuses the key', 401, '{"errors":["no"]}', { outcome: 'keyRefused', speaks: null }],
    ['is no central server', 404, 'nothing here', { outcome: 'unreachable' }],
  ])('finds that it %s', async (_, status, text, trial) => {
    const { body } = await ask('POST', '/server', { url: await answering(status, text), apiKey: 'key' });
    expect(body).toMatchObject(trial);
  });

  it('finds that it cannot be reached, or has a certificate that is not trusted here', async () => {
    const { body: away } = await ask('POST', '/server', { url: 'http://127.0.0.1:1/', apiKey: 'key' });
    expect(away).toMatchObject({
      outcome: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
      code: 'ECONNREFUSED',
    });
    const server = createTlsServer({ cert: read('server.pem'), key: read('server.key') }, (_, response) =>
      response.end(),
    );
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    expect((await ask('POST', '/server', { url, apiKey: 'key' })).body).toMatchObject({
      outcome: 'wrongCertificate',
      detail: 'unable to verify the first certificate (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  it.each([
    [
      'a server without TLS behind https',
      'https',
      200,
      'ERR_SSL_WRONG_VERSION_NUMBER',
      /^wrong version number \(ERR_SSL/,
    ],
    ['a server whose words look like a code', 'http', 500, null, /HTTP 500/],
  ])('D-58 names the code of %s', async (_, scheme, status, code, detail) => {
    const url = (await answering(status, 'ECONNREFUSED MY_CODE')).replace('http', scheme);
    const { body } = await ask('POST', '/server', { url, apiKey: 'key' });
    expect(body).toMatchObject({ outcome: 'unreachable', code, detail: expect.stringMatching(detail) });
  });

  it('D-58 names the code of a name that nobody knows', async () => {
    const { body } = await ask('POST', '/server', { url: 'http://no-such-host.invalid/', apiKey: 'key' });
    expect(JSON.stringify(body)).toMatch(/"code":"(ENOTFOUND|EAI_AGAIN)"/);
  });

  it('is for administrators only', async () => {
    const { status } = await gateway.as(keyOf('supervisor'), 'POST', '/api/local/settings/server', {
      url: 'http://127.0.0.1:1/',
      apiKey: 'key',
    });
    expect(status).toBe(403);
  });
});
