import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchPlantFile } from '../../../src/adapters/system/plant-file.ts';

function watchOne(content: string | null, take: (text: string) => void = () => undefined, pollMs = 40) {
  const file = join(mkdtempSync(join(tmpdir(), 'plantgate-plant-')), 'plant.yaml');
  if (content !== null) writeFileSync(file, content);
  const taken: string[] = [];
  const faults: string[] = [];
  const watch = watchPlantFile({
    file,
    maxBytes: 1_000,
    settleMs: 20,
    pollMs,
    onContent: async (bytes) => {
      const text = Buffer.from(bytes).toString();
      taken.push(text);
      take(text);
    },
    onFault: ({ message }) => faults.push(message),
  });
  onTestFinished(() => watch.close());
  return { file, taken, faults, watch };
}

describe('watchPlantFile', () => {
  it('gives the content at the start and after each change', async () => {
    const { file, taken } = watchOne('one');
    await vi.waitFor(() => expect(taken).toEqual(['one']));
    writeFileSync(file, 'two');
    await vi.waitFor(() => expect(taken).toEqual(['one', 'two']));
  });

  it('sees a change at once by watching, without polling', async () => {
    const { file, taken } = watchOne('one', undefined, 60_000);
    await vi.waitFor(() => expect(taken).toEqual(['one']));
    writeFileSync(`${file}.new`, 'two');
    renameSync(`${file}.new`, file);
    await vi.waitFor(() => expect(taken).toEqual(['one', 'two']));
  });

  it('does not give the same content again', async () => {
    const { file, taken } = watchOne('one');
    await vi.waitFor(() => expect(taken).toEqual(['one']));
    writeFileSync(file, 'one');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(taken).toEqual(['one']);
  });

  it('reports once that the file is gone, and takes it when it is there', async () => {
    const { file, taken, faults } = watchOne(null);
    await vi.waitFor(() => expect(faults).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(faults).toHaveLength(1);
    writeFileSync(file, 'here');
    await vi.waitFor(() => expect(taken).toEqual(['here']));
    rmSync(file);
    await vi.waitFor(() => expect(faults).toHaveLength(2));
    writeFileSync(file, 'here');
    await vi.waitFor(() => expect(taken).toEqual(['here', 'here']));
  });

  it('reports a content that could not be taken once, and gives it again until it can be taken', async () => {
    let isReady = false;
    const { taken, faults } = watchOne('half', () => {
      if (!isReady) throw new Error('line 3: cut off');
    });
    await vi.waitFor(() => expect(taken.length).toBeGreaterThan(2));
    expect(faults).toEqual([expect.stringContaining('line 3: cut off')]);
    isReady = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { length } = taken;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(taken).toHaveLength(length);
  });

  it.each([
    ['a file above its limit', (file: string) => writeFileSync(file, 'x'.repeat(1_001)), 'more than 1000'],
    ['a directory in its place', (file: string) => mkdirSync(file), 'not a regular file'],
  ])('reports %s', async (_what, make, message) => {
    const { file, faults, taken } = watchOne(null);
    make(file);
    await vi.waitFor(() => expect(faults.at(-1)).toContain(message));
    expect(taken).toEqual([]);
  });

  it('gives no content any more once it is closed', async () => {
    const { file, taken, watch } = watchOne('one');
    await vi.waitFor(() => expect(taken).toEqual(['one']));
    await watch.close();
    writeFileSync(file, 'two');
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(taken).toEqual(['one']);
  });
});
