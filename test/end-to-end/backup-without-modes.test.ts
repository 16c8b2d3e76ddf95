import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PROGRAM_FILE } from '../bundle-program.ts';
import { works } from '../this-computer.ts';
import { Program } from './program.ts';

/** What a process finds on vfat: every file may be read by all, and a change of modes is refused. */
const WITHOUT_MODES = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
int chmod(const char *file, mode_t mode) { errno = EPERM; return -1; }
int fchmod(int handle, mode_t mode) { errno = EPERM; return -1; }
int open64(const char *file, int flags, mode_t mode) {
  int (*real)(const char *, int, mode_t) = dlsym(RTLD_NEXT, "open64");
  return real(file, flags, strstr(file, "stick.db") ? 0755 : mode);
}
int open(const char *file, int flags, mode_t mode) { return open64(file, flags, mode); }
`;

const hasCompiler = works('gcc', '--version');
if (!hasCompiler) console.warn('The test of a backup on media without modes is left out: it needs gcc.');

it.runIf(hasCompiler)(
  'a backup onto a medium without modes is made, and says that others may read it',
  { timeout: 60_000 },
  async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-stick-'));
    const program = await Program.start();
    onTestFinished(async () => {
      await program.stop();
      rmSync(dir, { recursive: true });
    });
    const [source, library, file] = ['modes.c', 'modes.so', 'stick.db'].map((name) => path.join(dir, name));
    if (source === undefined || library === undefined || file === undefined) throw new Error('three paths');
    writeFileSync(source, WITHOUT_MODES);
    execFileSync('gcc', ['-w', '-shared', '-fPIC', '-o', library, source, '-ldl']);
    const words = [PROGRAM_FILE, 'backup', file, '--config', path.join(program.dir, 'plantgate.yaml')];
    const env = { ...process.env, LD_PRELOAD: library };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
    expect(stderr).toContain(`Others may read ${file}`);
    expect(stdout).toContain('verified page by page');
    expect(status).toBe(0);
    expect(existsSync(`${file}.part`)).toBe(false);
  },
);
