import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

/** Frees most of 300,000 small buffers; prints how many bytes go back to the system while all processors are busy, and then while one is idle. */
const FREE_MOST = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { returnFreedMemoryRegularly } from './src/adapters/store/thread/database/return-freed-memory.ts';
  const buffers = Array.from({ length: 300_000 }, () => Buffer.allocUnsafeSlow(400));
  const kept = buffers.filter((_, index) => index % 50 === 0);
  buffers.length = 0;
  // V8 itself gives much back after its collections.
  for (let count = 0; count < 3; count++) {
    gc();
    await delay(500);
  }
  let isBusy = true;
  returnFreedMemoryRegularly({ everyMs: 100, idleMs: () => (isBusy ? 0 : performance.now()) });
  const returned = async () => {
    const before = process.memoryUsage.rss();
    await delay(500);
    return before - process.memoryUsage.rss();
  };
  const busy = await returned();
  isBusy = false;
  const idle = await returned();
  console.log(JSON.stringify({ kept: kept.length, busy, idle }));
`;

it('memory that was freed between pieces in use goes back to the system, but not while all processors are busy', () => {
  const options = ['--expose-gc', '--input-type=module', '--eval', FREE_MOST];
  const cwd = path.resolve(import.meta.dirname, '../../../..');
  const printed = JSON.parse(execFileSync(process.execPath, options, { cwd, encoding: 'utf8' }));
  expect(printed.kept).toBe(6_000);
  expect(printed.busy).toBeLessThan(1_000_000);
  expect(printed.idle).toBeGreaterThan(3_000_000);
});
