import type { Route } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { expectAlert, failCalls, NO_ANSWER, plant, press, REFUSED } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

let gate: PageUnderTest;

afterEach(() => gate.end());

const offer = () => gate.page.getByRole('region', { name: 'No reasons for stops are set up' });
const button = (name: string) => gate.page.getByRole('button', { name, exact: true });

async function withoutReasons(): Promise<void> {
  gate = await PageUnderTest.start({ plant: JSON.stringify({ ...PLANT, downtimeReasons: [] }) });
}

/** The first stop of a plant without reasons: it holds the machine. */
async function stopOfRidgeLine(): Promise<void> {
  for (const running of [true, false]) await gate.say('RF-01', { partId: 'P-210', running });
}

describe('D-57 a plant without reasons for stops is offered ten', () => {
  it('where the first stop waits: a technician reads who may take them, an administrator takes them by one tap', async () => {
    await withoutReasons();
    await stopOfRidgeLine();
    await gate.open('/stops');
    await offer().getByText('A supervisor or an administrator may do it.').waitFor();
    expect(await button('Use these ten').count()).toBe(0);
    await expectAccessible(gate.page);
    await gate.open('/stops', { as: 'admin' });
    await offer().waitFor();
    await expectAccessible(gate.page);
    await shoot(gate.page, 'starter-reasons');
    await button('Use these ten').click();
    await gate.page.getByText('Ten reasons are set up').waitFor();
    expect(await offer().count()).toBe(0);
    await gate.page.locator('button.reason', { hasText: 'Material jam' }).click();
    await gate.expectHeadline('Every stop has its reason');
    const { body } = await gate.program.api('GET', '/machines/RF-01');
    expect(body.decision).toMatchObject({ runEnabled: true });
    expect((await plant(gate, 'downtimeReasons')).slice(0, 2)).toEqual([
      { id: 'DT-01', reason: 'Coil change', group: 'Planned', icon: 'coil' },
      { id: 'DT-02', reason: 'Profile change, set-up', group: 'Setup', icon: 'swap' },
    ]);
  });

  it('in the language of the page, under Admin, also on a telephone; set-ups keep the group that D-07 names', async () => {
    await withoutReasons();
    await gate.open('/admin', {
      as: 'admin',
      locale: 'de-DE',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    });
    await button('Gründe').click();
    await button('Diese zehn übernehmen').waitFor();
    await expectAccessible(gate.page);
    await shoot(gate.page, 'starter-reasons-390-de-dark');
    await button('Diese zehn übernehmen').click();
    await gate.page.getByRole('row', { name: /Coilwechsel/ }).waitFor();
    const taken: { readonly reason: string; readonly group: string }[] = await plant(gate, 'downtimeReasons');
    expect(taken).toHaveLength(10);
    expect(taken.find(({ reason }) => reason === 'Profilwechsel, Rüsten')?.group).toBe('Setup');
  });

  it('at the first set-up', async () => {
    await withoutReasons();
    await gate.open('/more', { as: 'admin' });
    await gate.follow('/set-up');
    await offer().waitFor();
    await shoot(gate.page, 'starter-reasons-set-up');
    await button('Use these ten').click();
    await offer().waitFor({ state: 'detached' });
    expect(await plant(gate, 'downtimeReasons')).toHaveLength(10);
  });

  it.each([
    ['was refused', '/local/plant/loads', 'refusal', 0],
    ['broke off in the middle', '/local/plant/loads/*/records/downtimeReasons', 'no answer', 0],
    ['did not end', '/local/plant/loads/*/finish', 'refusal', 0],
  ] as const)('and the tap is told and repeated where it %s', async (_, path, manner, before) => {
    await withoutReasons();
    await gate.open('/admin', { as: 'admin' });
    await press(gate.page, 'Reasons');
    const fails = await failCalls(gate.page, 'POST', path);
    fails.with = manner;
    await button('Use these ten').click();
    await expectAlert(gate.page, manner === 'refusal' ? REFUSED : NO_ANSWER, '');
    expect(await plant(gate, 'downtimeReasons')).toHaveLength(before);
    fails.with = 'nothing';
    await button('Use these ten').click();
    await gate.page.getByRole('row', { name: /Coil change/ }).waitFor();
    expect(await plant(gate, 'downtimeReasons')).toHaveLength(10);
    gate.forgive('ERR_FAILED');
  });

  it('and there are ten, not twenty, if only the answer was lost and another person takes them too', async () => {
    await withoutReasons();
    await gate.open('/admin', { as: 'admin' });
    await press(gate.page, 'Reasons');
    const other = await gate.page.context().newPage();
    await other.goto(`${gate.origin}/admin`);
    await other.getByRole('button', { name: 'Reasons', exact: true }).click();
    const held: Route[] = [];
    await other.route('**/finish', (route) => void held.push(route));
    await other.getByRole('button', { name: 'Use these ten' }).click();
    await expect.poll(() => held.length).toBe(1);
    await gate.page.route('**/finish', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button('Use these ten').click();
    await gate.page.getByRole('row', { name: /Electrical fault/ }).waitFor();
    await held[0]?.continue();
    await other.getByText('Ten reasons are set up').waitFor();
    expect(await plant(gate, 'downtimeReasons')).toHaveLength(10);
    gate.forgive('ERR_FAILED');
  });
});

it('D-57 a plant that has a reason is offered none', async () => {
  gate = await PageUnderTest.start();
  await gate.open('/admin', { as: 'admin' });
  await press(gate.page, 'Reasons');
  await gate.page.getByRole('row', { name: /Coil change/ }).waitFor();
  expect(await button('Use these ten').count()).toBe(0);
  await gate.follow('/set-up');
  await gate.page.getByLabel('Time zone').waitFor();
  expect(await button('Use these ten').count()).toBe(0);
});
