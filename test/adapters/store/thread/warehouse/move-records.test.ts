import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS, migrate } from '../../../../../src/adapters/store/thread/database/migrations.ts';
import type { Coil, Task } from '../../../../../src/domain/plant/plant.ts';
import { PLANT_CODECS } from '../../../../../src/domain/plant/plant-codecs.ts';
import { newDataDir } from '../../open-test-store.ts';
import { openTestCore } from '../open-test-core.ts';
import { coilOf, taskEntryOf } from './warehouse-under-test.ts';

const COIL: Coil = coilOf({
  coilId: 'C-1',
  description: 'it’s "white"',
  gauge: 26,
  widthIn: 41.5625,
  lengthRemainingFt: 0.1,
  isComplete: true,
  dateIn: '2026-03-04T08:00:00',
});
const TASK: Task = PLANT_CODECS.tasks.record(
  taskEntryOf({ taskId: 'T-1', preferredCoilIds: ['C-1', 'C-2'], selectedCoilId: 'C-1', userName: 'kim' }),
  undefined,
);

/** A database as the first release left it. */
function writeFirstRelease(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  const database = new Database(join(dataDir, 'plantgate.db'));
  database.pragma(`application_id = ${0x50_4c_47_54}`);
  migrate(database, MIGRATIONS.slice(0, 1));
  const put = database.prepare('INSERT INTO plant VALUES (?, ?, ?)');
  put.run('coils', 'C-1', JSON.stringify(COIL));
  put.run('coils', 'C-2', JSON.stringify({ ...coilOf({ coilId: 'C-2' }) }));
  put.run('coils', 'C-3', '{"coilId":');
  put.run('tasks', 'T-1', JSON.stringify(TASK));
  put.run('parts', 'P-1', '{}');
  database.close();
}

function damageTable(file: string, table: string): void {
  const database = new Database(file);
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table);
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, (Number(page) - 1) * pageBytes, Number(page) * pageBytes);
  writeFileSync(file, bytes);
}

it('a migration moves coils and tasks unchanged from the tables of the first release', () => {
  const dataDir = newDataDir();
  writeFirstRelease(dataDir);
  const { warehouse, restored } = openTestCore(dataDir);
  expect(warehouse.coils.find('C-1')).toEqual(COIL);
  expect(warehouse.tasks.find('T-1')).toEqual({ ...TASK, lastOperation: null });
  expect([warehouse.coils.count(), warehouse.tasks.count()]).toEqual([2, 1]);
  expect(restored.plant).toEqual([{ kind: 'parts', id: 'P-1', json: '{}' }]);
});

it('coils and tasks are saved from a damaged database of either release', () => {
  for (const release of ['first', 'present'] as const) {
    const dataDir = newDataDir();
    writeFirstRelease(dataDir);
    if (release === 'present') openTestCore(dataDir).close();
    damageTable(join(dataDir, 'plantgate.db'), 'span');
    const { warehouse, restored } = openTestCore(dataDir, 'run', true);
    expect(restored.setAside).not.toBeNull();
    expect([warehouse.coils.find('C-1'), warehouse.tasks.find('T-1')?.taskId]).toEqual([COIL, 'T-1']);
    expect(restored.plant).toHaveLength(1);
  }
});
