import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../end-to-end/program.ts';
import { RawDevice } from '../end-to-end/raw-device.ts';
import { expectAccessible, hideAndShow, shoot } from './browser.ts';
import { HeldAnswers } from './calls.ts';
import { PROFILE, PROFILE_RECORD, usePage, XSS } from './page-under-test.ts';

const gate = usePage('rest');

describe('an administrator', () => {
  it('D-08 sets up a device that was heard, and sees its messages', async () => {
    await gate.program.device('status', statusOf({ machineId: 'RF-13' }));
    const page = await gate.openAgain('/admin', 'admin');
    await gate.expectHeadline('4 machines are set up');
    await page.getByRole('button', { name: 'Take it in' }).click();
    await page.getByLabel('Name').fill('Panel line 3');
    await shoot(page, 'admin-add');
    await page.getByRole('dialog').getByRole('button', { name: 'Add machine' }).click();
    await gate.expectHeadline('Panel line 3 may not run');
    await gate.say('RF-13', { running: false });
    await expect.poll(() => page.locator('.raw').textContent()).toContain('"machineId":"RF-13"');
    await gate.program.api('DELETE', '/plant/machines/RF-13');
  });

  it('D-47 dismisses a device that is not set up, until it is heard on another topic', async () => {
    await gate.program.device('status', statusOf({ machineId: 'X-1' }));
    const page = await gate.openAgain('/admin', 'admin');
    const knock = page.getByRole('region', { name: 'Not set up X-1' });
    await knock.waitFor();
    await expectAccessible(page);
    await shoot(page, 'admin-knock');
    await page.getByRole('button', { name: 'Dismiss X-1' }).click();
    await knock.waitFor({ state: 'detached' });
    await gate.program.device('status', statusOf({ machineId: 'X-1' }));
    const device = await RawDevice.open(gate.program.mqttPort, { clientId: 'plc', topicRoot: 'plant9/new' });
    await page.reload();
    await gate.expectHeadline('4 machines are set up');
    expect(await knock.count()).toBe(0);
    device.status(statusOf({ machineId: 'X-1' }));
    await knock.waitFor();
    device.drop();
  });

  it('D-36 reads a trouble and its remedy in German, with the English words of the gateway', async () => {
    await gate.program.device('status', statusOf({ machineId: 'rf-01' }));
    const page = await gate.openAgain('/sync', 'admin');
    await page.getByRole('button', { name: 'Deutsch' }).click();
    const troubles = page.getByRole('region', { name: 'Was zuletzt schiefging' });
    await troubles.getByText('Geräte, die niemand eingerichtet hat').click();
    await troubles.getByText('oder die Id am Gerät berichtigen. Gemeint ist wohl RF-01.').waitFor();
    await troubles.getByText('seen, not configured; did you mean RF-01?').waitFor();
    await expectAccessible(page);
    await shoot(page, 'sync-german');
  });

  it('D-36 changes the topic root of a machine to the one that it uses, in two touches', async () => {
    const device = await RawDevice.open(gate.program.mqttPort, { clientId: 'plc', topicRoot: 'plant9/new' });
    device.status(statusOf({ machineId: 'RF-01' }));
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByText('It publishes below another topic root').waitFor();
    await shoot(page, 'admin-other-root');
    await page.getByRole('button', { name: 'Change its topic root' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Topic root' }).inputValue()).toBe('plant9/new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'plant9/new' }).waitFor();
    await page.getByText('It publishes below another topic root').waitFor({ state: 'detached' });
    device.drop();
  });

  it('removes a machine, and keeps the fields of a changed one that the form does not show', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    const before = await gate.program.api('GET', '/plant/machines/RF-01');
    await page.getByRole('button', { name: 'Change RF-01' }).click();
    await page.getByLabel('Name (optional)').fill('Ridge line one');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Ridge line one' }).waitFor();
    const after = await gate.program.api('GET', '/plant/machines/RF-01');
    expect(after.body).toEqual({ ...before.body, name: 'Ridge line one' });
    const removed = await gate.program.api('GET', '/plant/machines/RF-03');
    await page.getByRole('button', { name: 'Change RF-03' }).click();
    await page.getByRole('button', { name: 'Remove this machine' }).click();
    const question = page.getByRole('dialog', { name: `Remove ${XSS}?` });
    await question.getByText('This cannot be undone here.').waitFor();
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect((await gate.program.api('GET', '/plant/machines/RF-03')).status).toBe(200);
    await page.getByRole('button', { name: 'Remove this machine' }).click();
    await question.getByRole('button', { name: 'Remove this machine' }).click();
    await page.getByRole('button', { name: 'Change RF-03' }).waitFor({ state: 'detached' });
    expect((await gate.program.api('POST', '/plant/machines', removed.body)).status).toBe(201);
  });

  it('sees a refusal of the gateway in the form, and keeps the typed text', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Add machine' }).click();
    await page.getByLabel('Machine id').fill('RF-01');
    await page.getByLabel('Topic root').fill('plant1/#');
    await page.getByRole('dialog').getByRole('button', { name: 'Add machine' }).click();
    await page.getByRole('alert').first().waitFor();
    await expect.poll(() => page.getByLabel('Machine id').inputValue()).toBe('RF-01');
    gate.forgive('409');
  });

  it('adds a person, who can sign in at once; a removed one is signed out', async () => {
    await gate.openAgain('/admin', 'admin');
    await gate.page.getByRole('button', { name: 'People' }).click();
    await gate.page.getByRole('button', { name: 'Add person' }).click();
    await gate.page.getByLabel('Name').fill('kim');
    await gate.page.getByLabel('Password').fill('rolls and coils');
    await gate.page.getByRole('dialog').getByRole('button', { name: 'Add person' }).click();
    await gate.page.getByRole('button', { name: 'Remove kim' }).click();
    await gate.page.getByText('The person is signed out everywhere').waitFor();
    await gate.page.getByRole('button', { name: 'Keep it' }).click();
    await gate.page.getByRole('cell', { name: 'kim', exact: true }).waitFor();
    await gate.open('/stops', { as: 'kim' });
    await gate.expectHeadline('Every stop has its reason');
    await gate.program.api('DELETE', '/plant/users/kim');
    await gate.page.getByText('Who is there?').waitFor();
  });

  it('backs up, and sees that the backup was verified', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Catalogs' }).click();
    await page.getByRole('row', { name: /Trim.*Panel line 1/ }).waitFor();
    await page.getByRole('button', { name: 'Backup' }).click();
    await page.getByText('There is no backup yet').waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('The backup is taken and verified').waitFor();
    await page.getByText('Each was verified when it was taken.').waitFor();
    await expectAccessible(page);
    await shoot(page, 'admin-backup');
  });

  it('downloads a support bundle without secrets, which the audit keeps; a second one has to wait', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Backup' }).click();
    const arriving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the support bundle' }).click();
    await page.getByRole('button', { name: 'Gathering' }).waitFor();
    const second = await gate.program.api('POST', '/support-bundle');
    expect(second).toMatchObject({ status: 409, body: { errors: [expect.stringContaining('being made')] } });
    const download = await arriving;
    expect(download.suggestedFilename()).toBe('plantgate-support.tar.gz');
    const content = gunzipSync(readFileSync(await download.path())).toString('latin1');
    expect(content).toContain('"check": "gateway"');
    for (const secret of [gate.program.key, 'shop-key-01234567890', 'rolls and coils'])
      expect(content).not.toContain(secret);
    await page.getByText('The support bundle is among your downloads').waitFor();
    await expectAccessible(page);
    await shoot(page, 'admin-support');
    await page.getByRole('link', { name: 'Events' }).first().click();
    await page.getByText('Took a support bundle').waitFor();
  });

  it('chooses the icon of a reason on a telephone', async () => {
    const page = await gate.open('/admin', { as: 'admin', viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Reasons' }).click();
    await page.getByRole('button', { name: 'Add reason' }).click();
    await page.getByLabel('Id').fill('DT-09');
    await page.getByLabel('Reason', { exact: true }).fill('No truck');
    await page.getByLabel('Group').fill('Material');
    await page.getByRole('radio', { name: 'Truck' }).check({ force: true });
    await expectAccessible(page);
    await shoot(page, 'admin-reason-icon');
    await page.getByRole('dialog').getByRole('button', { name: 'Add reason' }).click();
    const row = page.getByRole('row', { name: /No truck/ });
    await expect.poll(() => row.locator('use').getAttribute('href')).toContain('truck');
    expect(await row.getByRole('button', { name: /Archive/ }).isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await shoot(page, 'admin-reasons');
  });

  it('sees the labels of machines and locations; a scanned label opens its machine', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Labels' }).click();
    await page.getByRole('img', { name: `${gate.origin}/machine/RF-01` }).waitFor();
    await page.getByRole('img', { name: 'WH-A1' }).waitFor();
    await shoot(page, 'admin-labels');
    await gate.scan(`${gate.origin}/machine/RF-02`);
    await page
      .getByRole('heading', { name: /Panel line 1/ })
      .first()
      .waitFor();
  });

  it('AUTH-02 makes a key that is shown once and works', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Add key' }).click();
    await page.getByLabel('For which program').fill('mes');
    await expect
      .poll(() => page.getByLabel('May').locator('option').first().textContent())
      .toBe('Gateway: sends to this one');
    await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click();
    const key = await page.locator('code').first().textContent();
    await shoot(page, 'admin-key');
    const answer = await fetch(`${gate.origin}/api/v1/coils`, { headers: { authorization: `ApiKey ${key}` } });
    expect(answer.status).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.getByText(String(key)).count()).toBe(0);
  });
});

it('a technician is told that the role does not permit it, that nothing was changed, and which roles may', async () => {
  const page = await gate.openAgain('/admin');
  await page.getByRole('button', { name: 'Reasons' }).click();
  await page.getByRole('button', { name: 'Add reason' }).click();
  await page.getByLabel('Id').fill('DT-77');
  await page.getByLabel('Reason', { exact: true }).fill('Rain');
  await page.getByLabel('Group').fill('Weather');
  await page.getByRole('dialog').getByRole('button', { name: 'Add reason' }).click();
  await page.getByText('Your role does not permit this. Nothing was changed.').waitFor();
  await page.getByText('A supervisor or an administrator may do it.').waitFor();
  await expect.poll(() => page.getByLabel('Reason', { exact: true }).inputValue()).toBe('Rain');
  gate.forgive('403');
});

describe('the office', () => {
  it('ORD-02 finds an order, and sees the text that other programs get', async () => {
    const page = await gate.openAgain('/orders');
    await gate.expectHeadline('2 orders are open, 1 is on hold');
    await page.getByLabel('Order, customer, material').fill('dunmore');
    await gate.expectHeadline('1 order is open, 1 is on hold');
    await page.getByText('YAML, as other programs get it').click();
    await expect.poll(() => page.locator('pre').textContent()).toContain('SO-41007');
  });

  it('PROF-05 sees the drawing change while typing, and saves a new revision', async () => {
    const page = await gate.openAgain(PROFILE);
    await gate.expectHeadline('Eave trim');
    const drawn = await page.locator('.drawing').innerHTML();
    await page.getByLabel('1 length').fill('6.5');
    await page.getByText('10.5 in').waitFor();
    expect(await page.locator('.drawing').innerHTML()).not.toBe(drawn);
    await page.getByLabel('1 length').fill('-2');
    await page.getByText('A length is more than 0.').waitFor();
    await page.getByLabel('1 length').fill('6.5');
    await page.getByRole('button', { name: 'Save a new revision' }).click();
    await page.getByText('Revision 2, by pat').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Revision 3, by pat').waitFor();
    await expect.poll(() => page.getByLabel('1 length').inputValue()).toBe('3');
  });

  it.each([
    ['1 length', '6.25'],
    ['1 length', '0,5'],
    ['2 angle', '-104.5'],
  ])('PROF-05 types a number key by key: %s %s', async (label, keys) => {
    await gate.openAgain(PROFILE);
    const field = gate.page.getByLabel(label);
    await field.fill('');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe('');
    await field.pressSequentially(keys);
    expect(await field.inputValue()).toBe(keys);
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('false');
    await gate.page.getByRole('button', { name: 'Discard' }).click();
    expect(Number(await field.inputValue())).not.toBe(Number(keys.replace(',', '.')));
  });

  it('keeps the typed text while the profile is loaded again', async () => {
    const page = await gate.openAgain(PROFILE);
    await gate.expectHeadline('Eave trim');
    const answers = await HeldAnswers.of(page, `**/api/v1${PROFILE_RECORD}`);
    await hideAndShow(page);
    await answers.waitForFirst();
    await page.getByLabel('1 length').fill('6.5');
    await answers.letGo(page);
    expect(await page.getByLabel('1 length').inputValue()).toBe('6.5');
  });

  it('SYNC-02 sees why a profile is not on a machine, and corrects the cause', async () => {
    const page = await gate.openAgain(PROFILE);
    await page.getByRole('button', { name: 'Not on the machine?' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Panel line 1' }).click();
    await page.getByText('First to mend: The machine fetches the catalog of this profile').waitFor();
    await shoot(page, 'profile-not-on-machine');
    await page.getByRole('button', { name: 'Move it to Trim' }).click();
    await page.getByText('First to mend: The machine has asked since the last change').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => gate.business(PROFILE_RECORD)).toMatchObject({ owningCatalogId: 1 });
  });

  it('SYNC-02 moves a profile without the text that is typed and not saved', async () => {
    const page = await gate.openAgain(PROFILE);
    await page.getByLabel('Note').fill('half a sen');
    await page.getByRole('button', { name: 'Not on the machine?' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Panel line 1' }).click();
    const trim = sheet.getByRole('button', { name: 'Move it to Trim' });
    await trim.waitFor();
    const answers = await HeldAnswers.of(page, `**/api/v1${PROFILE_RECORD}`);
    await trim.click();
    await expect
      .poll(() => gate.business(PROFILE_RECORD))
      .toMatchObject({ owningCatalogId: 2, description: 'For 3:12' });
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Note').inputValue()).toBe('half a sen');
    // Until the answer of the move has come, a save would move it back.
    const save = page.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await answers.letGo(page);
    await page.unroute(`**/api/v1${PROFILE_RECORD}`);
    await save.click();
    await expect
      .poll(() => gate.business(PROFILE_RECORD))
      .toMatchObject({ owningCatalogId: 2, description: 'half a sen' });
  });

  it('F18: finds an act by the id and the name of its machine and its part, reads it in words, and sees new ones at once', async () => {
    await gate.openAgain('/machine/RF-02/part');
    await gate.page.getByRole('button', { name: 'Ridge cap' }).click();
    await gate.page.getByRole('button', { name: 'Select for Panel line 1' }).click();
    await gate.expectHeadline('Panel line 1 may not run');
    await gate.page.getByRole('link', { name: 'Events' }).first().click();
    await gate.page.getByLabel('Person, machine, coil, task').fill('rf-02');
    await expect.poll(() => gate.page.locator('tbody tr').count()).toBe(1);
    const row = gate.page.locator('tbody tr');
    await expect.poll(() => row.textContent()).toContain('Selected a part on Panel line 1');
    expect(await row.textContent()).toContain('Part Ridge cap');
    await shoot(gate.page, 'events-found');
    for (const text of ['panel LINE', 'Ridge c']) {
      await gate.page.getByLabel('Person, machine, coil, task').fill(text);
      await expect.poll(() => row.textContent()).toContain('Selected a part on Panel line 1');
    }
    await gate.page.getByLabel('Person, machine, coil, task').fill('P-100');
    await gate.page.getByText('No entries match.').waitFor();
    await gate.program.api('PUT', '/machines/RF-02/part', { partId: 'P-100' });
    await expect.poll(() => row.textContent(), { timeout: 15_000 }).toContain('Part Panel 100');
    await gate.page.getByLabel('Day').fill('2020-02-29');
    await gate.page.getByText('No entries match.').waitFor();
    await expectAccessible(gate.page);
  });

  it('sees a long change shortened in its row, and all of it after a click', async () => {
    const steps = Array.from({ length: 20 }, (_, index) => `step ${index}`).join(' ');
    await gate.program.api('POST', '/plant/parts', { partId: 'P-900', partName: steps });
    const page = await gate.openAgain('/events');
    const after = page.getByRole('row').filter({ hasText: 'P-900' }).getByRole('cell').last();
    await after.waitFor();
    expect(await after.getByText('step 19').isVisible()).toBe(false);
    await after.locator('summary').click();
    await after.getByText('step 19').waitFor();
    await expectAccessible(page);
    await shoot(page, 'events-long');
  });
});
