import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { expectText, press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let gate: PageUnderTest;
const servers: Server[] = [];
const certificate = (file: string) => path.join(import.meta.dirname, '../adapters/broker/certificates', file);

beforeAll(async () => {
  gate = await PageUnderTest.start();
});
afterEach(() => gate.rest());
afterAll(async () => {
  await gate.end();
  for (const server of servers) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A server whose certificate comes from an authority that the gateway does not know. */
function withOwnAuthority(): Promise<number> {
  const [key, cert] = [readFileSync(certificate('server.key')), readFileSync(certificate('server.pem'))];
  return portOf(createServer({ key, cert }, (_, response) => response.end()));
}

async function type(url: string, key = 'a-key-of-plant-1'): Promise<void> {
  await gate.page.getByLabel(/^(Address|Adresse)$/).fill(url);
  await gate.page.getByLabel(/^(Key|Schlüssel)$/, { exact: true }).fill(key);
}

const keptServer = async () => (await gate.program.api('GET', '/settings')).body.upstream;

describe('D-58 a central server that cannot be reached', () => {
  it('is saved after a warning, not before it', async () => {
    await gate.open('/more', { as: 'admin' });
    await gate.follow('/set-up');
    const { page } = gate;
    await type('http://127.0.0.1:1/');
    await expectText(page, 'It cannot be reached. No program listens at this address and port.');
    await expectText(page, 'connect ECONNREFUSED 127.0.0.1:1');
    await expectAccessible(page);
    await shoot(page, 'unreachable-server');
    await press(page, 'Go on');
    await expectText(page, 'Save a server that does not answer as it should?');
    await expectAccessible(page);
    await shoot(page, 'unreachable-server-question');
    await press(page, 'Back to the address');
    expect(await keptServer()).toBe(null);
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('a-key-of-plant-1');
    await press(page, 'Go on');
    await press(page, 'Save it all the same');
    await gate.expectHeadline('4 machines are set up');
    await expectText(page, 'The gateway has to be started again');
    expect(await keptServer()).toEqual({ url: 'http://127.0.0.1:1/' });
    await gate.program.api('PUT', '/settings', { upstream: null });
  });

  it('can still be left out: the shifts are kept without it', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await press(page, 'Shifts and server');
    await page.getByLabel('Shift 1', { exact: true }).fill('Early');
    await type('http://127.0.0.1:1/');
    await expectText(page, 'It cannot be reached.');
    await press(page, 'Without a server');
    await expectText(page, 'It is kept');
    expect(await keptServer()).toBe(null);
  });

  it('is not saved where it has answered and refuses the key', async () => {
    const port = await portOf(createHttpServer((_, response) => response.writeHead(401).end('{}')));
    const page = await gate.openAgain('/admin', 'admin');
    await press(page, 'Shifts and server');
    await type(`http://127.0.0.1:${port}/`);
    await expectText(page, 'The server refuses this key.');
    expect(await page.getByRole('button', { name: 'Keep it' }).isDisabled()).toBe(true);
  });
});

describe('D-58 the fault of a certificate is told in words, with its code', () => {
  it.each([
    ['en-US', /Its certificate is not trusted here\. The server does not send the certificates between/],
    ['de-DE', /Seinem Zertifikat wird hier nicht vertraut\. Der Server sendet die Zertifikate zwischen/],
  ])('an unknown authority (%s)', async (locale, words) => {
    const port = await withOwnAuthority();
    const page = await gate.open('/admin', {
      as: 'admin',
      locale,
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    });
    await press(page, /Shifts and server|Schichten und Server/);
    await type(`https://localhost:${port}/`);
    await expectText(page, words);
    await expectText(page, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    await expectAccessible(page);
    await page.getByLabel(/^(Address|Adresse)$/).scrollIntoViewIfNeeded();
    await shoot(page, `unknown-authority-390-${locale}`);
  });

  it('no TLS at all, where https was typed', async () => {
    const port = await portOf(createHttpServer((_, response) => response.end()));
    const page = await gate.openAgain('/admin', 'admin');
    await press(page, 'Shifts and server');
    await type(`https://127.0.0.1:${port}/`);
    await expectText(page, 'This port speaks no TLS. Type http:// in place of https://');
    await expectText(page, /ERR_SSL_WRONG_VERSION_NUMBER/);
  });

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'No authority that this gateway knows has signed it.'],
    ['CERT_HAS_EXPIRED', 'It has expired. Renew it at the server'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'It is for another name.'],
    ['SOMETHING_NEW', 'Its certificate is not trusted here.'],
  ])('%s', async (code, words) => {
    const page = await gate.openAgain('/admin', 'admin');
    const trial = {
      outcome: 'wrongCertificate',
      answeredInMs: 3,
      speaks: null,
      detail: `a certificate (${code})`,
      code,
    };
    await page.route('**/settings/server', (route) => route.fulfill({ json: trial }));
    await press(page, 'Shifts and server');
    await type('https://central.example/');
    await expectText(page, words);
    await expectText(page, `(${code})`);
  });
});

it('D-58 an authority that NODE_EXTRA_CA_CERTS names is trusted, as the page advises', async () => {
  const url = `https://localhost:${await withOwnAuthority()}/`;
  const environment = { ...process.env, NODE_EXTRA_CA_CERTS: certificate('authority.pem') };
  const program = await Program.start({ environment });
  try {
    const { body } = await program.api('POST', '/settings/server', { url, apiKey: 'key' });
    expect(body).toMatchObject({
      outcome: 'unreachable',
      detail: expect.stringContaining('an answer without a version'),
    });
  } finally {
    await program.end();
  }
});
