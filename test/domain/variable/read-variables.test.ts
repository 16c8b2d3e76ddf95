import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVariable, readVariables } from '../../../src/domain/variable/read-variables.ts';

const TRACKED = new Set(['lineSpeed', 'motorTemp', 'constructor', '__proto__']);

describe('process variables', () => {
  it.each([
    [1.5, 1.5],
    [0, 0],
    [-3, -3],
    ['2.25', 2.25],
    [' +7 ', 7],
    ['-.5', -0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1.2E-2', 0.012],
    ['42\0', 42],
  ])('VAR-01 are read: %j is %d', (found, value) => {
    expect(readVariables({ lineSpeed: found }, TRACKED)).toEqual([{ name: 'lineSpeed', value }]);
  });

  it.each([
    ['abc'],
    [''],
    ['  '],
    ['0x10'],
    ['0b1'],
    ['Infinity'],
    ['NaN'],
    ['1,5'],
    ['1 2'],
    ['1e999'],
    ['.'],
    ['e5'],
    ['1'.repeat(65)],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [true],
    [null],
    [undefined],
    [[1]],
    [{ value: 1 }],
  ])('VAR-01 are ignored: %j', (found) => {
    expect(readVariables({ lineSpeed: found, motorTemp: 1 }, TRACKED)).toEqual([{ name: 'motorTemp', value: 1 }]);
  });

  it('VAR-02 are kept only under names of the tracking list, exactly as configured', () => {
    const body: unknown = JSON.parse('{"lineSpeed":1,"LineSpeed":2,"line_speed":3,"other":4,"toString":5}');
    expect(readVariables(body as Record<string, unknown>, TRACKED)).toEqual([{ name: 'lineSpeed', value: 1 }]);
    expect(readVariables({}, TRACKED)).toEqual([]);
  });

  it('VAR-01 may be any finite double, read back from its text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(readVariable('lineSpeed', String(value), TRACKED)?.value).toBe(Number(String(value)));
      }),
    );
  });

  it('VAR-02 D-34 are read one by one only if they are tracked', () => {
    expect(readVariable('motorTemp', '61.5', TRACKED)).toEqual({ name: 'motorTemp', value: 61.5 });
    expect(readVariable('motorTemp', '"61.5"', TRACKED)).toEqual({ name: 'motorTemp', value: 61.5 });
    expect(readVariable('motorTemp', '\ufeff"61.5"', TRACKED)).toEqual({ name: 'motorTemp', value: 61.5 });
    expect(readVariable('other', '61.5', TRACKED)).toBeNull();
    expect(readVariable('motorTemp', 'hot', TRACKED)).toBeNull();
  });
});
