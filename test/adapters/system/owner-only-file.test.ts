import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeOwnerOnly } from '../../../src/adapters/system/owner-only-file.ts';
import { watchSyncs } from '../../seen-syncs.ts';

it('a file that is written survives a power cut: its content is synced first, and its name last', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-owner-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = path.join(dir, 'settings.json');
  await writeOwnerOnly(file, 'old');
  const synced: (readonly string[])[] = [];
  await watchSyncs((place) => synced.push([place, readFileSync(file, 'utf8')]));
  await writeOwnerOnly(file, 'new');
  expect(synced).toEqual([
    [expect.stringContaining(`${file}.`), 'old'],
    [dir, 'new'],
  ]);
});
