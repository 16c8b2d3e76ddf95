import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationKeys, mismatches, referenceFiles } from '../build/reference/reference.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

function check(schema: string, yaml: string): readonly string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(JSON.parse(read(schema)));
  validate(parse(yaml));
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

/** The keys of a document, a section before its own keys; those of a list's items once. */
function pathsOf(value: unknown, prefix = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => pathsOf(item, `${prefix}[]`)))];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = prefix === '' ? name : `${prefix}.${name}`;
    return [place, ...pathsOf(inner, place)];
  });
}

describe('reference of the configuration and the plant file', () => {
  it('every key has a meaning, and every meaning a key', () => expect(mismatches()).toEqual([]));

  it.each(Object.entries(referenceFiles()))('%s is as `npm run reference` makes it', (file, text) => {
    expect(read(file)).toBe(text);
  });

  it('docs/contract.md shows each key of the configuration', () => {
    const [, block = ''] = /^```yaml\n(gatewayId:.*?)^```/ms.exec(read('docs/contract.md')) ?? [];
    expect(pathsOf(parse(block)).toSorted()).toEqual(configurationKeys().toSorted());
  });

  it.each([
    ['docs/plantgate.schema.json', 'http: { port: 80 }\nstorage: { maxQueueBytes: 2GB }', []],
    ['docs/plantgate.schema.json', read('systemd/plantgate.yaml'), []],
    ['docs/plantgate.schema.json', 'http: { prot: 80 }', ['/http additionalProperties']],
    ['docs/plantgate.schema.json', 'mqtt: { access: none }', ['/mqtt/access enum']],
    ['docs/plantgate.schema.json', 'upstream: {}', ['/upstream required', '/upstream required']],
    ['docs/plant.schema.json', 'machines: [ { machineId: RF-01, topicRoot: plant1/rf-1, location: null } ]', []],
    ['docs/plant.schema.json', 'machines: [ { machineId: RF-01 } ]', ['/machines/0 required']],
    ['docs/plant.schema.json', 'machine: []', [' additionalProperties']],
  ])('an editor with %s finds the faults in %j', (schema, yaml, faults) => {
    expect(check(schema, yaml)).toEqual(faults);
  });
});
