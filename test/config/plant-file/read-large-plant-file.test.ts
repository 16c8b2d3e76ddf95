import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plantText } from '../../../src/config/plant-file/plant-text.ts';
import { plantFileParts, readLargePlantFile } from '../../../src/config/plant-file/read-large-plant-file.ts';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import { anyPlant } from '../../any-plant.ts';
import { rounds } from '../../rounds.ts';

const parts = (count: number, more = '') =>
  `parts:\n${Array.from({ length: count }, (_, place) => `  - partId: P-${place}\n    partName: x${more}\n`).join('')}`;

function read(text: string) {
  const reading = readLargePlantFile(text, 'plant.yaml');
  if (reading?.ok !== true) throw new Error(JSON.stringify(reading));
  return reading;
}

describe('a plant file read part by part', () => {
  it('gives the same records as one read as a whole, for any content and any YAML style', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyPlant, fc.boolean(), fc.constantFrom('\n', '\r\n'), (plant, isFlush, newline) => {
        const text = Object.entries(plant)
          .map(([kind, records]) => plantText(kind, records, false))
          .join('# a comment\n\n');
        // Lists may stand below their key without being indented.
        const written = (isFlush ? text.replaceAll(/^ {2}/gm, '') : text).replaceAll('\n', newline);
        const whole = readPlantFile(written, 'plant.yaml');
        const large = readLargePlantFile(written, 'plant.yaml');
        expect(large?.ok === true && large.plantFile).toEqual(whole.ok && whole.plantFile);
      }),
      { numRuns: rounds(60) },
    );
  });

  it.each([1, 499, 500, 501, 1_000, 1_234])('gives %i entries in parts of 500, in their order', (count) => {
    const text = `catalogs: [ { catalogId: 1, name: S,\n  default: true } ]\n${parts(count)}locations: []\n`;
    expect(plantFileParts(text)).toHaveLength(2 + Math.ceil(count / 500));
    const { plantFile } = read(text);
    expect(plantFile.parts.map(({ partId }) => partId)).toEqual(
      Array.from({ length: count }, (_, place) => `P-${place}`),
    );
    expect(plantFile.catalogs).toEqual([{ catalogId: 1, name: 'S', default: true }]);
  });

  it('is not cut within an entry: lists in it, texts of several lines, comments between', () => {
    const task = (id: number) =>
      `- taskNo: ${id}\n  - inner: 1\n  text: |\n    - no entry\n    - nor this\n# - nor this\n`;
    const text = `orders:\n${Array.from({ length: 600 }, (_, id) => task(id).replace('  - inner: 1\n', '  list:\n  - inner: 1\n')).join('')}`;
    const whole = readPlantFile(text, 'x');
    expect(read(text).plantFile).toEqual(whole.ok && whole.plantFile);
    expect(plantFileParts(text)).toHaveLength(2);
  });

  it('gives for each fault its place in the file', () => {
    const text = `${parts(700)}  - partId: 7\n${parts(0).replace('parts', 'users')}  - { name: x, role: boss, password: y }\n`;
    const large = readLargePlantFile(text, 'plant.yaml');
    const whole = readPlantFile(text, 'plant.yaml');
    expect(large?.ok === false && large.faults).toMatchObject([
      { line: 1_402, path: 'parts[700].partId' },
      { line: 1_404, path: 'users[0].role' },
    ]);
    expect(large).toEqual(whole);
  });

  it('gives the place in the file for faults that are found later', () => {
    const reading = read(`${parts(1_200)}locations: []\n`);
    const at = (path: string) => reading.locate([{ path, found: 'f', expected: 'e' }])[0];
    expect(at('parts[0].partName')).toMatchObject({ line: 3, path: 'parts[0].partName' });
    expect(at('parts[499].partId')).toMatchObject({ line: 1_000, path: 'parts[499].partId' });
    expect(at('parts[500].partId')).toMatchObject({ line: 1_002 });
    expect(at('parts[1199].partName')).toMatchObject({ line: 2_401, file: 'plant.yaml' });
    expect(at('parts')).toMatchObject({ line: 1 });
    expect(at('machines[3].x')).toMatchObject({ line: 1, path: 'machines[3].x' });
  });

  it('gives the places of many faults at once, as for the whole file, a thousand of them at most', () => {
    const text = `${parts(1_200)}locations: [ { code: A, name: B, category: Warehouse } ]\n`;
    const places = Array.from({ length: 1_200 }, (_, place) => `parts[${(place * 7) % 1_200}].partId`);
    const faults = ['locations[0].code', ...places].map((path) => ({ path, found: 'f', expected: 'e' }));
    const whole = readPlantFile(text, 'plant.yaml');
    const located = read(text).locate(faults);
    expect(located).toHaveLength(1_000);
    expect(located).toEqual(whole.ok && whole.locate(faults));
  });

  it.each([
    ['an unknown kind', 'partz:\n- partId: P\n'],
    ['a kind twice', 'parts:\n- partId: P\nparts:\n- partId: Q\n'],
    ['a document mark', '---\nparts:\n- partId: P\n'],
    ['one great map in braces', '{ parts: [ { partId: P } ] }\n'],
    ['a key in quotes', '"parts":\n- partId: P\n'],
  ])('is read as a whole instead: %s', (_, text) => {
    expect(plantFileParts(text)).toBeNull();
  });
});
