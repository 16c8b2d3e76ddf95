import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSampleFiles } from '../../../../src/adapters/http/documents/sample-files.ts';
import { type GatewayUnderTest, startGateway } from '../gateway-under-test.ts';

const folder = path.resolve(import.meta.dirname, '../../../../firmware-samples');
const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('/docs/samples', () => {
  it('lists every file of firmware-samples, the README first', async () => {
    const { text, headers } = await gateway.call('GET', '/docs/samples');
    expect(headers['content-type']).toContain('text/html');
    for (const name of names) expect(text).toContain(`href="/docs/samples/${name}"`);
    expect([...(await readSampleFiles()).keys()][0]).toBe('README.md');
    expect(text.replace('<script src="/docs.js" defer></script>', '')).not.toMatch(/<script|https?:\/\/|style=/);
  });

  it('serves each of them as plain text, without a key', async () => {
    for (const name of names) {
      const answer = await fetch(`${gateway.url}/docs/samples/${name}`);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await answer.text()).toBe(readFileSync(path.join(folder, name), 'utf8'));
    }
  });

  it.each(['/docs/samples/../plant.yaml', '/docs/samples/%2e%2e/package.json', '/docs/samples/c', '/docs/samples/x.c'])(
    'has no other file: %s',
    async (place) => {
      expect((await gateway.call('GET', place)).status).toBe(404);
    },
  );
});
