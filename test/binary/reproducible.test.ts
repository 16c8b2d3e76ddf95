import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeExecutable } from '../../build/single-executable.ts';
import { stageProgram } from '../../build/stage-program.ts';

/** A slow computer needs half a minute for each build. */
const BUILD_TIMEOUT_MS = 120_000;

const emptyStage = () => path.join(mkdtempSync(path.join(tmpdir(), 'plantgate-built-')), 'stage');
const stage = emptyStage();
/** The same program, built in another directory. */
const otherStage = emptyStage();
beforeAll(async () => {
  for (const to of [stage, otherStage]) await stageProgram({ stage: to, platform: `linux-${process.arch}` });
}, BUILD_TIMEOUT_MS);
afterAll(() => {
  for (const made of [stage, otherStage]) rmSync(path.dirname(made), { recursive: true });
});

/** The files of a built program, by their paths. */
function filesIn(directory: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(directory, file), readFileSync(file)];
    }),
  );
}

function hashes(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...filesIn(directory)].map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  );
}

it('the files of the binary are the same to the byte when they are built twice', () => {
  const once = hashes(stage);
  expect(Object.keys(once)).toEqual(expect.arrayContaining(['main.cjs', 'main-thread.cjs', 'store-thread.cjs']));
  expect(hashes(otherStage)).toEqual(once);
});

it('the binary is the same to the byte when it is built again in another folder', {
  timeout: BUILD_TIMEOUT_MS,
}, async () => {
  const again = await makeExecutable({
    stage,
    node: process.execPath,
    arch: process.arch === 'arm64' ? 'arm64' : 'x64',
    out: path.join(path.dirname(stage), 'plantgate'),
  });
  const binary = readFileSync(path.resolve(import.meta.dirname, `../../dist/plantgate-linux-${process.arch}`));
  expect(again.equals(binary)).toBe(true);
});

// V8 holds a text with one other character in two bytes for each, and Node decodes it three times as slowly.
it('the scripts of the binary are plain ASCII', () => {
  const scripts = [...filesIn(stage)].filter(([name]) => name.endsWith('.cjs'));
  const other = scripts.flatMap(
    ([name, bytes]) =>
      bytes
        .toString()
        .match(/.{0,40}[^\0-\x7f].{0,40}/u)
        ?.map((found) => [name, found]) ?? [],
  );
  expect(other).toEqual([]);
});
