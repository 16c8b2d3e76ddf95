import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { Program, statusOf } from '../end-to-end/program.ts';
import { ARM64_BINARY, missingForArm64, ON_ARM64 } from '../this-computer.ts';

/** An emulated processor takes ten times as long. */
const EMULATED_START_MS = 90_000;

it('HTTP-01 the binary for arm64 says its version and answers a status', {
  timeout: 2 * EMULATED_START_MS,
}, async () => {
  expect(missingForArm64()).toBeNull();
  const cacheDir = mkdtempSync(path.join(tmpdir(), 'plantgate-arm64-'));
  onTestFinished(() => rmSync(cacheDir, { recursive: true }));
  const environment = { PATH: process.env.PATH, PKG_NATIVE_CACHE_PATH: cacheDir };
  const [command, ...words] = [...ON_ARM64, ARM64_BINARY, '--version'];
  expect(execFileSync(command ?? '', words, { env: environment, encoding: 'utf8' }).trim()).toBe(manifest.version);

  const program = await Program.start({
    binary: ARM64_BINARY,
    under: ON_ARM64,
    environment,
    startTimeoutMs: EMULATED_START_MS,
  });
  onTestFinished(() => program.cleanUp());
  const { status, body } = await program.device('status', statusOf({ partId: 'P-100' }));
  expect({ status, body }).toMatchObject({ status: 200, body: { machineId: 'RF-01', runEnabled: true } });
  // The addon that keeps records on disk is one for arm64 as well.
  expect((await program.api('POST', '/backups')).status).toBe(201);
  expect(await program.stop()).toBe(0);
});
