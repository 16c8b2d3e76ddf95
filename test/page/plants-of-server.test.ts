import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { shiftFact } from '../central/reporting-gateways.ts';
import { EMPTY_BATCH, packed, points } from '../fakes/batch-sender.ts';
import { press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { type PageUnderTest, PLANT, usePage } from './page-under-test.ts';

const PLANTS = [
  { id: 'default', name: 'Boise, Idaho' },
  { id: 'tulsa', name: 'Tulsa' },
  { id: 'monterrey', name: 'Monterrey, Nuevo León, Apodaca Norte' },
];
const ERP = 'erp-key-0123456789ab';
const KEY_OF = { default: 'line-boise-0123456789a', tulsa: 'line-tulsa-0123456789a' } as const;
const password = 'rolls and coils';
const plant = JSON.stringify({
  ...PLANT,
  apiKeys: [
    { principal: 'erp', key: ERP, role: 'business', plants: ['*'] },
    ...Object.entries(KEY_OF).map(([plantId, key]) => {
      return { principal: `line of ${plantId}`, key, role: 'gateway', plants: [plantId] };
    }),
  ],
  users: [
    { name: 'admin', role: 'admin', password },
    { name: 'tess', role: 'technician', password, pin: '2468', plants: ['tulsa'] },
    { name: 'bo', role: 'technician', password, pin: '1357' },
    { name: 'tia', role: 'admin', password, plants: ['tulsa'] },
    { name: 'bea', role: 'admin', password, plants: ['default'] },
    { name: 'sam', role: 'supervisor', password, plants: ['tulsa', 'default'] },
    { name: 'rae', role: 'supervisor', password, plants: ['tulsa', 'default'] },
  ],
});
const gate = usePage('leave', { plant, command: 'central', settings: `plants: ${JSON.stringify(PLANTS)}\n` }, fill);

/** A production day that is over: after midnight the night shift still belongs to the day before. */
const yesterday = () => new Date(Date.now() - 86_400_000).toLocaleDateString('sv-SE');

/** Boise and Tulsa each get an order O-1 for another customer, and a gateway. */
async function fill({ origin }: PageUnderTest): Promise<void> {
  const send = async (key: string, path: string, body: string) => {
    const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  };
  for (const [plantId, customer] of [
    ['default', 'Alder Barns'],
    ['tulsa', 'Osage Sheds'],
  ] as const) {
    const order = { documentID: 'O-1', orderCode: 'SO-1', customer: { name: customer }, products: [] };
    await send(ERP, `/plant/${plantId}/api/v1/orders/add`, JSON.stringify(order));
    const goodParts = plantId === 'tulsa' ? 400 : 70;
    const records = [{ seq: 1, ...shiftFact({ goodParts }, yesterday()) }];
    const batch = { ...EMPTY_BATCH, gatewayId: `pg-${plantId}`, stream: plantId, records, points: [points(1)] };
    await send(KEY_OF[plantId], '/api/v1/sync', packed(batch).json);
  }
}

const choice = () => gate.page.getByRole('button', { name: /^(Plant|Werk): / });
const customers = () => gate.page.locator('.main').textContent();

it('D-108 the same id in two plants is two orders, and a person chooses the plant', async () => {
  const page = await gate.open('/orders', { as: 'admin' });
  expect(await choice().textContent()).toBe('Boise, Idaho');
  expect(new URL(page.url()).pathname).toBe('/plant/default/orders');
  await expect.poll(customers).toContain('Alder Barns');
  await expectAccessible(page);
  await shoot(page, 'plant-choice-1280');
  // By keyboard alone.
  await choice().press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Which plant?' });
  await expectAccessible(page);
  await shoot(page, 'plant-choice-open-1280');
  expect(await dialog.getByRole('link', { name: 'Boise, Idaho' }).getAttribute('aria-current')).toBe('true');
  await dialog.getByRole('link', { name: 'Tulsa' }).press('Enter');
  await page.waitForURL('**/plant/tulsa/orders');
  await expect.poll(customers).toContain('Osage Sheds');
  expect(await customers()).not.toContain('Alder Barns');
  expect(await page.title()).toMatch(/ · Tulsa · plantgate$/);
  // The browser keeps the choice, and an address with a plant comes first.
  await page.goto(`${gate.origin}/coils`);
  await page.waitForURL('**/plant/tulsa/coils');
  await page.goto(`${gate.origin}/plant/default/orders`);
  await expect.poll(customers).toContain('Alder Barns');
});

it('D-108 every call of the page names the plant', async () => {
  const page = await gate.open('/plant/tulsa/', { as: 'sam' });
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await page.reload();
  for (const place of ['stops', 'production', 'tasks', 'coils', 'orders', 'profiles', 'events', 'sync', 'alerts']) {
    await gate.follow(`/plant/tulsa/${place}`);
    await page.locator('.stage h1').waitFor();
    calls.push(
      ...(await page.locator('a[href*="/api/"]').evaluateAll((all) => all.map((a) => `${a.getAttribute('href')}`))),
    );
  }
  const apis = calls.filter((path) => path.includes('/api/'));
  expect(apis.length).toBeGreaterThan(20);
  expect(apis.join()).toContain('.csv');
  expect(apis.filter((path) => !path.startsWith('/plant/tulsa/api/'))).toEqual([]);
});

it('D-108 a person for one plant sees that plant alone, and no choice', async () => {
  const page = await gate.open('/orders', { as: 'tess' });
  await expect.poll(customers).toContain('Osage Sheds');
  expect(new URL(page.url()).pathname).toBe('/plant/tulsa/orders');
  expect(await choice().count()).toBe(0);
  await page.goto(`${gate.origin}/plant/default/orders`);
  await gate.expectHeadline('The plant in this address is not one of yours');
  await expectAccessible(page);
  expect(await page.locator('.main a').allTextContents()).toEqual(['Tulsa']);
  await page.locator('.main a').click();
  await expect.poll(customers).toContain('Osage Sheds');
});

it('D-108 Plants lists the gateways by plant, whatever plant is shown', async () => {
  const page = await gate.open('/plant/monterrey/plants', { as: 'admin' });
  const groups = page.locator('tbody');
  await expect.poll(() => groups.count()).toBe(3);
  expect((await groups.allTextContents()).join()).toMatch(
    /Boise, Idahopg-default.*,Tulsapg-tulsa.*,Monterrey.*No gateway yet\. Make a key of the role Gateway for this plant/,
  );
  expect(await choice().count()).toBe(0);
  await expectAccessible(page);
  await shoot(page, 'plants-by-plant-1280');
  await press(page, /^Need a look/);
  await expect.poll(() => groups.count()).toBeLessThan(3);
  await press(page, /^All/);
  await page.getByRole('link', { name: 'To the keys' }).click();
  await page.waitForURL('**/plant/monterrey/admin?tab=keys');
  await page.getByRole('button', { name: 'Add key' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'pg-tulsa' }).click();
  await expect.poll(() => page.locator('.facts').textContent()).toMatch(/^PlantTulsa/);
});

it('D-108 Plants names no plant where it stands for Andon and Production of a plant without machines', async () => {
  const page = await gate.open('/plant/tulsa/', { as: 'admin' });
  await page.getByRole('link', { name: 'pg-tulsa' }).waitFor();
  expect(await choice().count()).toBe(0);
  await gate.follow('/plant/tulsa/production');
  await page.getByText('Added up every few seconds').waitFor();
  expect(await choice().count()).toBe(0);
  await gate.follow('/plant/tulsa/tasks');
  await expect.poll(() => choice().textContent()).toBe('Tulsa');
  await page.goto(`${gate.origin}/plant/default/`);
  await expect.poll(() => choice().textContent()).toBe('Boise, Idaho');
});

it('D-108 a person for one plant sees its gateways without the name of a plant, and no empty plant', async () => {
  const page = await gate.open('/plants', { as: 'tess' });
  await page.getByRole('link', { name: 'pg-tulsa' }).waitFor();
  const text = await page.locator('.main').textContent();
  expect(text).not.toMatch(/pg-default|No gateway yet|Boise/);
  for (const [place, gone] of [
    ['/plants/pg-default', 'gateway'],
    ['/plants?production=pg-default', 'gateway'],
    ['/plants?production=%2Fdefault', 'plant'],
  ] as const) {
    await page.goto(`${gate.origin}${place}`);
    await gate.expectHeadline(`There is no such ${gone}`);
  }
  gate.forgive('404 (Not Found)');
});

it('D-108 Production below Plants goes from all plants to one, to its gateway and back', async () => {
  // Shifts are added up every 10 s.
  const today = new Date().toLocaleDateString('sv-SE');
  const sums = `/production/sums?by=plant&gatewayId=*&from=${yesterday()}&to=${today}`;
  const made = async () =>
    (await gate.program.api('GET', sums)).body as { readonly total: { readonly goodParts: number } };
  await expect.poll(async () => (await made()).total.goodParts, { timeout: 25_000 }).toBe(470);
  const page = await gate.open('/plant/default/plants?production=', { as: 'admin' });
  const table = page.locator('.made-table');
  await expect.poll(() => table.textContent()).toMatch(/All 2 plants.*470/);
  expect(await table.locator('tbody a').allTextContents()).toEqual(expect.arrayContaining(['Boise, Idaho', 'Tulsa']));
  await expectAccessible(page);
  await shoot(page, 'plants-production-1280');
  await table.getByRole('link', { name: 'Tulsa' }).first().click();
  await page.waitForURL('**/plants?production=%2Ftulsa*');
  await expect.poll(() => table.textContent()).toMatch(/1 gateway.*400.*pg-tulsa/);
  expect(await page.getByRole('combobox').first().inputValue()).toBe('/tulsa');
  await expectAccessible(page);
  await shoot(page, 'plants-production-of-one-1280');
  await table.getByRole('link', { name: 'pg-tulsa' }).first().click();
  await expect.poll(() => table.textContent()).toMatch(/All 1 machines|1 machine/);
  await page.getByRole('link', { name: 'Tulsa', exact: true }).click();
  await page.waitForURL('**/plants?production=%2Ftulsa*');
});

it('D-108 groups say in which plant a gateway is', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'North' })).body as { groupId: string };
  for (const plantId of ['default', 'tulsa']) {
    expect((await gate.program.api('PUT', `/fleet/groups/${groupId}/gateways/pg-${plantId}`)).status).toBe(204);
  }
  const page = await gate.open(`/plant/default/plants?groups=${groupId}`, { as: 'admin' });
  await expect.poll(() => page.getByRole('row', { name: /pg-tulsa/ }).textContent()).toContain('Tulsa');
  await expectAccessible(page);
  await shoot(page, 'plants-group-1280');
  // The words for acts on groups come with the part of the page for central servers.
  await gate.follow('/plant/default/events');
  await page.getByText('Made group').waitFor();
});

it('D-108 a plan takes people and keys that are for all plants of the group, and says whose reasons they are', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'Plans' })).body as { groupId: string };
  const versionOf = async (plantId: string, version: number) => {
    expect((await gate.program.api('PUT', `/fleet/groups/${groupId}/gateways/pg-${plantId}`)).status).toBe(204);
    // A change of the second before counts as one that the person has not seen.
    await delay(1_100);
    const page = await gate.open(`/plant/default/plants?groups=${groupId}`, { as: 'admin' });
    await page.getByRole('row', { name: new RegExp(`pg-${plantId}`) }).waitFor();
    await press(page, 'New version');
    await page.getByText('Reasons and parts are those of Boise, Idaho, people and keys those for all plants').waitFor();
    for (const name of [/^People/, /^Keys/]) {
      const part = page.getByRole('dialog').getByRole('switch', { name });
      if (!(await part.isChecked())) await part.click();
    }
    await press(page, 'Keep this version');
    await page.getByRole('cell', { name: new RegExp(`^version ${version}`) }).waitFor();
    return (await gate.program.api('GET', `/fleet/groups/${groupId}/versions/${version}`)).body.plan;
  };
  const apiKeys = [{ id: 'erp', principal: 'erp', role: 'business' }];
  const names = (plan: { readonly users: readonly object[] }) => plan.users.map((user) => Object.values(user)[0]);
  const ofTulsa = await versionOf('tulsa', 1);
  expect(names(ofTulsa)).toEqual(['admin', 'rae', 'sam', 'tess', 'tia']);
  expect(ofTulsa.apiKeys).toMatchObject(apiKeys);
  expect(JSON.stringify(ofTulsa)).not.toContain('plants');
  expect(names(await versionOf('default', 2))).toEqual(['admin', 'rae', 'sam']);
});

it('D-108 a key of a gateway is made for the shown plant, and a person for some or all', async () => {
  const page = await gate.open('/plant/tulsa/admin?tab=keys', { as: 'admin' });
  await press(page, 'Add key');
  const form = page.getByRole('dialog');
  await form.getByLabel('For which program').fill('pg-tulsa-02');
  await form.getByRole('combobox', { name: 'May' }).selectOption('gateway');
  const one = form.getByRole('combobox', { name: 'Plant' });
  expect(await one.inputValue()).toBe('tulsa');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Add key' }).click();
  await expect.poll(() => page.getByRole('row', { name: /pg-tulsa-02/ }).textContent()).toMatch(/Tulsa/);
  await press(page, 'I have stored it');
  await press(page, 'People');
  await expect.poll(() => page.getByRole('row', { name: /^tess/ }).textContent()).toMatch(/Tulsa/);
  await expect.poll(() => page.getByRole('row', { name: /^admin/ }).textContent()).toMatch(/All plants/);
  await page.getByRole('row', { name: /^rae/ }).getByRole('button', { name: 'Change' }).click();
  const checked = () =>
    form.locator('input:checked').evaluateAll((all) => all.map((box) => box.parentElement?.textContent));
  await expect.poll(checked).toEqual(['Boise, Idaho', 'Tulsa']);
  await expectAccessible(page);
  await shoot(page, 'person-plants-1280');
  await form.getByLabel('Boise, Idaho').uncheck();
  await form.getByLabel('Monterrey', { exact: false }).check();
  await form.getByRole('button', { name: 'Change' }).click();
  await expect.poll(() => page.getByRole('row', { name: /^rae/ }).textContent()).toMatch(/Tulsa, Monterrey/);
});

it('D-108 the label of another plant opens nothing, because the same id may be another record here', async () => {
  const page = await gate.open('/plant/default/orders', { as: 'admin' });
  await gate.scan('http://gateway:8080/plant/tulsa/coil/C-70009');
  await page.getByText('Unknown code').waitFor();
  await gate.scan('http://gateway:8080/plant/default/coil/C-70009');
  await page.waitForURL('**/plant/default/coil/C-70009');
});

it('D-108 a panel shows the plant in which it was made, and no other', async () => {
  const page = await gate.open('/plant/tulsa/admin', { as: 'admin' });
  // The page learns late who it is, and asks for nothing that a panel may not see meanwhile.
  await page.route('**/api/local/session', async (route) => {
    await delay(500);
    await route.continue();
  });
  await gate.makePanel();
  await page.waitForURL('**/plant/tulsa/');
  await page.locator('.stage h1').waitFor();
  await page.unroute('**/api/local/session');
  await shoot(page, 'panel-of-plant-1280');
  await expect.poll(customers).not.toContain('pg-default');
  await page.goto(`${gate.origin}/orders`);
  await page.waitForURL('**/plant/tulsa/orders');
  await expect.poll(customers).toContain('Osage Sheds');
  expect(await choice().count()).toBe(0);
  expect((await page.request.get(`${gate.origin}/plant/default/api/local/plant/orders`)).status()).toBe(403);
  // People of other plants have no use for it.
  expect(await (await page.request.get(`${gate.origin}/api/local/panel`)).json()).toMatchObject({ people: ['tess'] });
});

it('D-108 the next person at the browser sees only the own plants', async () => {
  const page = await gate.open('/plant/default/orders', { as: 'sam' });
  await expect.poll(customers).toContain('Alder Barns');
  await gate.follow('/plant/default/more');
  await press(page, 'Sign out sam');
  await gate.signIn('tess');
  await gate.expectHeadline('The plant in this address is not one of yours');
  await page.getByRole('link', { name: 'Tulsa' }).click();
  await page.waitForURL('**/plant/tulsa/more');
});

/** What changes the whole server, by its place. */
const OF_SERVER: readonly (readonly [place: string, ...names: string[]])[] = [
  ['/admin', 'People', 'Keys', 'MQTT accounts', 'Shifts and server'],
  ['/admin?tab=backup', 'How much is logged'],
  ['/alerts/rules', 'Add a rule for a variable'],
  ['/alerts/who', 'Add a channel', 'Add a person or a group'],
  ['/plants?groups=', 'New group'],
];

it.each([
  ['admin', 'default', true, true],
  ['tia', 'tulsa', false, true],
  ['bea', 'default', false, false],
] as const)('D-108 %s in %s is offered what the server permits', async (name, plantId, isOffered, mayBackUp) => {
  const page = await gate.open(`/plant/${plantId}/`, { as: name });
  for (const [place, ...names] of OF_SERVER) {
    await gate.follow(`/plant/${plantId}${place}`);
    await page.locator('.stage h1').waitFor();
    if (isOffered)
      await page
        .getByText(names[0] ?? '', { exact: true })
        .first()
        .waitFor();
    else await page.waitForLoadState('networkidle');
    const counts = await Promise.all(names.map((text) => page.getByText(text, { exact: true }).count()));
    expect(counts.map((count) => count > 0)).toEqual(names.map(() => isOffered));
    if (place.endsWith('backup')) {
      const backUp = page.getByRole('button', { name: 'Back up now' });
      if (mayBackUp) await backUp.waitFor();
      else expect(await backUp.count()).toBe(0);
    }
    await expectAccessible(page);
  }
  await gate.follow(`/plant/${plantId}/alerts/rules`);
  expect(await page.getByRole('switch').first().isEnabled()).toBe(isOffered);
  expect((await page.locator('.table a').count()) > 0).toBe(isOffered);
  await gate.follow(`/plant/${plantId}/set-up`);
  await page.locator('.set-up h1').waitFor();
  expect((await page.getByText('Only administrators see and change this.').count()) > 0).toBe(!isOffered);
});

it('D-108 asks before another plant is shown while something is not saved', async () => {
  const page = await gate.open('/plant/default/new-profile', { as: 'admin' });
  await page.getByLabel('Name', { exact: true }).fill('Eave');
  await choice().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Tulsa' }).click();
  await press(page, 'Stay here');
  expect(new URL(page.url()).pathname).toBe('/plant/default/new-profile');
  await choice().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Tulsa' }).click();
  await press(page, 'Leave');
  await page.waitForURL('**/plant/tulsa/profiles');
});

it.each([
  ['390-de-dark', 390, 'de-DE', 'dark'],
  ['1280-de-dark', 1280, 'de-DE', 'dark'],
  ['390', 390, 'en-US', 'light'],
] as const)('D-108 the plants fit a screen of %s', async (name, width, locale, colorScheme) => {
  const page = await gate.open('/plant/monterrey/admin?tab=people', {
    as: 'admin',
    viewport: { width, height: 844 },
    locale,
    colorScheme,
  });
  const expectFit = async (what: string) => {
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await shoot(page, `plants-${what}-${name}`);
  };
  await page.getByRole('button', { name: /^(Add person|Person anlegen)/ }).click();
  await page.getByRole('dialog').locator('fieldset').waitFor();
  await expectFit('person');
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /^tess/ }).waitFor();
  await expectFit('people');
  await choice().click();
  await page.getByRole('dialog').waitFor();
  await expectFit('choice');
  await page.keyboard.press('Escape');
  await gate.follow('/plant/monterrey/plants');
  await page.getByRole('link', { name: 'pg-tulsa' }).waitFor();
  await expectFit('gateways');
  await gate.follow('/plant/monterrey/plants?production=');
  await page.locator('.made-table').waitFor();
  await expectFit('production');
});
