import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type GatewayUnderTest, startGateway } from '../gateway-under-test.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** The files of a folder, without pictures. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.png'))
    .map((entry) => path.relative(path.join(root, folder), path.join(entry.parentPath, entry.name)));
}

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe.each([
  { place: '/docs/samples', folder: 'firmware-samples', first: 'README.md' },
  { place: '/docs/manual', folder: 'docs', first: 'architecture.md' },
])('$place', ({ place, folder, first }) => {
  it(`lists every file of ${folder}, its top folder first`, async () => {
    const { text, headers } = await gateway.call('GET', place);
    expect(headers['content-type']).toContain('text/html');
    for (const name of namesIn(folder)) expect(text).toContain(`href="${place}/${name}"`);
    expect(new RegExp(`href="${place}/([^"]+)"`, 'g').exec(text.slice(text.indexOf('<ul>')))?.[1]).toBe(first);
    expect(text.replace('<script src="/docs.js" defer></script>', '')).not.toMatch(/<script|https?:\/\/|style=/);
  });

  it('serves each of them as plain text, without a key', async () => {
    for (const name of namesIn(folder)) {
      const answer = await fetch(`${gateway.url}${place}/${name}`);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await answer.text()).toBe(readFileSync(path.join(root, folder, name), 'utf8'));
    }
  });

  it.each(['../plant.yaml', '%2e%2e/package.json', 'c', 'x.c', 'andon.png'])('has no other file: %s', async (name) => {
    expect((await gateway.call('GET', `${place}/${name}`)).status).toBe(404);
  });
});

it('all samples come in one archive, whose scripts can be run as they are unpacked', async () => {
  const answer = await fetch(`${gateway.url}/docs/samples.tar.gz`);
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  const directory = mkdtempSync(path.join(tmpdir(), 'samples-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const archive = path.join(directory, 'samples.tar.gz');
  writeFileSync(archive, Buffer.from(await answer.arrayBuffer()));
  execFileSync('tar', ['-xzf', archive, '-C', directory]);
  for (const name of namesIn('firmware-samples')) {
    const [unpacked, original] = [
      path.join(directory, 'plantgate-samples', name),
      path.join(root, 'firmware-samples', name),
    ];
    expect(readFileSync(unpacked)).toEqual(readFileSync(original));
    expect((statSync(unpacked).mode & 0o100) !== 0, name).toBe(/\.(sh|py)$/.test(name));
  }
  expect((await gateway.call('GET', '/docs/samples')).text).toContain('href="/docs/samples.tar.gz"');
});

it('the manual names each document by its title, and the guide leads to it', async () => {
  const { text } = await gateway.call('GET', '/docs/manual');
  expect(text).toContain('<li><a href="/docs/manual/operate.md">operate.md</a>: Operate</li>');
  expect((await gateway.call('GET', '/docs')).text).toContain('href="/docs/manual"');
});
