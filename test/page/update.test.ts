import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeUpdate } from '../../build/update-archive.ts';
import manifest from '../../package.json' with { type: 'json' };
import { NEWEST_SCHEMA } from '../../src/adapters/store/thread/database/migrations.ts';
import { installationIn } from '../../src/cli/commands/service/installation.ts';
import { writeOutcome } from '../../src/cli/commands/update/requested/outcome-file.ts';
import { type UpdatePlaces, updatePlaces } from '../../src/cli/commands/update/update-places.ts';
import type { UpdateOutcome } from '../../src/domain/update/update-outcome.ts';
import { NODE_COMPILE_CACHE, Program, type ProgramOptions } from '../end-to-end/program.ts';
import { expectAlert, failCalls, NO_ANSWER, press, REFUSED } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

let gate: PageUnderTest;
let places: UpdatePlaces;
let options: ProgramOptions;
let archive: string;
let requested: string;

/** One gateway for all tests: each goes on from the state that the test before left. */
beforeAll(async () => {
  const dir = Program.prepare({ plant: JSON.stringify(PLANT) });
  const root = path.join(dir, 'computer');
  places = updatePlaces(installationIn(root));
  requested = path.join(dir, 'data/requested.update');
  for (const file of [places.applyPath, places.trustedKeys]) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(places.applyPath, `[Path]\nPathExists=${requested}\n`);
  writeFileSync(places.trustedKeys, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  archive = path.join(dir, 'plantgate-77.0.0-linux-x64.update');
  options = { dir, atHand: true, environment: { ...process.env, NODE_COMPILE_CACHE, APPLYING_ROOT: root } };
  gate = await PageUnderTest.start(options);
});
afterEach(() => gate.leave());
afterAll(() => gate.end());

async function pack(key = privateKey): Promise<void> {
  const binary = `${archive}.program`;
  writeFileSync(binary, 'a program '.repeat(100_000));
  const made = { version: '77.0.0', arch: process.arch, schema: NEWEST_SCHEMA, created: new Date(0) };
  await writeUpdate(archive, { ...made, binary }, key);
}

async function openBackup(more: Parameters<PageUnderTest['open']>[1] = {}) {
  await gate.open('/admin', { as: 'admin', ...more });
  await gate.page.getByRole('button', { name: /Backup|Sicherung/ }).click();
  return gate.page;
}

const tell = (result: UpdateOutcome['result'], reason = '') =>
  writeOutcome(places.outcome, { result, from: manifest.version, to: '77.0.0', reason, at: new Date().toISOString() });

describe('D-46 an update from the page', { timeout: 90_000 }, () => {
  it('is sent, verified and handed to root, and its outcome is shown after the restart', async () => {
    await pack();
    const page = await openBackup();
    await page.getByText(`Version ${manifest.version} runs`).waitFor();
    await page.locator('input[type=file]').setInputFiles(archive);
    await page.getByText('Version 77.0.0 can be installed').waitFor();
    await page.getByText('machines go on with their last permission').waitFor();
    await expectAccessible(page);
    await shoot(page, 'admin-update-ready');
    await page.getByRole('button', { name: 'Install 77.0.0 now' }).click();
    await page.getByText('Version 77.0.0 is being installed').first().waitFor();
    await expect.poll(() => existsSync(requested), PATIENCE).toBe(true);
    expect(readFileSync(requested).equals(readFileSync(archive))).toBe(true);
    // Root's part: it takes the request, and the gateway restarts.
    rmSync(requested);
    tell('underWay');
    await page.getByText(/in the place of .*, since/).waitFor();
    await gate.program.kill();
    await page.getByText('No connection to the gateway since').waitFor();
    await gate.startAgain(options);
    tell('rolledBack', 'Version 77.0.0 does not serve: it ended 3 times.');
    await page.getByText(`Version 77.0.0 did not serve, and ${manifest.version} is back`).waitFor();
    await page.getByText('it ended 3 times').waitFor();
    await shoot(page, 'admin-update-rolled-back');
    await expectAccessible(page);
  });

  it('is refused with the reason, and can be stopped and discarded', async () => {
    await pack(generateKeyPairSync('ed25519').privateKey);
    const page = await openBackup();
    const input = page.locator('input[type=file]');
    await input.setInputFiles(archive);
    await page.getByText('no key that is trusted here has signed it').waitFor();
    await page.getByRole('button', { name: 'Choose an update' }).waitFor();
    await pack();
    await page.route('**/update/upload/*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await input.setInputFiles(archive);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Choose an update' }).waitFor();
    await page.unroute('**/update/upload/*');
    expect((await gate.program.api('GET', '/update')).body).toMatchObject({ upload: { state: 'none' } });
    await input.setInputFiles(archive);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Choose an update' }).waitFor();
    gate.forgive('400');
  });

  it('stays ready to be installed if the installation or the discard fails, and the page says so', async () => {
    await pack();
    const page = await openBackup();
    await page.locator('input[type=file]').setInputFiles(archive);
    for (const [button, method, call] of [
      ['Install 77.0.0 now', 'POST', '/local/update/install'],
      ['Discard', 'DELETE', '/local/update/upload'],
    ] as const) {
      const fails = await failCalls(page, method, call);
      await press(page, button);
      await expectAlert(page, REFUSED, 'the disk is full');
      fails.with = 'no answer';
      await press(page, button);
      await expectAlert(page, NO_ANSWER, '');
      await page.getByText('Version 77.0.0 can be installed').waitFor();
      fails.with = 'nothing';
    }
    expect(existsSync(requested)).toBe(false);
    await press(page, 'Discard');
    await page.getByRole('button', { name: 'Choose an update' }).waitFor();
    expect((await gate.program.api('GET', '/update')).body).toMatchObject({ upload: { state: 'none' } });
    gate.forgive('ERR_FAILED');
  });

  it('continues at the same piece after a network break', async () => {
    await pack();
    const page = await openBackup();
    let calls = 0;
    await page.route('**/update/upload/*', async (route) => {
      calls++;
      // The answer is lost; the piece is not.
      if (calls === 2) await route.fetch().then(() => route.abort());
      else if (calls === 3) await route.abort();
      else await route.continue();
    });
    await page.locator('input[type=file]').setInputFiles(archive);
    await page.getByText('Version 77.0.0 can be installed').waitFor();
    gate.forgive('ERR_');
  });

  it.each(['package', 'noService'])('shows the command to use instead (%s)', async (obstacle) => {
    rmSync(places.applyPath, { force: true });
    const unit = installationIn(path.join(gate.program.dir, 'computer')).packagedUnits[0] ?? '';
    mkdirSync(path.dirname(unit), { recursive: true });
    if (obstacle === 'package') writeFileSync(unit, '');
    else rmSync(unit, { force: true });
    const page = await openBackup();
    await page.getByText(obstacle === 'package' ? 'sudo apt install' : 'sudo plantgate update FILE').waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
  });

  it.each([
    ['390-dark', 390, 844, 'en-US', 'dark'],
    ['1280-de', 1280, 800, 'de-DE', 'light'],
  ] as const)(
    'fits a screen of %s in each of its states, and axe finds nothing',
    async (name, width, height, locale, colorScheme) => {
      let state = 'none';
      const page = await openBackup({ viewport: { width, height }, locale, colorScheme });
      await page.route('**/api/local/update', (route) => {
        const upload = { state, bytes: 1, receivedBytes: 1, version: '77.0.0' };
        const outcome = {
          result: 'refused',
          from: '0.1.0',
          to: '77.0.0',
          reason: 'No room.',
          at: '2026-11-25T10:00:00Z',
        };
        return route.fulfill({ json: { version: '0.1.0', obstacle: null, upload, outcome } });
      });
      for (state of ['none', 'verifying', 'ready', 'requested', 'untaken']) {
        await page.getByRole('button', { name: /^(People|Personen)$/ }).click();
        await page.getByRole('button', { name: /^(Backup|Sicherung)$/ }).click();
        await page.locator('.verdict').nth(2).waitFor();
        await expect.poll(() => page.getByText(/, (and|und) 0\.1\.0/).count()).toBe(state === 'none' ? 1 : 0);
        await page.locator('#log-level').scrollIntoViewIfNeeded();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await expectAccessible(page);
        await shoot(page, `admin-update-${state}-${name}`);
      }
    },
  );
});
