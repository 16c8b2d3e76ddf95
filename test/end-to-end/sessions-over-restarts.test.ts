import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, type TestContext } from 'vitest';
import { type Json, Program } from './program.ts';

const PASSWORD = 'rolls and coils';
const person = (name: string, password = PASSWORD) => ({ name, role: 'technician', password });
const plantOf = (...users: readonly object[]) => JSON.stringify({ users });
const TECHNICIAN = { ...person('pat'), badge: '4739' };

async function start({ onTestFinished }: TestContext): Promise<Program> {
  const program = await Program.start({ plant: plantOf(TECHNICIAN, person('kim'), person('lee')) });
  onTestFinished(() => program.end());
  return program;
}

async function killAndStart(program: Program, { onTestFinished }: TestContext): Promise<Program> {
  await program.untilStored();
  await program.kill();
  const again = await program.startAgain();
  onTestFinished(() => again.end());
  return again;
}

function call({ httpPort }: Program, method: string, place: string, cookie: string, body?: object): Promise<Response> {
  const headers = { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return fetch(`http://127.0.0.1:${httpPort}/api/local${place}`, init);
}

async function signIn(program: Program, name: string): Promise<string> {
  return cookieOf(await call(program, 'POST', '/session', '', { name, password: PASSWORD }));
}

function cookieOf(answer: Response): string {
  expect(answer.ok).toBe(true);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const who = async (program: Program, cookie: string) => (await call(program, 'GET', '/session', cookie)).status;

it('D-96 F26 kill -9 signs nobody out, at a panel neither, and signs nobody in again', async (test) => {
  const program = await start(test);
  const headers = { authorization: `ApiKey ${program.key}`, 'content-type': 'application/json' };
  const enrolled = await fetch(`http://127.0.0.1:${program.httpPort}/api/local/panel`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Panel by line 4' }),
  });
  const panel = cookieOf(enrolled);
  const atPanel = `${panel}; ${cookieOf(await call(program, 'POST', '/session/panel', panel, { badge: '4739' }))}`;
  const [pat, left, removed, thrownOut] = [
    await signIn(program, 'pat'),
    await signIn(program, 'pat'),
    await signIn(program, 'kim'),
    await signIn(program, 'lee'),
  ];
  await call(program, 'DELETE', '/session', left);
  await program.api('DELETE', '/plant/users/kim');
  await program.api('DELETE', '/people/lee/sessions');
  const again = await killAndStart(program, test);
  const statuses = await Promise.all([pat, left, removed, thrownOut].map((cookie) => who(again, cookie)));
  expect(statuses).toEqual([200, 401, 401, 401]);
  expect(await (await call(again, 'GET', '/session', atPanel)).json()).toMatchObject({ name: 'pat', isSignedIn: true });
  const sessions: Json = await (await call(again, 'GET', '/session/all', pat)).json();
  const panels = sessions.map((session: Json) => session.panel).sort();
  expect(panels).toEqual(['Panel by line 4', null]);
});

it('D-96 a password that was changed while the gateway was off ends the sessions', async (test) => {
  const program = await start(test);
  const cookies = [await signIn(program, 'pat'), await signIn(program, 'kim')];
  await program.untilStored();
  await program.kill();
  writeFileSync(path.join(program.dir, 'plant.yaml'), plantOf(person('pat', 'another one'), person('kim')));
  const again = await program.startAgain();
  test.onTestFinished(() => again.end());
  await expect
    .poll(async () => Promise.all(cookies.map((cookie) => who(again, cookie))), { timeout: 15_000 })
    .toEqual([401, 200]);
});

it('D-96 a session’s token stands in no file of the gateway, and a backup has no sessions', async (test) => {
  const program = await start(test);
  const cookie = await signIn(program, 'pat');
  const token = cookie.replace('plantgate-session=', '');
  await program.untilStored();
  const data = path.join(program.dir, 'data');
  const files = () => readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files().map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)));
  expect(contents.some((content) => content.includes(createHash('sha256').update(token).digest('base64url')))).toBe(
    true,
  );
  for (const content of contents) expect(content.includes(token)).toBe(false);
  const { body } = await program.api('POST', '/backups');
  const backup = new Database(body.file, { readonly: true });
  expect(backup.prepare('SELECT count(*) AS sessions FROM person_session').get()).toEqual({ sessions: 0 });
  backup.close();
  expect(await who(program, cookie)).toBe(200);
});
