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
