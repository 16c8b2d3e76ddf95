import path from 'node:path';
import { expect, it } from 'vitest';
import { builtBinary } from '../../build/built-binary.ts';

it.each(['x64', 'arm64'] as const)('a package without the binary for %s says what to run', (arch) => {
  const folder = path.join(import.meta.dirname, 'nothing');
  expect(() => builtBinary(arch, folder)).toThrow(
    `plantgate-linux-${arch} is missing: run "npm run build:binary -- ${arch}" first`,
  );
});
