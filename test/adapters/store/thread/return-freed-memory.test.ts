import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

/** Frees most of 300,000 small buffers, and prints how many MiB a return of freed memory gives back. */
const FREE_MOST = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { returnFreedMemory } from './src/adapters/store/thread/database/return-freed-memory.ts';
  const buffers = Array.from({ length: 300_000 }, () => Buffer.allocUnsafeSlow(400));
  const kept = buffers.filter((_, index) => index % 50 === 0);
  buffers.length = 0;
  gc();
  await delay(500);
  const before = process.memoryUsage.rss();
  const isPossible = returnFreedMemory();
  console.log(JSON.stringify({ isPossible, kept: kept.length, returnedBytes: before - process.memoryUsage.rss() }));
`;

it('memory that was freed between pieces in use goes back to the system', () => {
  const options = ['--expose-gc', '--input-type=module', '--eval', FREE_MOST];
  const cwd = path.resolve(import.meta.dirname, '../../../..');
  const printed = JSON.parse(execFileSync(process.execPath, options, { cwd, encoding: 'utf8' }));
  expect(printed).toMatchObject({ isPossible: true, kept: 6_000 });
  expect(printed.returnedBytes).toBeGreaterThan(3_000_000);
});
