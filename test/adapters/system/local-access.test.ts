import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  LOCAL_ACCESS_FILE,
  readLocalAccess,
  writeLocalAccess,
  writeLocalAccessFile,
} from '../../../src/adapters/system/local-access.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'plantgate-access-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe('the local access file', () => {
  it('AUTH-02 is readable only for its owner, and replaced as a whole', async () => {
    await writeLocalAccess(dataDir, { url: 'http://127.0.0.1:1', key: 'old' });
    await writeLocalAccess(dataDir, { url: 'http://127.0.0.1:2', key: 'new' });
    expect(await readLocalAccess(dataDir)).toEqual({ url: 'http://127.0.0.1:2', key: 'new' });
    expect((await stat(path.join(dataDir, LOCAL_ACCESS_FILE))).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual([LOCAL_ACCESS_FILE]);
  });

  it('is always read as a whole, also while it is written', async () => {
    await writeLocalAccess(dataDir, { url: 'http://127.0.0.1:1', key: '0' });
    const writes = Array.from({ length: 50 }, (_, key) =>
      writeLocalAccess(dataDir, { url: 'http://127.0.0.1:1', key: String(key) }),
    );
    const reads = Array.from({ length: 50 }, () => readLocalAccess(dataDir));
    for (const { key } of await Promise.all(reads)) expect(key).toMatch(/^\d+$/);
    await Promise.all(writes);
  });

  it('leaves nothing behind if it cannot be written', async () => {
    await mkdir(path.join(dataDir, LOCAL_ACCESS_FILE));
    await expect(writeLocalAccess(dataDir, { url: 'http://127.0.0.1:1', key: 'x' })).rejects.toThrow();
    expect(await readdir(dataDir)).toEqual([LOCAL_ACCESS_FILE]);
  });

  it('D-03 is written as soon as possible if the first try fails', async () => {
    const obstacle = path.join(dataDir, LOCAL_ACCESS_FILE);
    await mkdir(obstacle);
    const errors: unknown[] = [];
    const leaving = await writeLocalAccessFile(
      dataDir,
      { url: 'http://127.0.0.1:1', key: 'x' },
      (e) => errors.push(e),
      20,
    );
    expect(errors).toHaveLength(1);
    await rm(obstacle, { recursive: true });
    await expect.poll(() => readLocalAccess(dataDir).catch(() => null)).toMatchObject({ key: 'x' });
    leaving.stop();
  });
});
