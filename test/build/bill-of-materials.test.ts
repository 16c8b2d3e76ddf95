import { expect, it } from 'vitest';
import { cycloneDx, nodeRuntime, partsOfNode } from '../../build/bill-of-materials.ts';
import manifest from '../../package.json' with { type: 'json' };
import lockfile from '../../package-lock.json' with { type: 'json' };

it.each(['x64', 'arm64'] as const)('the bill of materials for %s names the Node of this architecture', (arch) => {
  const name = `node-linux-${arch}` as const;
  const version = manifest.optionalDependencies[name];
  const { components } = JSON.parse(cycloneDx('1.0.0', [nodeRuntime(arch)]));
  const sha512 = Buffer.from(lockfile.packages[`node_modules/${name}`].integrity.replace('sha512-', ''), 'base64');
  expect(components).toMatchObject([
    {
      name,
      version,
      purl: `pkg:npm/${name}@${version}`,
      hashes: [{ alg: 'SHA-512', content: sha512.toString('hex') }],
    },
  ]);
  expect(nodeRuntime(arch).licenseText).toContain('Node.js is licensed');
});

it('the bill of materials names the libraries inside Node with their versions', () => {
  const [node] = JSON.parse(cycloneDx('1.0.0', [nodeRuntime('x64')])).components;
  const { openssl, v8, uv } = process.versions;
  const libraries = Object.entries({ openssl, v8, uv }).map(([name, version]) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
  }));
  expect(node.components).toEqual(expect.arrayContaining(libraries));
});

it('versions of interfaces and libraries that a build of Node lacks are no parts of it', () => {
  const versions = { node: '24.0.0', modules: '137', napi: '10', nghttp3: '', zlib: '1.3' };
  expect(partsOfNode(versions)).toEqual([{ name: 'zlib', version: '1.3' }]);
});
