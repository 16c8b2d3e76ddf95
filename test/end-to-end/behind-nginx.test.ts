import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { hasOpenssl, NGINX } from '../this-computer.ts';
import { type Json, PLANT, Program } from './program.ts';

const NAME = 'gate.plant.example';
/** Another address than that of the proxy, so that the tests tell them apart. */
const CLIENT = '127.0.0.2';
const PASSWORD = 'a-long-password-of-pat';
const PEOPLE = `users: [ { name: pat, role: admin, password: ${PASSWORD} } ]\n`;

const chapter = chapterOf(readFileSync(path.resolve(import.meta.dirname, '../../docs/operate.md'), 'utf8'));
const isRunnable = NGINX !== null && hasOpenssl;
if (!isRunnable)
  console.warn('The tests behind nginx are left out: they need nginx (apt-get install nginx-light) and openssl.');

/** The configurations that the manual shows. */
function chapterOf(manual: string): { readonly gateway: Json; readonly nginx: string } {
  const text = manual.split('\n## ').find((part) => part.startsWith('Behind nginx or Traefik')) ?? '';
  const block = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text)?.[1] ?? '';
  return { gateway: parse(block('yaml')).http, nginx: block('nginx') };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** nginx with the manual's server, on a free port and with a certificate of the test. */
async function startNginx(dir: string, port: number, gatewayPort: number): Promise<ChildProcess> {
  const [cert, key] = [path.join(dir, 'gate.pem'), path.join(dir, 'gate.key')];
  const subject = ['-subj', `/CN=${NAME}`, '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject], {
    stdio: 'ignore',
  });
  const server = chapter.nginx
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('http://127.0.0.1:8080', `http://127.0.0.1:${gatewayPort}`)
    .replaceAll('/etc/nginx/', `${dir}/`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/${kind};`,
  );
  const file = path.join(dir, 'nginx.conf');
  const head = `daemon off; master_process off; pid ${dir}/nginx.pid; error_log stderr; events {}`;
  writeFileSync(file, `${head}\nhttp { access_log off; ${places.join(' ')}\n${server}}\n`);
  return spawn(NGINX ?? '', ['-c', file, '-p', dir, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

describe.runIf(isRunnable)('D-62 the gateway behind nginx, as the manual sets both up', () => {
  let program: Program;
  let nginx: ChildProcess;
  let port: number;
  let cookie: string;
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-nginx-'));

  /** Asks over HTTPS, as a browser with the page does. */
  function open(method: string, place: string, headers: object = {}, body?: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const own = { host: `${NAME}:${port}`, ...(body && { 'content-type': 'application/json' }), ...headers };
      const target = { host: '127.0.0.1', localAddress: CLIENT, port, servername: NAME, rejectUnauthorized: false };
      const asked = request({ ...target, method, path: place, headers: own, agent: false }, resolve);
      asked.once('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async function call(method: string, place: string, headers: object = {}, body?: object): Promise<Answer> {
    const answer = await open(method, place, headers, body);
    const text = (await answer.toArray()).join('');
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  }

  const ofPage = () => ({ origin: `https://${NAME}:${port}`, 'sec-fetch-site': 'same-origin' });

  beforeAll(async () => {
    const http = JSON.stringify({ ...chapter.gateway, port: 0 });
    program = await Program.start({ plant: PLANT + PEOPLE, environment: { ...process.env, PLANTGATE_HTTP: http } });
    port = await freePort();
    nginx = await startNginx(dir, port, program.httpPort);
    await vi.waitFor(async () => expect((await call('GET', '/healthz')).status).toBe(200), { timeout: 10_000 });
    const signedIn = await call('POST', '/api/local/session', ofPage(), { name: 'pat', password: PASSWORD });
    expect(signedIn).toMatchObject({ status: 200, body: { name: 'pat', role: 'admin' } });
    cookie = String(signedIn.headers['set-cookie']);
  }, 60_000);

  afterAll(async () => {
    nginx.kill();
    await program.stop();
    rmSync(dir, { recursive: true });
  });

  it('lets a person sign in, and the session cookie never goes over plain HTTP', async () => {
    expect(cookie).toMatch(/; Secure$/);
    const read = await call('GET', '/api/local/session', { cookie });
    expect(read).toMatchObject({ status: 200, body: { name: 'pat' } });
  });

  it('refuses pages of other sites and other names', async () => {
    const evil = await call(
      'POST',
      '/api/local/session',
      { origin: 'https://evil.example' },
      { name: 'pat', password: 'x' },
    );
    expect(evil.status).toBe(403);
    expect((await call('GET', '/healthz', { host: `evil.example:${port}` })).status).toBe(421);
  });

  it('notes the address of the browser in the audit, whatever address the browser claims', async () => {
    const headers = { ...ofPage(), cookie, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example' };
    expect((await call('PUT', '/api/local/machines/RF-01/part', headers, { partId: 'P-100' })).status).toBe(200);
    const { body } = await program.api('GET', '/audit');
    const [act] = body.entries ?? body;
    expect(act).toMatchObject({ who: 'pat', address: CLIENT });
  });

  it('passes events on at once', async () => {
    const stream = await open('GET', '/api/local/events', { cookie });
    expect(stream.statusCode).toBe(200);
    const heard = new Promise((resolve) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        if (text.includes('P-200')) resolve(undefined);
      });
    });
    const begunMs = performance.now();
    await call('PUT', '/api/local/machines/RF-01/part', { ...ofPage(), cookie }, { partId: 'P-200' });
    await heard;
    expect(performance.now() - begunMs).toBeLessThan(2_000);
    stream.destroy();
  });
});
