import { expect, it } from 'vitest';
import { cycloneDx, nodeRuntime } from '../../build/bill-of-materials.ts';
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
