import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { OpenPlantFile } from '../../../src/config/plant-file/apply-plant-file.ts';
import { readPlantFileOfAnySize } from '../../../src/config/plant-file/read-large-plant-file.ts';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import { readPlantFileApart } from '../../../src/config/plant-file/read-plant-file-apart.ts';
import { PLANT_FILE_THREAD_FILE } from '../../bundle-program.ts';

function apart(text: string): Promise<OpenPlantFile> {
  return readPlantFileApart(new TextEncoder().encode(text), 'plant.yaml', PLANT_FILE_THREAD_FILE);
}

function partsYaml(count: number, name = 'Panel'): string {
  const lines = Array.from({ length: count }, (_, place) => `  - { partId: P-${place}, partName: ${name} }`);
  return `parts:\n${lines.join('\n')}\n`;
}

it('contract.md, Plant file: reading in a thread gives the same records as reading at once, in order, and locates faults', async () => {
  const text = stringify({
    machines: [{ machineId: 'M1', topicRoot: 'm/1' }],
    catalogs: [{ catalogId: 1, name: 'Standard' }],
    parts: Array.from({ length: 600 }, (_, place) => ({ partId: `P-${place}`, partName: `Panel ${place}` })),
    orders: [{ documentID: 'A', lines: [1, 2] }],
  });
  const { plantFile, locate, close } = await apart(text);
  const atOnce = readPlantFile(text, 'plant.yaml');
  if (!atOnce.ok) throw new Error('the plant is sound');
  expect(plantFile).toEqual(atOnce.plantFile);
  const faults = [{ path: 'parts[599].partId', found: 'this', expected: 'that' }];
  expect(await locate(faults)).toEqual(atOnce.locate(faults));
  await close();
});

it.each([
  ['a record of the wrong shape', 'parts: [ { partId: 7 } ]'],
  ['no YAML', 'parts: ['],
  ['nothing', ''],
])('contract.md, Plant file: %s is reported as when it is read at once', async (_, text) => {
  const atOnce = readPlantFile(text, 'plant.yaml');
  await expect(apart(text)).rejects.toMatchObject({ faults: atOnce.ok ? [] : atOnce.faults });
});

it('contract.md, Plant file: a reading thread that fails is reported, and no caller waits for it', async () => {
  const nowhere = new URL('./no-such-thread.ts', import.meta.url);
  await expect(readPlantFileApart(new Uint8Array(8), 'plant.yaml', nowhere)).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringContaining('plant.yaml cannot be read'),
  });
});

it('architecture.md, Threads: a large plant file does not delay the main thread', async () => {
  const text = partsYaml(20_000);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const { plantFile, close } = await apart(text);
  delays.disable();
  expect(plantFile.parts).toHaveLength(20_000);
  expect(delays.percentile(99) / 1e6).toBeLessThan(20);
  await close();
});

const LARGE = 5 * 1024 * 1024;

it.each([
  ['as it is', partsYaml(20_000, 'x'.repeat(240))],
  ['with a fault', `${partsYaml(19_999, 'x'.repeat(240))}  - { partId: 7 }\n`],
  ['with too many records', partsYaml(50_001, 'x'.repeat(80))],
  [
    'with references',
    `${partsYaml(20_000, 'x'.repeat(240))}  - &one { partId: A, partName: B }\nlocations: [ *one ]\n`,
  ],
])('contract.md, Plant file: a large plant file read part by part gives the same as read as a whole: %s', (_, text) => {
  expect(text.length).toBeGreaterThan(LARGE * 0.85);
  const bytes = new TextEncoder().encode(text);
  const [inParts, whole] = [readPlantFileOfAnySize(bytes, 'plant.yaml'), readPlantFile(text, 'plant.yaml')];
  if (!inParts.ok || !whole.ok) {
    expect(inParts).toEqual(whole);
    return;
  }
  expect(inParts.plantFile).toEqual(whole.plantFile);
});
