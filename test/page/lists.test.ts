import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const numbered = <T>(count: number, make: (at: string) => T) =>
  Array.from({ length: count }, (_, at) => make(String(at).padStart(4, '0')));

const [profile] = PLANT.profiles;
const [, coil] = PLANT.coils;
const MANY = {
  ...PLANT,
  locations: [
    ...PLANT.locations,
    ...numbered(60, (at) => ({ code: `WH-Z${at}`, name: `Rack Z${at}`, category: 'Warehouse' })),
  ],
  parts: [...PLANT.parts, ...numbered(100, (at) => ({ partId: `PZ-${at}`, partName: `Part Z${at}` }))],
  coils: [...PLANT.coils, ...numbered(90, (at) => ({ ...coil, coilId: `CZ-${at}` }))],
  profiles: [
    ...PLANT.profiles,
    ...numbered(150, (at) => ({
      ...profile,
      profileId: `6f2f3f36-6d0c-4a3b-9d3c-0b6f3f1d${at}`,
      profileName: `Profile ${at}`,
    })),
  ],
  orders: [
    ...PLANT.orders,
    ...numbered(210, (at) => ({
      documentID: `DZ-${at}`,
      orderCode: `SZ-${at}`,
      schedule: { onHold: Number(at) % 2 === 0 },
      products: [],
    })),
  ],
};

describe('F1: with many records', () => {
  const gate = usePage('rest', { plant: JSON.stringify(MANY) });
  const search = (text: string) => gate.page.getByRole('searchbox').fill(text);
  const more = (text: string) => gate.page.getByRole('button', { name: text });

  it('profiles are counted and found at the gateway, and shown to the last', async () => {
    const page = await gate.openAgain('/profiles');
    await gate.expectHeadline('151 profiles');
    expect(await page.locator('.shape').count()).toBe(100);
    await expectAccessible(page);
    await more('More: 100 of 151 are shown').click();
    await expect.poll(() => page.locator('.shape').count()).toBe(151);
    expect(await page.getByRole('button', { name: /^More:/ }).count()).toBe(0);
    await search('profile 0149');
    await gate.expectHeadline('1 profile');
    await page.getByText('Profile 0149').waitFor();
    await search('nothing');
    await page.getByText('No profile has this text').waitFor();
  });

  it('orders are counted whole, those on hold too, and shown to the last', async () => {
    const page = await gate.openAgain('/orders');
    await gate.expectHeadline('212 orders are open, 106 are on hold');
    await page.getByRole('button', { name: 'On hold 106' }).click();
    // The rows move when they come. A press on a button that moves is no click.
    await expect.poll(() => page.locator('.pick .opt .state-line').count()).toBe(100);
    await more('More: 100 of 106 are shown').click();
    await expect.poll(() => page.locator('.pick .opt').count()).toBe(106);
    await shoot(page, 'orders-many');
    await search('SZ-0209');
    await page.getByText('No order has this text.').waitFor();
    await page.getByRole('button', { name: 'Open 1' }).click();
    await page.locator('.pick .opt', { hasText: 'SZ-0209' }).waitFor();
  });

  it('coils are shown to the last', async () => {
    const page = await gate.openAgain('/coils');
    await page.getByText('92 coils').waitFor();
    await more('More: 40 of 92 are shown').click();
    await more('More: 80 of 92 are shown').click();
    await expect.poll(() => page.locator('.found .opt').count()).toBe(92);
  });

  it.each([
    ['places for a coil', '/coil/C-70009', 'main .reasons .opt', 24, 63],
    ['parts of a machine', '/machine/RF-01/part', 'main > .reasons .reason', 60, 102],
  ])('%s are shown to the last', async (_, place, buttons, first, all) => {
    const page = await gate.openAgain(place);
    await more(`More: ${first} of ${all} are shown`).waitFor();
    expect(await page.locator(buttons).count()).toBe(first);
    await expectAccessible(page);
    await more(`More: ${first} of ${all} are shown`).click();
    await expect.poll(() => page.locator(buttons).count()).toBe(Math.min(2 * first, all));
  });

  it('events are counted, and those that a search finds', async () => {
    const page = await gate.openAgain('/events');
    await page.getByText(/^\d+ entr(y|ies)\. The newest is from/).waitFor();
    await search('nobody-at-all');
    await page.getByText('No entries match.').waitFor();
  });
});

describe('F24: an empty list that nobody searched', () => {
  const gate = usePage('rest', { plant: JSON.stringify({ ...PLANT, coils: [], tasks: [], profiles: [], orders: [] }) });

  it.each([
    ['/profiles', 'No profile is here yet', 'No profile has this text'],
    ['/orders', 'No order is here yet.', 'No order has this text.'],
    ['/coils', 'No coil is here yet.', 'No coil has all of these words.'],
  ])('does not speak of a text (%s), but a search does', async (place, empty, searched) => {
    const page = await gate.openAgain(place);
    await page.getByText(empty).waitFor();
    expect(await page.getByText(searched).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('searchbox').fill('x');
    await page.getByText(searched).waitFor();
    expect(await page.getByText(empty).count()).toBe(0);
  });
});
