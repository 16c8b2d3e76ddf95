import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { behavesAsADevice } from './sample-behaviour.ts';
import { LIBRARIES } from './structured-text/libraries.ts';
import { compile } from './structured-text/program.ts';
import { clock } from './structured-text/standard-functions.ts';

const root = path.resolve(import.meta.dirname, '../../firmware-samples');
const runner = path.join(import.meta.dirname, 'structured-text/device-process.ts');
const CORES = ['codesys/FB_Plantgate.st', 'siemens/Plantgate.scl'];
const files = ['codesys', 'siemens'].flatMap((folder) =>
  readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`),
);

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The members of the core are checked in the programs that use it. */
function library(file: string) {
  const cores = CORES.map((core) => compile(read(core), core.endsWith('.scl')).unit);
  const own = cores.map(({ name, variables }) => [name.toUpperCase(), variables.map((variable) => variable.name)]);
  return { ...LIBRARIES, ...Object.fromEntries(own), [file]: [] };
}

describe('structured text and SCL', () => {
  it.each(files)(
    '%s: every statement ends, every name is declared, library blocks have the members that are used',
    (file) => {
      expect(compile(read(file), file.endsWith('.scl'), library(file)).unit.variables.length).toBeGreaterThan(0);
    },
  );

  const BODY = 'PROGRAM P\nVAR a : INT; b : BOOL; END_VAR\n';
  it.each([
    ['a := 1', /expected ;/],
    ['IF b THEN a := 1;', /END_PROGRAM is not declared/],
    ['a := c;', /C is neither declared nor a function/],
    ['c := 1;', /c is not declared/],
    ["a := LEFT('x');", /LEFT takes 2 parameters/],
    ['a = 1;', /expected :=/],
    ['FOR a := 1 TO 3 a := 1; END_FOR', /expected DO/],
    ['a := "x;', /is no token/],
  ])('the checker finds the fault in %s', (statement, message) => {
    expect(() => compile(`${BODY}${statement}\nEND_PROGRAM`, false)).toThrow(message);
  });

  it.each(CORES)('%s: the longest status fits into the text that holds it', (file) => {
    const { memory, cycle } = compile(read(file), file.endsWith('.scl'));
    const key = (name: string) => Object.keys(memory).find((one) => one.endsWith(name.toLowerCase())) ?? '';
    clock.nowMs = 0;
    for (const name of ['machineId', 'partId']) memory[key(name)] = 'M'.repeat(20);
    for (const name of ['cycle', 'goodPart', 'badPart']) memory[key(name)] = 4_294_967_295;
    // Thirty years without a restart.
    memory[key('msSinceBoot')] = 946_080_000_000;
    memory[key('connected')] = true;
    cycle();
    const status = String(memory[key('status')]);
    expect(JSON.parse(status)).toMatchObject({ badPart: 4_294_967_295, mSecSinceBoot: 946_080_000_000 });
    expect(status.length).toBeLessThan(250);
  });

  describe.concurrent.each(CORES)('%s', (file) => {
    behavesAsADevice(() => ({ command: [process.execPath, runner, path.join(root, file)], transport: 'mqtt' }));
  });
});
