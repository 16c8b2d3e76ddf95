import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SupportBundles } from '../../../src/adapters/system/support-bundles.ts';

/** A thread that does what its text says. */
function bundlesBy(program: string): SupportBundles {
  const dir = mkdtempSync(join(tmpdir(), 'plantgate-support-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const threadEntry = join(dir, 'thread.cjs');
  writeFileSync(threadEntry, `const { parentPort, workerData } = require('node:worker_threads'); ${program}`);
  return new SupportBundles({ threadEntry, request: { file: 'plantgate.yaml' } });
}

it('makes one bundle at a time, and the next when it is done', async () => {
  const support = bundlesBy('parentPort.postMessage(new TextEncoder().encode(workerData.file))');
  const first = support.bundle();
  await expect(support.bundle()).rejects.toMatchObject({ code: 'conflict' });
  expect(Buffer.from(await first).toString()).toBe('plantgate.yaml');
  await support.bundle();
});

it.each([
  ['fails', 'throw new Error("no such disk")', 'no such disk'],
  ['ends', 'process.exit(3)', 'ended with 3'],
  ['takes too much memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5));', 'memory limit'],
])('gives the reason if the thread of a bundle %s, and makes the next bundle', async (_, program, reason) => {
  const support = bundlesBy(program);
  const refusal = { code: 'store-unavailable', message: expect.stringContaining(reason) };
  await expect(support.bundle()).rejects.toMatchObject(refusal);
  await expect(support.bundle()).rejects.toMatchObject(refusal);
});

it('gives up the bundle when the gateway stops', async () => {
  const support = bundlesBy('setInterval(() => 0, 1_000)');
  const bundle = expect(support.bundle()).rejects.toMatchObject({ code: 'store-unavailable' });
  await support.close();
  await bundle;
});
