import { beforeEach, describe, expect, it } from 'vitest';
import { stop } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { drawn } from './calls.ts';
import { PLANT, usePage } from './page-under-test.ts';

const machines = PLANT.machines.map((machine) =>
  machine.machineId === 'RF-04' ? { ...machine, area: 'Hall B' } : machine,
);
const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, machines }) }, (gate) => gate.plantAtWork());

const reason = (name: string) => gate.page.locator('button.reason', { hasText: name });

async function waitingAt(machineId: string): Promise<number> {
  const { body } = await gate.program.api('GET', `/machines/${machineId}/downtimes`);
  return (body as readonly { readonly reasonId: unknown }[]).filter(({ reasonId }) => reasonId === null).length;
}

async function giveAll(reasonId: string): Promise<void> {
  const { body } = await gate.program.api('GET', '/downtimes?uncategorized=true');
  const downtimeIds = (body as readonly { readonly downtimeId: string }[]).map(({ downtimeId }) => downtimeId);
  expect((await gate.program.api('POST', '/downtimes/category', { downtimeIds, reasonId })).status).toBe(200);
}

describe('F9: after a reason', () => {
  beforeEach(() => stop(gate, 'RF-01', 'RF-04'));

  it('a second tap under the same finger never reaches the stop of another machine: next is an act', async () => {
    const page = await gate.open('/stops');
    await gate.expectHeadline('2 stops wait for a reason');
    const box = await reason('Drive fault').boundingBox();
    await expect.poll(() => reason('Drive fault').textContent()).toContain('Ridge line 1');
    await expect.poll(() => reason('Drive fault').getAttribute('aria-disabled')).toBe('false');
    await page.route('**/downtimes/category', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue();
    });
    const tap = () => page.mouse.click((box?.x ?? 0) + 60, (box?.y ?? 0) + 20);
    await tap();
    for (let taps = 0; taps < 6; taps += 1) {
      await page.waitForTimeout(300);
      await tap();
    }
    await page.getByRole('heading', { name: 'Another stop waits' }).waitFor();
    expect(await waitingAt('RF-04')).toBe(1);
    expect(await page.locator('button.reason').count()).toBe(0);
    await expectAccessible(page);
    await shoot(page, 'stops-next');
    await page.getByRole('button', { name: 'Next stop: Trim line 1' }).click();
    await page.getByRole('heading', { name: 'What was it on Trim line 1?' }).waitFor();
    await reason('Coil change').click();
    await gate.expectHeadline('Every stop has its reason');
  });

  it('a refusal names its stop, and the choice stays for the repetition', async () => {
    const page = await gate.open('/stops');
    await gate.expectHeadline('2 stops wait for a reason');
    await gate.seeAtOnce();
    await page.route('**/downtimes/category', async (route) => {
      await giveAll('DT-01');
      await route.continue();
    });
    await reason('Drive fault').click();
    const alert = page.getByRole('alert').filter({ hasText: /^Ridge line 1, .*changed this at/ });
    await alert.waitFor();
    await page.getByRole('heading', { name: 'What was it on Ridge line 1?' }).waitFor();
    await page.getByText(/Ridge line 1, .* has a reason by now: Coil change/).waitFor();
    await expectAccessible(page);
    await shoot(page, 'stops-refused');
    await page.unroute('**/downtimes/category');
    await reason('Drive fault').click();
    await page.getByText('Drive fault on Ridge line 1').waitFor();
    expect(await waitingAt('RF-01')).toBe(0);
    gate.forgive('409');
  });

  it('a stop that got its reason elsewhere is not asked for any more, and none of another machine stands there', async () => {
    const page = await gate.open('/stops');
    await gate.expectHeadline('2 stops wait for a reason');
    const { body } = await gate.program.api('GET', '/machines/RF-01/downtimes');
    const category = { downtimeIds: [body[0].downtimeId], reasonId: 'DT-03' };
    expect((await gate.program.api('POST', '/downtimes/category', category)).status).toBe(200);
    await page.getByRole('heading', { name: 'Another stop waits' }).waitFor();
    await drawn(page);
    expect(await page.locator('button.reason').count()).toBe(0);
  });

  it.each(['Trim line 1', 'Area Hall B'])(
    'a browser that is bound to machines shows their stops alone, and the number of the others (%s)',
    async (name) => {
      const page = await gate.open('/stops');
      await page.getByRole('button', { name: 'Machines at this screen' }).click();
      await page.getByRole('dialog').getByRole('checkbox', { name }).click();
      await expectAccessible(page);
      await shoot(page, 'stops-machines');
      await page.keyboard.press('Escape');
      await page.reload();
      await gate.expectHeadline('1 stop waits for a reason');
      await page.getByText(`This screen is for ${name}.`).waitFor();
      await page.getByRole('heading', { name: 'What was it on Trim line 1?' }).waitFor();
      await page.getByRole('button', { name: '1 stop at another machine' }).click();
      await gate.expectHeadline('2 stops wait for a reason');
      await page.getByRole('button', { name: 'Only these machines' }).click();
      await reason('Coil change').click();
      await gate.expectHeadline('Every stop has its reason');
      expect(await waitingAt('RF-01')).toBe(1);
    },
  );
});

describe('F10: a stop', () => {
  const past = () => gate.page.getByRole('region', { name: 'Stops of the last 24 hours' }).getByRole('button');

  /** RF-02 stood from long ago, by the answers of the gateway. */
  async function longStop(): Promise<void> {
    await gate.page.route('**/api/local/downtimes?from*', (route) =>
      route.fulfill({
        json: [
          {
            downtimeId: 'long',
            machineId: 'RF-02',
            startedAt: '2026-11-06T02:37:45.544Z',
            endedAt: '2026-11-06T04:10:45.000Z',
            reasonId: 'DT-02',
            note: null,
            userName: 'kim',
          },
          ...[10, 30].map((second) => ({
            downtimeId: `short-${second}`,
            machineId: 'RF-02',
            startedAt: `2026-11-06T02:36:${second}.000Z`,
            endedAt: `2026-11-06T02:36:${second + 9}.000Z`,
            reasonId: 'DT-01',
            note: null,
            userName: 'kim',
          })),
        ],
      }),
    );
  }

  it('is split at a typed second, or where the bar was dragged to; its sheet marks the present reason', async () => {
    const page = await gate.open('/more');
    await longStop();
    await gate.follow('/stops');
    await past().first().click();
    const sheet = page.getByRole('dialog');
    const present = sheet.locator('.reason[aria-pressed="true"]');
    await expect.poll(() => present.allTextContents()).toEqual(['Tooling adjustmentits reason now']);
    await sheet.getByLabel('or type the time').fill('02:41:30');
    await sheet.getByText('3 min 44 s and 1 h 29 min').waitFor();
    await sheet.getByRole('button', { name: 'Split at 02:41:30' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'stop-split');
    const bar = sheet.getByRole('slider', { name: 'Drag to the time' });
    await bar.focus();
    await page.keyboard.press('ArrowRight');
    await sheet.getByRole('button', { name: 'Split at 02:41:31' }).waitFor();
    await bar.press('End');
    await sheet.getByRole('button', { name: 'Split at 04:10:44' }).waitFor();
    await sheet.getByLabel('or type the time').fill('0500');
    await sheet.getByText('No time of this stop. It lasts from 02:37:46 to 04:10:44.').waitFor();
    expect(await sheet.getByRole('button', { name: 'Split at' }).isDisabled()).toBe(true);
    await sheet.getByLabel('or type the time').fill('3:00');
    const sent = page.waitForRequest('**/downtimes/long/split');
    await page.route('**/downtimes/long/split', (route) => route.fulfill({ status: 503, json: { errors: [] } }));
    await sheet.getByRole('button', { name: 'Split at 03:00:00' }).click();
    expect((await sent).postDataJSON()).toEqual({ at: '2026-11-06T03:00:00.000Z' });
  });

  it('that ends in the minute in which it began is told from others by its seconds', async () => {
    const page = await gate.open('/more');
    await longStop();
    await gate.follow('/stops');
    await page.getByText('02:36:10 to 02:36:19').waitFor();
    await page.getByText('02:36:30 to 02:36:39').waitFor();
    await past().nth(1).click();
    await page.getByRole('button', { name: 'Merge with the stop 02:36:30 to 02:36:39' }).waitFor();
  });
});
