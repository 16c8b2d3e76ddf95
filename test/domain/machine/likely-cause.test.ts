import { describe, expect, it } from 'vitest';
import { faultText } from '../../../src/domain/error.ts';
import { causeOfUnreadable, causesOfRefusal } from '../../../src/domain/machine/status/likely-cause.ts';
import { processorMs } from '../../rounds.ts';

describe('the likely cause of a refusal', () => {
  it.each([
    ['', 'empty'],
    ['{"cycle":1,}', 'a comma too many'],
    ['{"cycle":[1,]}', 'a comma too many'],
    ["{'cycle':1}", 'single quotes'],
    ['{“cycle”:1}', 'typographic quotes'],
    ['{"running":True}', 'capital letters'],
    ['{"cycle":NaN}', 'NaN'],
    ['{"cycle":1,5}', 'a decimal comma'],
    ['{"cycle":007}', 'leading zeros'],
    ['{cycle:1}', 'a name without quotes'],
    ['{"cycle"=1}', '='],
    ['{"cycle":1 "goodPart":2}', 'a comma is missing'],
    ['{"cycle":1,"goodPart":', 'it ends too early'],
    ['{"cycle":1}"badPart":2}', 'text after the closing'],
    ['{"partName":"Bl\ufffdch}', 'Latin-1'],
    ['{"partName":"A\0\0"}', 'a NUL byte inside'],
    ['\ufffd\u0050{"cycle":1}', 'the header of an S7 STRING'],
    ['dP{"cycle":1}', 'the header of an S7 STRING'],
    ['\u001f\ufffd\b\0', 'compressed with gzip'],
    ['{"partName":"Bl\ufffd', 'cut off within a letter'],
    ['{"cycle":16#1F}', 'a number with its base in front'],
    ['{"cycle":0x1F}', 'a hexadecimal number'],
    ['{"mSecSinceBoot":T#5s}', 'a time, as T#5s'],
    ['{"cycle":1.#QNAN}', 'NaN or Infinity (1.#QNAN)'],
    ['{"cycle":5.}', 'a point with no digit behind it'],
    ['{"partName":"a, b: 5.","cycle":.5}', 'a point with no digit in front of it'],
  ])('DEV-01 of %j names %j and its remedy', (text, words) => {
    expect(causeOfUnreadable(text)).toContain(words);
  });

  it.each([
    [{ goodParst: 3 }, 'goodParst: did you mean goodPart?'],
    [{ machinPower: true }, 'machinPower: did you mean machinePower?'],
    [
      { data: { running: true, cycle: 1, goodPart: 2 } },
      'data: the fields are inside it: send them at the top of the object',
    ],
    [
      { payload: { id: 7, status: { running: true, cycle: 1, goodPart: 2 } } },
      'payload.status: the fields are inside it: send them at the top of the object',
    ],
    [[{ running: true }], 'status: a list: send one object, without [ and ]'],
    ['{"running":true}', 'status: JSON inside quotes, encoded twice: send the object itself'],
  ])('DEV-01 of %j is %j', (body, sentence) => {
    expect(causesOfRefusal(body).map(faultText)).toContain(sentence);
  });

  it('DEV-03 is never a field that is present', () => {
    expect(causesOfRefusal({ goodPart: 1, goodParst: 3 })).toEqual([]);
  });

  it('DEV-01 is found without a pause for machines in a long row of blanks', () => {
    const startedMs = processorMs();
    for (let count = 0; count < 20; count++) causeOfUnreadable(`["a",${count}${' '.repeat(8_100)}x`);
    expect(processorMs() - startedMs).toBeLessThan(300);
  });

  it('DEV-01 is found without a pause for machines among thousands of unknown fields', () => {
    const body = Object.fromEntries(Array.from({ length: 30_000 }, (_, count) => [`unknown${count}`, 0]));
    const startedMs = processorMs();
    expect(causesOfRefusal(body)).toEqual([]);
    expect(processorMs() - startedMs).toBeLessThan(150);
  });
});
