import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

let gate: PageUnderTest;

/** A gateway whose database lost its tasks and was replaced. */
beforeAll(async () => {
  const before = await Program.start({ plant: JSON.stringify(PLANT) });
  await before.kill();
  const database = new Database(path.join(before.dir, 'data/plantgate.db'));
  database.exec('DROP TABLE task; DROP TABLE sync_stream');
  database.close();
  gate = await PageUnderTest.start({ dir: before.dir });
});
afterAll(() => gate.end());

it('an administrator sees that the database was damaged, and the list of the lost records', async () => {
  const page = await gate.open('/', { as: 'admin' });
  await page.getByText(/^The database was damaged/).waitFor();
  await expectAccessible(page);
  await shoot(page, 'damaged-banner');
  await page.getByRole('link', { name: 'What was lost' }).click();
  const pane = page.getByRole('region', { name: 'Damaged database' });
  await expect
    .poll(() => pane.locator('dt').allTextContents())
    .toEqual(expect.arrayContaining(['Tasks', 'What the central server has already']));
  await expect
    .poll(() => pane.locator('code').textContent())
    .toContain(path.join(gate.program.dir, 'data/plantgate.db.damaged-'));
  expect(await pane.locator('li').count()).toBe(3);
  await expectAccessible(page);
  await shoot(page, 'damaged-pane');
});

it('a technician finds the report under Sync, without a banner', async () => {
  await gate.open('/sync', { as: 'pat' });
  await gate.page.getByRole('region', { name: 'Damaged database' }).waitFor();
  expect(await gate.page.locator('.banner').count()).toBe(0);
});

it('a panel shows the banner while an administrator is signed in, and to nobody else', async () => {
  const page = await gate.open('/admin', { as: 'admin' });
  const banner = page.getByText(/^The database was damaged/);
  const signIn = page.getByRole('navigation').getByRole('button', { name: 'Sign in' }).first();
  await banner.waitFor();
  await gate.makePanel();
  await signIn.waitFor();
  await banner.waitFor({ state: 'detached' });
  await signIn.click();
  await page.getByRole('button', { name: 'Somebody else' }).click();
  await page.getByLabel('Name', { exact: true }).fill('admin');
  await page.getByLabel('Password').fill('rolls and coils');
  await page.keyboard.press('Enter');
  await banner.waitFor();
  await page.getByRole('button', { name: 'Signed in as admin' }).first().click();
  await banner.waitFor({ state: 'detached' });
  gate.forgive('status of 403');
});

it('/readyz reports the damage, and the gateway serves', async () => {
  const { status, text } = await gate.program.get('/readyz');
  expect(status).toBe(200);
  expect(JSON.parse(text).setAsideDatabase.losses).toContainEqual({ table: 'task', reason: 'no such table' });
});
