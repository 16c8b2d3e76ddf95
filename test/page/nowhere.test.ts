import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('rest');

describe('an address that names no place', () => {
  it.each(['/nowhere', '/machine/', '/coil/%', '/stops/RF-01', '/machine/RF-01/parts'])(
    'shows the page, which says so and leads on: %s',
    async (address) => {
      const page = await gate.openAgain(address);
      await gate.expectHeadline('There is no such place');
      await page.getByRole('link', { name: 'Go to Andon' }).click();
      await gate.expectHeadline('No machine needs a person');
      for (const status of ['400', '404']) gate.forgive(status);
    },
  );

  it('is accessible, and has both languages', async () => {
    const page = await gate.openAgain('/nowhere');
    await gate.expectHeadline('There is no such place');
    await expectAccessible(page);
    await shoot(page, 'nowhere');
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await gate.expectHeadline('Diesen Ort gibt es nicht');
    gate.forgive('404');
  });

  it('is refused with JSON for programs, and for all clients below /api', async () => {
    await gate.openAgain('/more');
    const { request } = gate.page;
    for (const [path, accept] of [
      ['/nowhere', '*/*'],
      ['/coil/%25%', 'application/json'],
      ['/api/local/nowhere', 'text/html'],
      ['/api/v2', 'text/html'],
    ] as const) {
      const answer = await request.get(gate.origin + path, { headers: { accept } });
      expect([path, answer.headers()['content-type']]).toEqual([path, 'application/json; charset=utf-8']);
      expect([400, 404]).toContain(answer.status());
    }
  });
});

it('a person who may not set the gateway up is told so, and led on', async () => {
  await gate.openAgain('/more');
  await gate.follow('/set-up');
  const { page } = gate;
  await page.getByText('Only administrators see and change this.').waitFor();
  await page.getByRole('link', { name: 'Go to Andon' }).click();
  await gate.expectHeadline('No machine needs a person');
});
