import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeLocalAccess } from '../../../src/adapters/system/local-access.ts';
import { runBackup } from '../../../src/cli/commands/backup/take-backup.ts';
import { type AnsweringServer, answeringServer, fakeIo, sendJson } from '../program-under-test.ts';

let dir: string;
let gateway: AnsweringServer | null = null;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-take-'));
  mkdirSync(path.join(dir, 'data'));
});
afterEach(async () => {
  await gateway?.close();
  rmSync(dir, { recursive: true });
});

/** Asks a gateway that gives this answer for a backup; gives the exit code and the errors. */
async function taken(status: number, body: unknown) {
  gateway = await answeringServer((_, response) => sendJson(response, body, status));
  const dataDir = path.join(dir, 'data');
  await writeLocalAccess(dataDir, { url: gateway.url, key: 'key' });
  const io = fakeIo();
  const exitCode = await runBackup({ dataDir, file: path.join(dir, 'backup.db'), json: false }, io);
  return { exitCode, said: io.err.join('\n') };
}

it('plantgate backup may be tried again while another backup is taken', async () => {
  const { exitCode, said } = await taken(409, { errors: ['a backup is being taken: wait until it is done'] });
  expect(exitCode).toBe(75);
  expect(said).toContain('a backup is being taken');
});

it.each([
  ['is not named like a backup', 'passwd', 'it is not named like a backup'],
  ['is no database', 'plantgate-20260302T080000Z.db', 'cannot be read as a database'],
])('plantgate backup neither keeps nor removes a file of the gateway that %s', async (_, name, reason) => {
  const source = path.join(dir, name);
  writeFileSync(source, 'no backup');
  const { exitCode, said } = await taken(201, { file: source });
  expect(exitCode).toBe(74);
  expect(said).toContain(reason);
  expect(existsSync(source)).toBe(true);
  expect(readdirSync(dir).toSorted()).toEqual(['data', name].toSorted());
});
