import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { smallFileSystem } from '../../end-to-end/small-disk.ts';
import { mayMount } from '../../this-computer.ts';
import { openTestStore } from './open-test-store.ts';

const MIB = 1_048_576;

// Only root can mount a file system.
it.runIf(mayMount())('a disk that becomes full while rows are saved costs rows, not the start', async () => {
  const disk = smallFileSystem(16);
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-full-'));
  const dataDir = path.join(dir, 'data');
  disk.attach(dir);
  onTestFinished(() => {
    disk.detach(dir);
    rmSync(dir, { recursive: true });
  });
  const before = await openTestStore({ dataDir });
  await before.store.write([{ kind: 'plant', row: { kind: 'machines', id: 'RF-01', json: '{}' } }]);
  await before.store.close();
  const database = new Database(path.join(dataDir, 'plantgate.db'));
  const insert = database.prepare(
    "INSERT INTO set_aside (class, entity, at, epoch, bytes, body, reason, set_aside_at) VALUES ('act', 'x', 0, 0, 0, ?, '', 0)",
  );
  for (let number = 0; number < 4; number++) insert.run('x'.repeat(MIB));
  // A missing table of the schema makes the file unusable.
  database.exec('DROP TABLE variable_block');
  database.close();
  const { bavail, bsize } = statfsSync(dataDir);
  writeFileSync(path.join(dataDir, 'filler'), Buffer.alloc(bavail * bsize - 3 * MIB));

  const { restored } = await openTestStore({ dataDir });
  expect(restored.plant).toEqual([{ kind: 'machines', id: 'RF-01', json: '{}' }]);
  expect(restored.setAside?.losses).toContainEqual({ table: 'set_aside', reason: expect.stringContaining('full') });
});
