import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stageProgram } from '../../build/stage-program.ts';

/** The hash of each file of a newly built program in its own directory. */
async function built(): Promise<Readonly<Record<string, string>>> {
  const parent = mkdtempSync(path.join(tmpdir(), 'plantgate-built-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const stage = path.join(parent, 'stage');
  await stageProgram({ stage, platform: `linux-${process.arch}`, minify: true });
  const files = readdirSync(stage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hashes = files.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(stage, file), createHash('sha256').update(readFileSync(file)).digest('hex')];
  });
  return Object.fromEntries(hashes);
}

it('the binary is the same to the byte when it is built twice', async () => {
  const once = await built();
  expect(Object.keys(once)).toEqual(expect.arrayContaining(['main.cjs', 'main-thread.cjs', 'store-thread.cjs']));
  expect(await built()).toEqual(once);
});
