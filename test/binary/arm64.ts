import { existsSync } from 'node:fs';
import path from 'node:path';
import { works } from '../samples/tools.ts';

/** The binary for arm64; `npm run build:binary -- arm64` makes it. */
export const ARM64_BINARY = path.resolve(import.meta.dirname, '../../dist/plantgate-linux-arm64');

/** Runs a program for arm64 here, with the libraries of Debian's cross compilers. */
export const ON_ARM64: readonly string[] =
  process.arch === 'arm64' ? [] : ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];

/** What the test of the arm64 binary lacks here; null: nothing. */
export function missingForArm64(): string | null {
  const hasEmulator = process.arch === 'arm64' || works('qemu-aarch64', '--version');
  if (!hasEmulator) return 'qemu (apt-get install qemu-user libc6-arm64-cross libstdc++6-arm64-cross)';
  return existsSync(ARM64_BINARY) ? null : 'the binary (npm run build:binary -- arm64)';
}
