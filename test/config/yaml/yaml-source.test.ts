import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readYaml } from '../../../src/config/yaml/yaml-source.ts';

const LIMITS = { file: 'x.yaml', maxBytes: 1_000_000 };

function read(source: string | Uint8Array, maxBytes = LIMITS.maxBytes) {
  return readYaml(source, { ...LIMITS, maxBytes });
}

function faultsOf(source: string | Uint8Array, maxBytes?: number) {
  const reading = read(source, maxBytes);
  return reading.ok ? [] : reading.faults;
}

const bomb = `a: &a [${'1,'.repeat(50)}]\n${Array.from({ length: 101 }, (_, place) => `b${place}: *a`).join('\n')}`;
const doublingBomb = Array.from({ length: 30 }, (_, place) => {
  return place === 0 ? 'a0: &a0 [x, x]' : `a${place}: &a${place} [*a${place - 1}, *a${place - 1}]`;
}).join('\n');

describe('readYaml', () => {
  it.each([
    ['a key given twice', 'a: 1\nb:\n  c: 1\n  c: 2', { line: 4, column: 3, path: 'b.c' }],
    ['a tab as indentation', 'http:\n\tport: 1', { line: 2, column: 1, path: 'YAML' }],
    ['a bracket left open', '[1, 2', { line: 1, path: 'YAML' }],
    ['a quote left open', 'a: "x\n', { path: 'YAML' }],
    ['two documents', 'a: 1\n---\nb: 2', { line: 2, column: 1 }],
    ['an unknown tag', 'a: !secret x', { line: 1, column: 4 }],
    ['a known tag that configuration has no use for', 'a: !!binary aGk=', { line: 1, column: 4 }],
    ['a key that is a list', '? [a]\n: 1', { line: 1 }],
    ['an alias of nothing', 'a: *b', { line: 1, column: 4, path: 'a' }],
    ['an alias of what holds it', 'a: &a [*a]', { path: 'a' }],
    ['many aliases', bomb, { expected: 'at most 100 aliases' }],
    ['aliases of aliases of aliases', doublingBomb, {}],
    ['deep nesting', `${'a: {'.repeat(40)}${'}'.repeat(40)}`, {}],
    ['nesting that would exhaust the stack', '['.repeat(50_000), { line: 1, column: 34, path: 'YAML' }],
    ['nesting in every branch', '[a,'.repeat(5_000), { line: 1, column: 100, path: 'YAML' }],
    ['lists in lists in lists', '- '.repeat(5_000), { path: 'YAML' }],
    ['half a character', 'a: 1\nb: "\\ud800"', { line: 2, path: 'b', found: 'half a character' }],
    ['infinity', 'a: [.inf]', { path: 'a[0]', found: 'Infinity' }],
    ['no number', 'a: .nan', { found: 'NaN' }],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0]), { found: 'UTF-16', expected: 'UTF-8 text' }],
    ['bytes that are not UTF-8', new Uint8Array([0x61, 0x3a, 0xc3, 0x28]), { found: 'bytes that are not UTF-8' }],
  ])('refuses %s and names the place', (_what, source, expected) => {
    const faults = faultsOf(source);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]).toMatchObject({ file: 'x.yaml', ...expected });
  });

  it.each([
    ['a sign that begins no text', 'key: @s3cr3tAt'],
    ['a quote that does not end', 'key: "s3cr3t'],
    ['an unknown escape', 'key: "\\s3cr3t"'],
    ['an unknown alias', 'key: *s3cr3t'],
    ['an unknown tag', 'key: !s3cr3t 1'],
    ['a block with words behind its sign', 'key: |s3cr3t\n  a'],
    ['an unknown directive', '%s3cr3t\n---\nkey: 1'],
    ['a colon in a text', 'key: a: s3cr3t'],
    ['a list that does not end', 'key: [ s3cr3t'],
    ['an anchor of odd signs', 'key: &s3cr3t&s3cr3t 1\nb: *s3cr3t'],
  ])('names the place and the rule, never the text, of %s', (_what, source) => {
    const faults = faultsOf(source);
    expect(faults[0]?.found).toMatch(/^(a fault of syntax|an unknown alias)$/);
    expect(faults[0]?.expected).toMatch(/^(valid YAML: [^:]|an alias of an anchor)/);
    expect(JSON.stringify(faults)).not.toContain('3cr3t');
  });

  it('refuses a text above its limit', () => {
    expect(faultsOf('a: 12345', 7)).toMatchObject([{ found: '8 bytes', expected: 'at most 7 bytes' }]);
  });

  it.each([
    ['nothing', '', null],
    ['comments alone', '# one\n# two\n', null],
    ['a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x3a, 0x20, 0x31]), { a: 1 }],
    ['an alias', 'a: &x [1]\nb: *x', { a: [1], b: [1] }],
    ['words that older YAML took for booleans', 'a: yes\nb: off', { a: 'yes', b: 'off' }],
    ['a time of day', 'a: 06:00', { a: '06:00' }],
  ])('reads %s', (_what, source, value) => {
    expect(read(source)).toMatchObject({ ok: true, value });
  });

  it('keeps a key __proto__ as a key like any other', () => {
    const reading = read('__proto__: { admin: true }');
    expect(reading.ok && Object.keys(reading.value as object)).toEqual(['__proto__']);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('gives the same as the parser at once, also for lists that it puts together in parts', () => {
    const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[ -~]{0,12}$/));
    const entry = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/),
      fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
    );
    const list = fc.array(entry, { minLength: 90, maxLength: 250 });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), list, { minKeys: 1, maxKeys: 3 }), (value) => {
        const text = stringify(value);
        const reading = read(text);
        expect(reading.ok && JSON.stringify(reading.value)).toBe(JSON.stringify(parse(text)));
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it.each(['b: 1', 'b:\n  - 1', '# end', ''])('reads the keys after a long list: %j', (rest) => {
    const text = `a:\n${Array.from({ length: 250 }, (_, place) => `  - ${place}`).join('\n')}\n${rest}`;
    expect(read(text)).toMatchObject({ ok: true, value: parse(text) });
  });

  it('names the line of an entry far down a long list', () => {
    const reading = read(
      `list:\n${Array.from({ length: 1_000 }, (_, place) => `  - id: ${place}\n    name: x`).join('\n')}`,
    );
    expect(reading.ok && reading.locate(['list', 750, 'name'], 'value')).toEqual({ line: 1503, column: 11 });
    expect(reading.ok && reading.locate(['list', 750, 'missing'], 'value').line).toBe(1502);
  });
});
