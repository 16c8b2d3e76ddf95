import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stageProgram } from '../../build/stage-program.ts';

/** The files of a newly built program in its own directory. */
async function built(): Promise<ReadonlyMap<string, Buffer>> {
  const parent = mkdtempSync(path.join(tmpdir(), 'plantgate-built-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const stage = path.join(parent, 'stage');
  await stageProgram({ stage, platform: `linux-${process.arch}` });
  const files = readdirSync(stage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(stage, file), readFileSync(file)];
    }),
  );
}

function hashes(files: ReadonlyMap<string, Buffer>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...files].map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  );
}

it('the binary is the same to the byte when it is built twice', async () => {
  const once = hashes(await built());
  expect(Object.keys(once)).toEqual(expect.arrayContaining(['main.cjs', 'main-thread.cjs', 'store-thread.cjs']));
  expect(hashes(await built())).toEqual(once);
});

// V8 holds a text with one other character in two bytes for each, and Node decodes it three times as slowly.
it('the scripts of the binary are plain ASCII', async () => {
  const scripts = [...(await built())].filter(([name]) => name.endsWith('.cjs'));
  const other = scripts.flatMap(
    ([name, bytes]) =>
      bytes
        .toString()
        .match(/.{0,40}[^\0-\x7f].{0,40}/u)
        ?.map((found) => [name, found]) ?? [],
  );
  expect(other).toEqual([]);
});
