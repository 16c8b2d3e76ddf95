import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let browser: Browser;
let gate: PageUnderTest;

/** One gateway for all tests: each takes back what another would see. */
beforeAll(async () => {
  browser = await openBrowser();
  gate = await PageUnderTest.start(browser, { settings: 'legacyAgent: { kind: simulated }\n' });
});
afterEach(() => gate.rest());
afterAll(async () => {
  await gate.end();
  await browser.close();
});

const dialog = () => gate.page.getByRole('dialog');

async function openMachineForm(): Promise<void> {
  await gate.page.getByRole('button', { name: 'Add machine' }).click();
  await dialog().waitFor();
}

/** A new machine is half typed. */
async function typeMachine(): Promise<void> {
  await gate.openAgain('/admin', 'admin');
  await openMachineForm();
  await dialog().getByLabel('Machine id').pressSequentially('RF-99');
}

describe('a scan', () => {
  it('opens nothing while a sheet is open, and leaves what is typed in it', async () => {
    await typeMachine();
    await dialog().getByRole('button', { name: 'Close' }).focus();
    await gate.scan('C-70009');
    await dialog().getByText('C-70009 was scanned. Nothing was done.').waitFor();
    expect(gate.page.url()).toBe(`${gate.origin}/admin`);
    expect(await dialog().getByLabel('Machine id').inputValue()).toBe('RF-99');
  });

  it('TASK-09 chooses the place of a coil that is brought elsewhere, and none behind the question where it goes back', async () => {
    await gate.openAgain('/tasks');
    const { page } = gate;
    await page.getByRole('button', { name: 'Take T-1005' }).click();
    await gate.expectHeadline('T-1005 to RF-01');
    await gate.scan('C-70009');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await gate.scan('WH-A2');
    await dialog().getByText('WH-A2 was scanned. Nothing was done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    await page.getByRole('button', { name: 'Set down elsewhere' }).click();
    await gate.scan('WH-A2');
    await page.getByRole('button', { name: 'Arrived at WH-A2' }).waitFor();
    expect(await dialog().count()).toBe(0);
  });
});

describe('a sheet', () => {
  it('is closed by the back button of the browser, which leaves the place', async () => {
    await gate.openAgain('/orders', 'admin');
    const { page } = gate;
    await page.getByRole('link', { name: 'Admin' }).first().click();
    await openMachineForm();
    await page.goBack();
    await expect.poll(() => dialog().count()).toBe(0);
    expect(page.url()).toBe(`${gate.origin}/admin`);
    await page.goBack();
    await gate.expectHeadline('2 orders are open, 1 is on hold');
  });

  it('with a form has the focus in its first field, so that nobody types into its close button', async () => {
    await gate.openAgain('/admin', 'admin');
    const { page } = gate;
    await openMachineForm();
    await page.keyboard.type('RF-99', { delay: 30 });
    expect(await dialog().getByLabel('Machine id').inputValue()).toBe('RF-99');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change RF-02' }).click();
    await page.keyboard.type(' east', { delay: 30 });
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Panel line 1 east');
  });
});
