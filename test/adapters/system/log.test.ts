import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NODE_COMPILE_CACHE } from '../../end-to-end/program.ts';

const LOG = path.resolve(import.meta.dirname, '../../../src/adapters/system/log.ts');
/** A title for the terminal, the one-byte form of the same, text that runs backwards, and an end of a line. */
const NASTY = '\u001b]0;owned\u0007 \u009b31m \u202eabc\u2028x\u007f';
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The log of a process, on a terminal, for journald, or into a pipe. */
function logged(
  where: 'terminal' | 'journal' | 'pipe',
  fields: string,
  level = 'info',
  environment: object = { NO_COLOR: '1' },
): string {
  const script = `import { createLog } from ${JSON.stringify(LOG)};
    const log = createLog('info', ${JSON.stringify(where === 'journal' ? { JOURNAL_STREAM: '1:2' } : environment)}, ${where === 'terminal'});
    log.level = ${JSON.stringify(level)};
    log.warn(${fields}, 'incident'); log.flush();`;
  const env = { ...process.env, NODE_COMPILE_CACHE };
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env }).stdout;
}

describe.each(['terminal', 'journal', 'pipe'] as const)('the log, written to a %s', (where) => {
  it('escapes characters that would steer a terminal', () => {
    const text = logged(where, JSON.stringify({ subject: NASTY, nested: { name: NASTY } }));
    expect(text).toContain('owned');
    expect(text.trimEnd()).not.toMatch(STEERING);
  });

  it.each(['error', 'err', 'cause'])('contains the message of an error in the field %s', (field) => {
    expect(logged(where, `{ ${field}: new SyntaxError('Unexpected token') }`)).toContain('Unexpected token');
  });
});

it('each line of the log stays JSON with the logged content', () => {
  expect(JSON.parse(logged('pipe', JSON.stringify({ subject: NASTY })))).toMatchObject({ subject: NASTY });
});

it('writes what the level of the moment lets through', () => {
  expect(logged('pipe', '{}', 'warn')).toContain('incident');
  expect(logged('pipe', '{}', 'error')).toBe('');
});

describe('the colours of a terminal', () => {
  const coloured = (fields: object, environment: object) =>
    logged('terminal', JSON.stringify(fields), 'info', environment);

  it('show the level of a line, and steer the terminal by nothing else', () => {
    const line = coloured({ subject: NASTY }, { TERM: 'xterm' });
    expect(line).toContain('\u001b[33mWARN \u001b[0m incident');
    const plain = ['0', '33', '90'].reduce((rest, colour) => rest.replaceAll(`\u001b[${colour}m`, ''), line);
    expect(plain.trimEnd()).not.toMatch(STEERING);
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('are left out with %o', (environment) => {
    expect(coloured({}, environment)).not.toContain('\u001b');
  });
});
