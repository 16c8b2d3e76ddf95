import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCommands } from '../../../build/all-commands.ts';
import { manPage } from '../../../src/cli/commands/completion/help-files.ts';
import { programUnderTest } from '../program-under-test.ts';

let cli: ReturnType<typeof programUnderTest>;
beforeAll(() => {
  cli = programUnderTest();
});
afterAll(() => cli.cleanUp());

async function scriptOf(shell: string): Promise<string> {
  const { exitCode, out } = await cli.run('completion', shell);
  expect(exitCode).toBe(0);
  return out.join('\n');
}

/** The words that bash offers for the last one. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const line = ['plantgate', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _plantgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${await scriptOf('bash')}\n${ask}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

describe('plantgate completion', () => {
  it.each([
    [['doc'], ['doctor']],
    [
      ['key', ''],
      ['create', 'list', 'revoke', '--config', '--help'],
    ],
    [['key', 'create', '--pr'], ['--principal']],
    [['user', 'add', 'pat', '--role', 'tech'], ['technician']],
    [['--config', 'a.yaml', 'uninstall', '--pu'], ['--purge']],
    [['completion', '--'], ['--help']],
  ])('of bash offers, after %j, %j', async (words, candidates) => expect(await offered(...words)).toEqual(candidates));

  it.each(['zsh', 'fish'])('of %s knows every command', async (shell) => {
    const script = await scriptOf(shell);
    for (const name of ['doctor', 'support-bundle', 'queue discard']) expect(script).toContain(name);
  });

  it('refuses another shell', async () => expect((await cli.run('completion', 'cmd')).exitCode).toBe(64));
});

describe('plantgate(1) and --help', () => {
  it('are generated from the commands, and begin with the way to start', async () => {
    const { out } = await cli.run('--help');
    expect(out.join('\n')).toMatch(/^Examples:\n(?: {2}.+\n){3}\n/);
    expect(manPage(allCommands())).toContain('.SS plantgate key create [options]\n');
    expect(manPage(allCommands())).toContain('.B \\-\\-principal <name>');
  });
});
