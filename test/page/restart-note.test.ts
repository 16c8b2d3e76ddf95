import { expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('rest', {}, (gate) =>
  gate.program.api('PUT', '/settings', { shifts: { timeZone: 'UTC', shifts: [{ name: 'A', start: '05:00' }] } }),
);

const note = () => gate.page.getByRole('status', { name: 'The gateway has to be started again' });

it('a gateway without terminal and service says that it is started again as it was started', async () => {
  await gate.openAgain('/admin', 'admin');
  await note().getByText('start it again as it was started').waitFor();
  expect(await note().locator('code').count()).toBe(0);
});

it.each([
  ['terminal', null, 'Press Ctrl-C in the terminal where it runs'],
  ['service', 'systemctl --user restart gate', 'systemctl --user restart gate'],
])('the page says how a gateway in a %s is started again', async (by, command, words) => {
  await gate.openAgain('/more', 'admin');
  await gate.page.route('**/api/local/settings', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), restart: { by, command } } });
  });
  await gate.follow('/admin');
  await note().getByText(words).waitFor();
  await expectAccessible(gate.page);
  await shoot(gate.page, `restart-in-${by}`);
});
