import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { dialog, press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest, usePage } from './page-under-test.ts';

const gate = usePage('rest');

/** The field is marked, its message is beside it and read with it. */
async function expectMarked(page: Page, label: string, fault: string | RegExp): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  const described = (await field.getAttribute('aria-describedby')) ?? '';
  const texts = await Promise.all(described.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent()));
  expect(texts.join(' ')).toMatch(fault);
}

const focused = (page: Page) =>
  page.evaluate('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.ariaLabel');
const marked = (page: Page) => page.locator('[aria-invalid="true"]').count();

const FORMS = [
  {
    form: 'a new machine',
    tab: 'Machines',
    open: 'Add machine',
    fields: { 'Machine id': 'x'.repeat(200), 'Topic root': 'plant1/line', 'Serial number (optional)': 'SN:1' },
    wrong: { 'Machine id': /expected letters, digits/, 'Serial number (optional)': /Found "SN:1"/ },
  },
  {
    form: 'a machine whose id is there already',
    tab: 'Machines',
    open: 'Add machine',
    fields: { 'Machine id': 'RF-01' },
    wrong: { 'Machine id': /Machine RF-01 exists already/ },
  },
  {
    form: 'a changed machine',
    tab: 'Machines',
    open: 'Change RF-02',
    fields: { 'Topic root': 'plant1/#' },
    wrong: { 'Topic root': /Found "plant1\/#"/ },
  },
  {
    form: 'a new person',
    tab: 'People',
    open: 'Add person',
    fields: { Name: 'kim', Password: 'short' },
    wrong: { Password: /Found 5 characters, expected at least 8/ },
  },
  {
    form: 'a changed person',
    tab: 'People',
    open: 'Change pat',
    fields: { 'PIN, four digits': '12' },
    wrong: { 'PIN, four digits': /expected/ },
  },
  {
    form: 'D-66 a new MQTT account',
    tab: 'MQTT accounts',
    open: 'Add account',
    fields: { 'User name': 'relay', 'May read (optional)': 'plant1/#/status' },
    wrong: { 'May read (optional)': /Found "plant1\/#\/status", expected a topic filter/ },
  },
  {
    form: 'a new reason',
    tab: 'Reasons',
    open: 'Add reason',
    fields: { Reason: 'Fog' },
    wrong: { Id: /Found nothing/ },
  },
] as const;

describe('a form marks what the gateway refuses, and puts the focus on the first wrong field:', () => {
  it.each(FORMS)('$form', async ({ tab, open, fields, wrong }) => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: tab, exact: true }).click();
    await press(page, open);
    for (const [label, text] of Object.entries(fields))
      await dialog(page).getByLabel(label, { exact: true }).fill(text);
    await dialog(page).locator('button[type=submit]').click();
    await dialog(page).getByRole('alert').getByText('Nothing was saved. Correct what is marked.').waitFor();
    for (const [label, fault] of Object.entries(wrong)) await expectMarked(page, label, fault);
    const [first = ''] = Object.keys(wrong);
    await expect.poll(() => focused(page)).toBe(first);
    expect(await marked(page)).toBe(Object.keys(wrong).length);
    for (const [label, text] of Object.entries(fields))
      expect(await dialog(page).getByLabel(label, { exact: true }).inputValue()).toBe(text);
    await expectAccessible(page);
    if (open === 'Add machine') await shoot(page, `wrong-fields-${Object.keys(wrong).length}`);
    // A field that is typed anew is not marked any more; the others are.
    await page.getByLabel(first, { exact: true }).fill('x');
    await expect.poll(() => marked(page)).toBe(Object.keys(wrong).length - 1);
    gate.forgive('status of 4');
  });

  it('shifts and server, each by its row; a removed row takes its mark along', async () => {
    const page = await gate.open('/admin', { as: 'admin', colorScheme: 'dark', viewport: { width: 390, height: 844 } });
    await press(page, 'Shifts and server');
    await page.getByLabel('Shift 1 begins at').fill('6 am');
    await page.getByLabel('Shift 2', { exact: true }).fill('Day');
    await press(page, 'Keep it');
    await expectMarked(page, 'Shift 1 begins at', /Found "6 am", expected a time as HH:MM/);
    await expectMarked(page, 'Shift 2', /Found "Day", expected a name of its own/);
    await expect.poll(() => focused(page)).toBe('Shift 1 begins at');
    await expectAccessible(page);
    await shoot(page, 'wrong-shifts-390-dark');
    await page.getByRole('button', { name: 'Remove Day' }).last().click();
    expect(await marked(page)).toBe(0);
    gate.forgive('status of 400');
  });

  it('the address of a central server, while it is typed, without taking the focus away', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await press(page, 'Shifts and server');
    await page.getByLabel('Address').fill('ftp://central');
    await page.getByLabel('Key', { exact: true }).fill('two');
    await expectMarked(page, 'Address', /Found "ftp:\/\/central", expected a URL/);
    expect(await focused(page)).toBe('Key');
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Keep it' }).isDisabled()).toBe(true);
    await page.getByLabel('Address').fill('http://127.0.0.1:1/');
    await expect.poll(() => marked(page)).toBe(0);
    gate.forgive('status of 400');
  });
});

describe('the first start', () => {
  it('marks the code, or the name', async () => {
    const empty = await PageUnderTest.start({ plant: 'machines: []' });
    try {
      const code = () => /"setUpCode":"([\w-]+)"/.exec(empty.program.log.join('\n'))?.[1] ?? '';
      await expect.poll(code).not.toBe('');
      const page = await empty.visit('/');
      await page.getByLabel('Set-up code').fill('AAAA-AAAA');
      await page.getByLabel('Your name').fill('x'.repeat(200));
      await page.getByLabel('A password of at least 8 characters').fill('rolls and coils');
      await press(page, 'Go on');
      await expectMarked(page, 'Set-up code', /This is not the set-up code/);
      expect(await focused(page)).toBe('Set-up code');
      await expectAccessible(page);
      await shoot(page, 'wrong-code');
      await page.getByLabel('Set-up code').fill(code());
      await press(page, 'Go on');
      await expectMarked(page, 'Your name', /expected/);
      await expect.poll(() => focused(page)).toBe('Your name');
      expect(await marked(page)).toBe(1);
      empty.forgive('status of 400');
    } finally {
      await empty.end();
    }
  });
});
