import { expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const plant = JSON.stringify({ users: PLANT.users });
const gate = usePage('leave', { plant, command: 'central' });

it('D-97 a central server to which no gateway sends yet says how one comes, and leads to the keys', async () => {
  const page = await gate.open('/', { as: 'admin' });
  await page.getByText('No gateway yet').waitFor();
  const links = page.getByRole('navigation', { name: 'Places' }).first().getByRole('link');
  expect(await links.filter({ hasText: /^(Andon|Stops)/ }).count()).toBe(0);
  await expectAccessible(page);
  await shoot(page, 'new-central-1280');
  await page.getByRole('link', { name: 'To the keys' }).click();
  await page.waitForURL(`${gate.origin}/admin?tab=keys`);
});

it('D-97 a central server is given no central server of its own: it would not start with one', async () => {
  const upstream = { url: 'https://central.example/', apiKey: 'key-of-the-central-server' };
  const { status, body } = await gate.program.api('PUT', '/settings', { upstream });
  expect({ status, body }).toEqual({
    status: 400,
    body: { errors: ['upstream: found a central server, expected nothing: this is a central server itself'] },
  });
  const page = await gate.open('/', { as: 'admin' });
  await gate.follow('/set-up');
  await page.getByText('Your plant').waitFor();
  expect(await page.getByText('Central server').count()).toBe(0);
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await page.getByText('No gateway yet').waitFor();
});

it('D-97 Sync at a central server shows nothing of a central server above it, and of machines', async () => {
  const page = await gate.open('/sync', { as: 'admin' });
  await gate.expectHeadline('This is the central server');
  const health = page.getByRole('region', { name: 'Health' });
  await expect.poll(() => health.textContent()).toContain('Clock: no jump');
  expect(await health.textContent()).not.toMatch(/Central server|machines answer/);
  expect(await page.getByRole('region', { name: 'What waits' }).count()).toBe(0);
  await expectAccessible(page);
  await shoot(page, 'central-sync-1280');
});
