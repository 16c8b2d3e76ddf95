import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStatus, readCount, readSwitch } from '../../../../src/domain/machine/status/status.ts';
import { parseStatusField } from '../../../../src/domain/machine/status/status-topic.ts';

const BODY = {
  machineId: 'RF-01',
  running: true,
  mSecSinceBoot: 5_000,
  cycle: 7,
  goodPart: 6,
  badPart: 1,
  override: false,
};

/** A value in a JSON status; undefined when the status is refused. */
function inJson(field: 'running' | 'cycle', json: string): unknown {
  const result = parseStatus({ ...BODY, [field]: JSON.parse(json) });
  return result.ok ? result.status[field] : undefined;
}

/** A value on a single-field topic; undefined when it is refused. */
function onTopic(field: 'running' | 'cycle', text: string): unknown {
  const result = parseStatusField(field, text);
  return result.ok ? result.update.value : undefined;
}

describe('booleans as PLCs send them', () => {
  it.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    ['on', true],
    ['Yes', true],
    ['  oN\0\0', true],
    ['false', false],
    ['0', false],
    ['OFF', false],
    ['no\r\n', false],
  ])('D-32 are read: %j is %j, as text in JSON and on a topic', (text, value) => {
    expect([inJson('running', JSON.stringify(text)), onTopic('running', text)]).toEqual([value, value]);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['1.0', true],
    ['0', false],
    ['-0', false],
  ])('D-32 are read: JSON %s is %j', (json, value) => {
    expect(inJson('running', json)).toBe(value);
  });

  it.each(['', 'ja', '2', '01', '1.0', 't', 'true false', 'null', 'on!'])(
    'D-32 are refused for the text %j',
    (text) => {
      expect([inJson('running', JSON.stringify(text)), onTopic('running', text)]).toEqual([undefined, undefined]);
    },
  );

  it('D-32 give only true, false or null for any value', () => {
    fc.assert(fc.property(fc.anything(), (value) => [true, false, null].includes(readSwitch(value))));
  });
});

describe('integers as PLCs send them', () => {
  it.each(['5', '+5', '  +5', '5.0', '+5.0', '5.000', '5e0', '50e-1', ' 5 ', '5\0', '0005'])(
    'D-33 are read: the text %j is 5, in JSON and on a topic',
    (text) => {
      expect([inJson('cycle', JSON.stringify(text)), onTopic('cycle', text)]).toEqual([5, 5]);
    },
  );

  it.each(['5', '5.0', '5e0', '0.5e1'])('D-33 are read: JSON %s is 5', (json) => {
    expect(inJson('cycle', json)).toBe(5);
  });

  it.each(['-0', '0', '0.0', '-0.0'])('D-33 are read: %s is 0', (text) => {
    expect([inJson('cycle', text), onTopic('cycle', text)]).toEqual([0, 0]);
  });

  it.each(['', '5.5', '0x5', '++5', '--5', '-5', '5,0', '5 0', '5.', '.5', 'Infinity', 'NaN', '9007199254740993'])(
    'D-33 are refused for the text %j',
    (text) => {
      expect([inJson('cycle', JSON.stringify(text)), onTopic('cycle', text)]).toEqual([undefined, undefined]);
    },
  );

  it('D-33 are read from a number, its text and its text with a fraction of zeros', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (count) => {
        expect([count, String(count), `${count}.0`, ` ${count}\0`].map(readCount)).toEqual([
          count,
          count,
          count,
          count,
        ]);
      }),
    );
  });
});
