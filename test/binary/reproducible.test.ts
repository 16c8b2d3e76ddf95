import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeExecutable } from '../../build/single-executable.ts';
import { stageProgram } from '../../build/stage-program.ts';

function emptyDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'plantgate-built-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** The files of a newly built program in its own directory. */
async function built(): Promise<ReadonlyMap<string, Buffer>> {
  const stage = path.join(emptyDirectory(), 'stage');
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

it('the files of the binary are the same to the byte when they are built twice', async () => {
  const once = hashes(await built());
  expect(Object.keys(once)).toEqual(expect.arrayContaining(['main.cjs', 'main-thread.cjs', 'store-thread.cjs']));
  expect(hashes(await built())).toEqual(once);
});

it('the binary is the same to the byte when it is built again in another folder', async () => {
  const directory = emptyDirectory();
  const stage = path.join(directory, 'stage');
  await stageProgram({ stage, platform: `linux-${process.arch}` });
  const again = await makeExecutable({ stage, node: process.execPath, out: path.join(directory, 'plantgate') });
  const binary = readFileSync(path.resolve(import.meta.dirname, `../../dist/plantgate-linux-${process.arch}`));
  expect(again.equals(binary)).toBe(true);
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
