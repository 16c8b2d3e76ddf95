import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let gate: PageUnderTest;

afterEach(() => gate.end());

function setUpCode(): string {
  return (
    gate.program.log.map((line) => /"setUpCode":"([\w-]+)"/.exec(line)?.[1]).find((code) => code !== undefined) ?? ''
  );
}

async function chooseShifts(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.getByLabel('Time zone').selectOption('America/Chicago');
  await page.getByLabel('Shift 1', { exact: true }).fill('Early');
  await page.getByRole('button', { name: 'Another shift' }).click();
  await page.getByLabel('Shift 3 begins at').fill('23:00');
  await page.getByRole('button', { name: 'Remove Night' }).click();
  await expect.poll(() => page.getByLabel('Shift 2 begins at').inputValue()).toBe('23:00');
}

/** A second gateway is the central server; its key is tried wrong first. */
async function tryServers(page: Page): Promise<void> {
  const central = await Program.start({
    plant: JSON.stringify({ apiKeys: [{ principal: 'plant1', key: 'the-key-of-plant1-012', role: 'gateway' }] }),
  });
  try {
    await page.getByLabel('Address').fill('http://127.0.0.1:1/');
    await page.getByLabel('Key').fill('a-wrong-key');
    await page.getByText('It cannot be reached. No program listens at this address and port.').waitFor();
    await page.getByText('connect ECONNREFUSED 127.0.0.1:1').waitFor();
    await page.getByLabel('Address').fill(`http://127.0.0.1:${central.httpPort}/`);
    await page.getByText('The server refuses this key.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Go on' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await shoot(page, 'set-up');
    await page.getByLabel('Key').fill('the-key-of-plant1-012');
    await page.getByText(/Answers in .* ms, speaks the batch extension/).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
  } finally {
    await central.end();
  }
}

it('an empty gateway is set up by the page alone, up to the first message of the first machine', async () => {
  gate = await PageUnderTest.start({ plant: 'machines: []' });
  const page = await gate.visit('/');
  await gate.expectHeadline('This gateway is new');
  await expectAccessible(page);
  await shoot(page, 'first-run');
  await page.getByLabel('Set-up code').fill('AAAA-AAAA');
  await page.getByLabel('Your name').fill('kim');
  await page.getByLabel('A password of at least 8 characters').fill('rolls and coils');
  await page.keyboard.press('Enter');
  await page.getByText('This is not the set-up code.').waitFor();
  await page.getByLabel('Set-up code').fill(setUpCode().toLowerCase());
  await page.keyboard.press('Enter');
  await gate.expectHeadline('Set up plantgate');
  await chooseShifts(page);
  await tryServers(page);
  await gate.expectHeadline('0 machines are set up');
  await page.getByText('The gateway has to be started again').waitFor();
  await gate.follow('/production');
  await gate.expectHeadline('No machine is set up yet');
  await gate.follow('/admin');
  await page.getByText('Add the first machine').waitFor();
  await shoot(page, 'first-machine');
  await page.getByRole('button', { name: 'Add machine' }).click();
  await page.getByLabel('Machine id').fill('RF-01');
  await expect.poll(() => page.getByLabel('Topic root').inputValue()).toBe('plant1/RF-01');
  await page.getByLabel('Name').fill('Ridge line 1');
  await page.getByLabel('Topic root').fill('plant1/rollformer-1');
  await page.getByLabel('Machine id').fill('RF-1');
  await page.getByLabel('Machine id').fill('RF-01');
  await page.getByRole('dialog').getByRole('button', { name: 'Add machine' }).click();
  await page.getByText('No message of it came yet', { exact: true }).waitFor();
  await page.getByText(`mqtt://127.0.0.1:${gate.program.mqttPort}`).waitFor();
  await page.getByText('plant1/rollformer-1/status', { exact: true }).waitFor();
  await expectAccessible(page);
  await shoot(page, 'never-heard');
  await gate.say('RF-01', { partId: 'P-1', running: false });
  await expect.poll(() => page.locator('.raw').textContent()).toContain('"partId":"P-1"');
  await gate.visit('/');
  await gate.expectHeadline('Who is there?');
});
