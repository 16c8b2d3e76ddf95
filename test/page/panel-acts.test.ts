import { beforeEach, describe, expect, it } from 'vitest';
import { stop } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const LONG = 'bartholomew.featherstonehaugh';
const USERS = [
  { name: 'pat', role: 'technician', password: 'rolls and coils', badge: '4739', pin: '2468' },
  { name: LONG, role: 'technician', password: 'rolls and coils', badge: '4725' },
  { name: 'view', role: 'viewer', password: 'rolls and coils' },
  { name: 'admin', role: 'admin', password: 'rolls and coils' },
];

const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, users: USERS }) });

beforeEach(async () => {
  await stop(gate, 'RF-01');
  const page = await gate.open('/admin', { as: 'admin' });
  await gate.makePanel();
  await page.getByRole('navigation').getByRole('button', { name: 'Sign in' }).first().waitFor();
  await page.goto(`${gate.origin}/stops`);
  await page.locator('.stage').waitFor();
  gate.forgive('status of 403');
});

const reason = () => gate.page.locator('button.reason', { hasText: 'Drive fault' });
const signInDialog = () => gate.page.getByRole('dialog').getByText('Then it is done at once, in your name.');

async function newest(): Promise<unknown> {
  return (await gate.program.api('GET', '/machines/RF-01/downtimes')).body[0];
}

describe('F7: at a panel', () => {
  it('a reason that was tapped before the badge is done after it, in the name of the person', async () => {
    const { page } = gate;
    await reason().click();
    await signInDialog().waitFor();
    await shoot(page, 'panel-waiting-act');
    await expectAccessible(page);
    await gate.scan('4739');
    await page.getByText('Drive fault on Ridge line 1').waitFor();
    expect(await newest()).toMatchObject({ reasonId: 'DT-03', userName: 'pat' });
    gate.forgive('status of 403');
  });

  it('a task that was tapped before the PIN is taken after it', async () => {
    const { page } = gate;
    await gate.follow('/tasks');
    await page.getByRole('button', { name: 'Take T-1005' }).click();
    await signInDialog().waitFor();
    await page.getByRole('button', { name: 'pat' }).click();
    for (const digit of '2468') await page.getByRole('button', { name: digit, exact: true }).click();
    await gate.expectHeadline('T-1005 to RF-01');
    expect(await gate.business('/warehouseTasks/T-1005')).toMatchObject({ userName: 'pat' });
    gate.forgive('status of 403');
  });

  it('is not done, and the person is told, if nobody signs in, or only a minute later', async () => {
    const { page } = gate;
    await page.clock.install();
    await reason().click();
    await signInDialog().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'Nothing was done.' }).waitFor();
    await reason().click();
    await signInDialog().waitFor();
    await page.clock.fastForward(61_000);
    await gate.scan('4739');
    await page
      .getByRole('alert')
      .filter({ hasText: 'Nothing was done: you signed in more than a minute later' })
      .waitFor();
    expect(await newest()).toMatchObject({ reasonId: null });
    gate.forgive('status of 403');
  });
});

it('F7: an act after the session has ended is done once the same person has signed in again', async () => {
  const page = await gate.open('/stops', { as: 'admin' });
  await reason().waitFor();
  await page.context().clearCookies();
  await reason().click();
  await page.getByText('Your session has ended.').waitFor();
  await gate.signIn('admin');
  await page.getByText('Drive fault on Ridge line 1').waitFor();
  expect(await newest()).toMatchObject({ reasonId: 'DT-03', userName: 'admin' });
});

describe.each([
  ['a wide screen', { width: 1280, height: 800 }],
  ['a low screen', { width: 1024, height: 600 }],
  ['a narrow screen', { width: 390, height: 844 }],
])('F6: a shared panel of %s', (name, viewport) => {
  it.each(['pat', LONG])('shows at each place who acts, large, with the way out (%s)', async (person) => {
    const { page } = gate;
    await page.setViewportSize(viewport);
    await gate.follow('/tasks');
    await gate.scan(person === 'pat' ? '4739' : '4725');
    await page.getByRole('button', { name: `Go on as ${person}` }).click();
    for (const place of ['/stops', '/', '/more']) {
      await gate.follow(place);
      const acting = page.locator('.acting:visible').first();
      await acting.getByText(person, { exact: true }).waitFor();
      const box = await acting.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      const size = await page.evaluate(
        "parseFloat(getComputedStyle([...document.querySelectorAll('.acting b')].find((name) => name.checkVisibility())).fontSize)",
      );
      expect(Number(size)).toBeGreaterThanOrEqual(18);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    }
    await gate.follow('/');
    await expectAccessible(page);
    await shoot(page, `panel-acting-${name.replace(/^a | screen/g, '')}-${person.length}`);
    await page
      .getByRole('button', { name: `Signed in as ${person}. Sign out` })
      .first()
      .click();
    await expect.poll(() => page.locator('.acting').count()).toBe(0);
  });
});
