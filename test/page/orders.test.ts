import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const item = (quantity: number, partLengthIn: number) => ({ quantity, partLengthIn });
const PRODUCT = {
  toolingDetail: { toolingCode: 'PBR-36', description: 'Panel' },
  materialDetail: { materialCode: 'G26-WHT', description: '26 ga White' },
  workOrder: 'WO-9',
  bundles: [
    { bundleCode: 'A-1', items: [item(10, 220), item(4, 120)] },
    { bundleCode: 'A-2', items: [item(6, 220)] },
  ],
};
const MANY_LENGTHS = { toolingDetail: { toolingCode: 'Z-8' }, workOrder: 'WO-10' };
const apiKeys = [...PLANT.apiKeys, { principal: 'erp', key: 'erp-key-012345678901', role: 'business' }];

describe('F11 orders', () => {
  const gate = usePage('rest', { plant: JSON.stringify({ ...PLANT, apiKeys }) });

  const add = async (order: object) => {
    const headers = { authorization: 'ApiKey erp-key-012345678901', 'content-type': 'application/json' };
    const body = JSON.stringify({ products: [PRODUCT], ...order });
    const answer = await fetch(`${gate.origin}/api/v1/orders/add`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  };
  const remove = async (code: string) => {
    const headers = { authorization: 'ApiKey erp-key-012345678901' };
    await fetch(`${gate.origin}/api/v1/orders/${code}`, { method: 'DELETE', headers });
  };

  it('come and go while the list is open, without a reload', async () => {
    const page = await gate.openAgain('/orders');
    await gate.expectHeadline('2 orders are open, 1 is on hold');
    await add({ orderCode: 'SO-90', schedule: { requiredDateTime: '2099-01-01' } });
    await gate.expectHeadline('3 orders are open, 1 is on hold');
    await page.locator('.pick .opt', { hasText: 'SO-90' }).waitFor();
    await remove('SO-90');
    await gate.expectHeadline('2 orders are open, 1 is on hold');
  });

  it('that are overdue are counted, marked in words, and shown apart', async () => {
    await add({ orderCode: 'SO-91', schedule: { requiredDateTime: '2026-01-05' } });
    const page = await gate.openAgain('/orders');
    await gate.expectHeadline('3 orders are open, 1 is overdue, 1 is on hold');
    await page.locator('.pick .opt', { hasText: 'SO-91' }).getByText('Overdue').waitFor();
    await page.getByRole('button', { name: 'Overdue 1' }).click();
    await expect.poll(() => page.locator('.pick .opt').count()).toBe(1);
    await page.getByRole('button', { name: 'On hold 1' }).click();
    await page.locator('.pick .opt', { hasText: 'SO-41007' }).waitFor();
    await page.getByRole('button', { name: 'Made 0' }).click();
    await page.getByText('No order is made yet.').waitFor();
    await expectAccessible(page);
    await remove('SO-91');
  });

  it('show their items, and how many pieces the machines made under the job number', async () => {
    await gate.say('RF-04', { partId: 'P-100', jobNumber: 'wo-9', running: true, goodPart: 100 });
    await add({ orderCode: 'SO-92' });
    const page = await gate.openAgain('/orders');
    await page.locator('.pick .opt', { hasText: 'SO-92' }).click();
    const card = page.getByRole('region', { name: 'SO-92' });
    const rows = card.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    const long = rows.filter({ hasText: '18 ft 4 in' });
    expect(await long.textContent()).toContain('26 ga White, job WO-9, 2 bundles: A-1 … A-2');
    expect(await long.textContent()).toContain('0 / 16');
    await gate.say('RF-04', { partId: 'P-100', jobNumber: 'wo-9', running: true, goodPart: 107 });
    // Without this change the pieces come with the next look, within half a minute.
    await add({ orderCode: 'SO-94', products: [] });
    await expect.poll(() => long.textContent()).toContain('7 / 16');
    await card.getByText('of 20 pieces made').waitFor();
    await card.getByText('35%').waitFor();
    await expectAccessible(page);
    await shoot(page, 'order-part-made');
    await gate.say('RF-04', { partId: 'P-100', jobNumber: 'wo-9', running: true, goodPart: 120 });
    await remove('SO-94');
    await page.getByRole('button', { name: 'Made 1' }).click();
    await page.locator('.pick .opt', { hasText: 'SO-92' }).getByText('Made').waitFor();
    await remove('SO-92');
  });

  it('that are tapped on a telephone come to the top, though they stand below the list', async () => {
    const page = await gate.open('/orders', { viewport: { width: 390, height: 500 } });
    await page.locator('.pick .opt', { hasText: 'SO-41007' }).click();
    const top = async () => (await page.getByRole('heading', { name: 'SO-41007' }).boundingBox())?.y ?? -1;
    await expect.poll(top).toBeLessThan(250);
    expect(await top()).toBeGreaterThanOrEqual(0);
  });

  it('with many lengths are shown to the last item', async () => {
    const items = Array.from({ length: 70 }, (_, at) => item(1, 100 + at));
    await add({ orderCode: 'SO-93', products: [{ ...MANY_LENGTHS, bundles: [{ items }] }] });
    const page = await gate.openAgain('/orders');
    await page.getByRole('searchbox').fill('SO-93');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'More: 50 of 70 are shown' }).click();
    await expect.poll(() => rows.count()).toBe(70);
    await remove('SO-93');
  });
});

describe('F11, D-45 in a metric plant', () => {
  const settings = 'page: { units: metric }\n';
  const orders = [{ orderCode: 'SO-1', products: [PRODUCT] }];
  const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, orders }), settings });

  it('lengths of items are millimetres', async () => {
    const page = await gate.open('/orders');
    await page.locator('tbody tr', { hasText: '5,588 mm' }).waitFor();
  });
});
