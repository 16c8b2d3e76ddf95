import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAddonCache, isNoexecMount } from '../../../src/cli/commands/doctor/check-directories.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-addon-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('the directory of the addon', () => {
  it('is judged without a file in it, which another user could replace before root runs it', async () => {
    const longAgo = new Date(0);
    utimesSync(dir, longAgo, longAgo);
    expect(await checkAddonCache({ PKG_NATIVE_CACHE_PATH: dir })).toMatchObject({ state: 'ok', found: dir });
    expect(statSync(dir).mtime).toEqual(longAgo);
  });

  it.each([
    ['61', false],
    ['62', true],
    ['63', false],
  ])('is known by the options of its own mount, here %s', (id, isNoexec) => {
    const mounts = [
      '61 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '62 61 0:38 / /var rw,noexec,relatime shared:1 - tmpfs none rw',
      '63 62 0:39 / /var/cache rw,relatime - tmpfs none rw,noexec=no',
    ];
    expect(isNoexecMount(`pos:\t0\nflags:\t0100000\nmnt_id:\t${id}\nino:\t2\n`, mounts.join('\n'))).toBe(isNoexec);
  });
});
