import { describe, expect, it } from 'vitest';
import { fillAbsentSections } from '../../src/config/absent-sections.ts';
import { configSchema } from '../../src/config/config-schema.ts';
import { compileShape } from '../../src/config/schema-check.ts';

const schema = configSchema({ gatewayId: 'gw-1', dataDir: '/var/lib/plantgate', timeZone: 'Europe/Berlin' });
const checkAll = compileShape(schema);

function checkPresent(value: unknown) {
  const narrowed = fillAbsentSections(schema, value);
  return compileShape(narrowed.schema)(narrowed.value);
}

describe('a configuration is checked with the rules of its present sections alone', () => {
  it.each<readonly [string, unknown]>([
    ['nothing', {}],
    ['a path alone', { dataDir: '/data' }],
    ['a section with one key', { http: { port: 80 } }],
    ['a section that is not there by default', { upstream: { url: 'http://central', apiKey: 'k'.repeat(20) } }],
    ['a byte size', { storage: { maxQueueBytes: '1GB' } }],
    ['a misspelt section', { mqqt: { port: 1883 } }],
    ['an empty section', { http: null }],
    ['faults in two sections', { http: { port: 'high' }, log: { level: 'loud' } }],
    ['a list', []],
    ['text', 'http'],
  ])('%s: the result is the one of all rules', (_, value) => {
    expect(checkPresent(structuredClone(value))).toEqual(checkAll(structuredClone(value)));
  });

  it('each check gets defaults of its own', () => {
    const [first, second] = [fillAbsentSections(schema, {}).value, fillAbsentSections(schema, {}).value];
    expect(first).toHaveProperty('shifts.shifts');
    expect(Object(first).shifts.shifts).not.toBe(Object(second).shifts.shifts);
  });
});
