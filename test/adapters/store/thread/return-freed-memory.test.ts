import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

/** Frees most of 300,000 small buffers; prints how many bytes go back to the system while the process is busy, and then in calm. */
const FREE_MOST = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { returnFreedMemoryInCalm } from './src/adapters/store/thread/database/return-freed-memory.ts';
  const buffers = Array.from({ length: 300_000 }, () => Buffer.allocUnsafeSlow(400));
  const kept = buffers.filter((_, index) => index % 50 === 0);
  buffers.length = 0;
  // V8 itself gives much back after its collections.
  for (let count = 0; count < 3; count++) {
    gc();
    await delay(500);
  }
  let isBusy = true;
  returnFreedMemoryInCalm({ everyMs: 100, processorMs: () => (isBusy ? performance.now() : 0) });
  const returned = async () => {
    const before = process.memoryUsage.rss();
    await delay(500);
    return before - process.memoryUsage.rss();
  };
  const busy = await returned();
  isBusy = false;
  const calm = await returned();
  console.log(JSON.stringify({ kept: kept.length, busy, calm }));
`;

it('memory that was freed between pieces in use goes back to the system, but not while the process is busy', () => {
  const options = ['--expose-gc', '--input-type=module', '--eval', FREE_MOST];
  const cwd = path.resolve(import.meta.dirname, '../../../..');
  const printed = JSON.parse(execFileSync(process.execPath, options, { cwd, encoding: 'utf8' }));
  expect(printed.kept).toBe(6_000);
  expect(printed.busy).toBeLessThan(1_000_000);
  expect(printed.calm).toBeGreaterThan(3_000_000);
});
