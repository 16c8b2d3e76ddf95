import { setTimeout as delay } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import type { BatchFact } from '../../src/domain/sync/batch.ts';
import type { GatewayView } from '../../src/flows/receive/gateway-view.ts';
import { machine } from '../adapters/store/open-test-store.ts';
import { shiftFact } from '../central/reporting-gateways.ts';
import { BatchSender, EMPTY_BATCH, packed, points } from '../fakes/batch-sender.ts';
import { HEALTHY } from '../fakes/gateway-health.ts';
import { press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { type PageUnderTest, PLANT, usePage } from './page-under-test.ts';

const KEY = 'line-key-01234567890';
const apiKeys = [...PLANT.apiKeys, { principal: 'plants', key: KEY, role: 'gateway' }];
const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, apiKeys }) }, sendToIt);

const HELD = { machineId: 'RF-01', name: 'Purlin line 1', need: 'held', forMs: 1_440_000 };
const FAULT = { machineId: 'RF-07', name: 'Trim line 2', need: 'fault', forMs: 60_000 };
/** Each gateway with its name, and what it tells beside that it is well. */
const GATEWAYS: readonly (readonly [gatewayId: string, name: string, health: object])[] = [
  [
    'pg-boise-01',
    'Boise, Idaho',
    { setAside: 1_200, backups: { newestAgeMs: null }, certificateLeftMs: 5.5 * 86_400_000 },
  ],
  ['pg-dayton-02', 'Dayton, Ohio', { needs: [HELD, FAULT], setAside: 2, disk: { freePercent: 7, leastPercent: 10 } }],
  [
    'pg-monterrey-standing-seam-hall-b',
    'Monterrey, Nuevo León',
    {
      needs: [HELD],
      exchange: { sentAt: 7_400, roundTripMs: 0, receivedAt: 0 },
      queue: { records: 340, oldestAgeMs: 9_000 },
    },
  ],
];

const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };

async function sendFirst(origin: string, gatewayId: string): Promise<void> {
  const body = packed({ ...EMPTY_BATCH, gatewayId, points: [points(1)] }).json;
  expect((await fetch(`${origin}/api/v1/sync`, { method: 'POST', headers, body })).status).toBe(200);
}

async function sendToIt({ origin, program }: PageUnderTest): Promise<void> {
  for (const [gatewayId] of GATEWAYS) await sendFirst(origin, gatewayId);
  for (const [gatewayId, name, health] of GATEWAYS) {
    const report = { gatewayId, stream: EMPTY_BATCH.stream, health: { ...HEALTHY, version: '0.0.9', ...health } };
    const send = async () => {
      const answer = await fetch(`${origin}/api/v1/sync/health`, {
        method: 'POST',
        headers,
        body: JSON.stringify(report),
      });
      const { isKept } = (await answer.json()) as { readonly isKept: boolean };
      return isKept;
    };
    while (!(await send())) await delay(250);
    expect((await program.api('PUT', `/gateways/${gatewayId}`, { name })).status).toBe(204);
  }
}

it('D-97 Plants says which gateways need help, and has a place for each', async () => {
  const page = await gate.open('/', { as: 'admin' });
  const place = page
    .getByRole('navigation', { name: 'Places' })
    .first()
    .getByRole('link', { name: /^Plants/ });
  await place.click();
  await gate.expectHeadline('3 machines in 2 plants need a person');
  const rows = page.getByRole('table').first().getByRole('row');
  await expect.poll(() => rows.count()).toBe(4);
  await expect.poll(() => rows.nth(1).textContent()).toMatch(/^Dayton, Ohiopg-dayton-02 Records refused here: 2 2.*7%/);
  expect(await rows.nth(2).textContent()).toMatch(/Monterrey.*340.*7.4 s/);
  expect(await page.locator('.answer p').textContent()).toContain('The disk of gateway Dayton, Ohio has 7% left.');
  // Every gateway that needs a look shows why.
  const untold = /Records refused here: 1,200 ?No backup ?A certificate ends in 5 d/;
  await expect.poll(() => page.getByRole('row', { name: 'Boise' }).textContent()).toMatch(untold);
  await expectAccessible(page);
  await shoot(page, 'plants-1280');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await shoot(page, 'plants-390');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1_920, height: 1_080 });
  await shoot(page, 'plants-1920');
  await press(page, 'Older version: 3');
  await expect.poll(() => rows.count()).toBe(4);
  const fault = page.getByRole('link', { name: 'Trim line 2' });
  expect(await fault.getAttribute('href')).toBe('/plants?production=pg-dayton-02%2FRF-07');
  await page.getByRole('link', { name: 'Monterrey, Nuevo León' }).first().click();
  await gate.expectHeadline('Monterrey, Nuevo León');
  await page.getByText('The clock of gateway Monterrey, Nuevo León is 7.4 s ahead').waitFor();
  await expectAccessible(page);
  await shoot(page, 'plant-1920');
  await press(page, 'Deutsch');
  await page.getByText('Die Uhr von Gateway Monterrey, Nuevo León geht 7,4 s vor').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await shoot(page, 'plant-de-390');
  await page.getByRole('link', { name: 'Werke' }).first().click();
  await gate.expectHeadline('3 Maschinen in 2 Werken brauchen jemanden');
  await press(page, 'Genauer ansehen: 3');
  await page.getByText('Ein Zertifikat gilt noch 5 Tage').waitFor();
  await shoot(page, 'plants-de-390');
});

it('D-97 a server that does not read its gateways says so, and not that there are none', async () => {
  const page = await gate.open('/', { as: 'admin' });
  const refuse = (route: Route) => route.fulfill({ status: 503, json: { errors: ['the database is away'] } });
  await page.route('**/api/local/gateways', refuse);
  await page.goto(`${gate.origin}/plants`);
  await gate.expectHeadline('The gateways are not known now');
  await expectAccessible(page);
  await shoot(page, 'plants-unknown-1280');
  await page.unroute('**/api/local/gateways', refuse);
  await gate.expectHeadline('3 machines in 2 plants need a person');
  const old = page.getByText('The server gives no news of its gateways');
  await expect.poll(() => old.count()).toBe(0);
  await page.route('**/api/local/gateways', refuse);
  await old.waitFor();
  expect(await page.getByRole('link', { name: 'Dayton, Ohio' }).first().isVisible()).toBe(true);
});

it('D-97 a gateway leads to what its machines made, and to what was done there', async () => {
  const page = await gate.open('/plants/pg-dayton-02', { as: 'admin' });
  await expect.poll(() => page.locator('.facts').textContent()).toMatch(/Disk free7%/);
  const acts = page.getByRole('region', { name: 'Who did what' });
  await expect
    .poll(() => acts.getByRole('row').allTextContents())
    .toEqual([expect.stringMatching(/\d\d:\d\d.*Renamed gateway pg-dayton-02$/)]);
  await expectAccessible(page);
  await shoot(page, 'plant-acts-1280');
  await page.getByRole('main').getByRole('link', { name: 'Events' }).click();
  await gate.expectHeadline('Who did what');
  const german = { locale: 'de-DE', viewport: { width: 390, height: 844 } };
  const small = await gate.open('/plants/pg-dayton-02', { as: 'admin', ...german });
  const germanActs = small.getByRole('region', { name: 'Wer hat was getan' });
  await expect.poll(() => germanActs.textContent()).toContain('Gateway umbenannt pg-dayton-02');
  await expectAccessible(small);
  await germanActs.scrollIntoViewIfNeeded();
  await shoot(small, 'plant-acts-de-390');
  expect(await small.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

it('D-97 D-105 the address of a gateway that is gone says so, and leads back', async () => {
  const page = await gate.open('/plants/nope', { as: 'admin' });
  await gate.expectHeadline('There is no such gateway');
  await expectAccessible(page);
  for (const asked of ['nope', 'nope%2FRF-01']) {
    await page.goto(`${gate.origin}/plants?production=${asked}`);
    await gate.expectHeadline('There is no such gateway');
  }
  expect(await page.getByRole('alert').count()).toBe(0);
  await press(page, 'Deutsch');
  await gate.expectHeadline('Dieses Gateway gibt es nicht');
  await shoot(page, 'plants-gone-de-1280');
  await page.goto(`${gate.origin}/plants?groups=nope`);
  await gate.expectHeadline('Diese Gruppe gibt es nicht');
  await page.goto(`${gate.origin}/plants?production=nope`);
  await page.setViewportSize({ width: 390, height: 844 });
  // Until the gateway is known to be gone, it leads to the production of all plants.
  await page.locator('.crumb', { hasText: /^Werke$/ }).waitFor();
  await shoot(page, 'plants-gone-de-390');
  await page.locator('.crumb').click();
  await gate.expectHeadline('3 Maschinen in 2 Werken brauchen jemanden');
  gate.forgive('404 (Not Found)');
});

it('D-98 a supervisor changes its name at the page', async () => {
  const page = await gate.open('/plants/pg-boise-01', { as: 'admin' });
  await press(page, 'Change the name');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Boise North');
  await expectAccessible(page);
  await press(page, 'Save');
  await gate.expectHeadline('Boise North');
});

it('D-97 what a silent gateway told is shown as old', async () => {
  const page = await gate.open('/', { as: 'admin' });
  await page.route('**/api/local/gateways', async (route) => {
    const answer = await route.fetch();
    const [dayton, ...others]: GatewayView[] = await answer.json();
    if (dayton === undefined) throw new Error('no gateway');
    const since = new Date(Date.now() - 720_000).toISOString();
    const sentence = { en: 'Gateway Dayton, Ohio has not been heard for 12 min', de: '' };
    const away = { lastContactAt: since, contact: { state: 'silent', since } };
    const troubles = [{ kind: 'silent', value: 720_000, limit: 60_000, sentence }, ...dayton.troubles];
    const isBoise = ({ gatewayId }: GatewayView) => gatewayId === 'pg-boise-01';
    const json = [{ ...dayton, ...away, troubles }, ...others.map((one) => (isBoise(one) ? { ...one, ...away } : one))];
    await route.fulfill({ json });
  });
  await gate.follow('/plants');
  // Nobody knows how many machines need a person there: 0 would be news.
  await expect.poll(() => page.getByRole('row', { name: 'Boise' }).textContent()).toMatch(/pg-boise-01.*5 d –/);
  await gate.follow('/plants/pg-dayton-02');
  await page.getByText('has not been heard for 12 min').waitFor();
  await expect.poll(() => page.locator('.facts').textContent()).toMatch(/Records waiting0, as of \d/);
  await expect.poll(() => page.locator('.facts').textContent()).toMatch(/Disk free7%, as of \d/);
  await expect.poll(() => page.getByRole('table').first().textContent()).toMatch(/Held, as of/);
  await expectAccessible(page);
  await shoot(page, 'plant-silent-1280');
  await press(page, 'Retire this gateway');
  await page.getByRole('dialog', { name: 'Retire Dayton, Ohio?' }).waitFor();
  await page.locator('dialog[open]').getByRole('button', { name: 'Retire this gateway' }).click();
  // The gateway was heard meanwhile: only the page thinks that it is silent.
  await page.getByText('is heard', { exact: false }).waitFor();
  gate.forgive('409 (Conflict)');
});

const HOUR_MS = 3_600_000;

/** A machine of Boise ran for three hours today, and stood for one. */
async function produce({ origin }: PageUnderTest): Promise<void> {
  const shiftDate = new Date().toISOString().slice(0, 10);
  const startMs = Math.max(Date.parse(`${shiftDate}T00:00:00Z`), Date.now() - 4 * HOUR_MS);
  const stepMs = (Date.now() - startMs) / 4;
  const machineId = machine('RF-01');
  const span = (activity: 'running' | 'down', from: number, to: number): BatchFact => {
    const times = { startedAt: startMs + from * stepMs, endedAt: startMs + to * stepMs };
    return { kind: 'span', span: { spanId: `${from}`, machineId, activity, ...times } };
  };
  const stop = { downtimeId: 'D-1', machineId, startedAt: startMs + 3 * stepMs, endedAt: startMs + 4 * stepMs };
  const facts: BatchFact[] = [
    span('running', 0, 3),
    span('down', 3, 4),
    { kind: 'downtime', downtime: { ...stop, reasonId: 'DT-01', note: 'Roll 3', userName: 'Ada' } },
    shiftFact({ goodParts: 300, badParts: 6 }, shiftDate, 'All day'),
  ];
  const batch = new BatchSender('pg-tulsa', () => 'tulsa').queue(facts).batch();
  const sent = await fetch(`${origin}/api/v1/sync`, { method: 'POST', headers, body: batch?.json ?? '' });
  expect(sent.status).toBe(200);
  const told = {
    timeZone: 'UTC',
    shifts: [{ name: 'All day', start: '00:00' }],
    daysOff: [],
    machines: [
      { machineId: 'RF-01', name: 'Ridge line 4', area: 'Hall B', idealPartsPerMinute: 100, targetPartsPerShift: 900 },
    ],
    reasons: [{ id: 'DT-01', reason: 'Tool broke', group: 'Breakdown', planned: null }],
    rates: [],
  };
  const body = JSON.stringify({ gatewayId: 'pg-tulsa', stream: 'tulsa', digest: 'one', plant: told });
  await expect
    .poll(async () => (await fetch(`${origin}/api/v1/sync/plant`, { method: 'POST', headers, body })).json())
    .toEqual({ isKept: true });
}

it('D-105 has the production of all plants, of one, and of one machine with its stops', {
  timeout: 150_000,
}, async () => {
  await produce(gate);
  const page = await gate.open('/plants', { as: 'admin' });
  // Not the one of the navigation, which is there before the place is.
  await page.getByRole('main').getByRole('link', { name: 'Production' }).click();
  await press(page, 'Today');
  const table = page.getByRole('table').first();
  // Shifts are added up every few seconds, on a busy computer less often: it rests ten times as long as that took.
  await expect
    .poll(
      async () => {
        await page.reload();
        await page.getByText('Added up').waitFor();
        // There is no table until a shift was added up.
        return (await table.allTextContents()).join();
      },
      { timeout: 90_000, interval: 2_000 },
    )
    .toMatch(/pg-tulsa.*300.*Tool broke/);
  await page.getByRole('heading', { name: /Stops cost .* Tool broke most/ }).waitFor();
  // It is new, so it has grown by its whole time.
  expect(await page.locator('.cause').first().textContent()).toMatch(/\+(\d+ h )?\d+ (min|h)before 0 min$/);
  await expectAccessible(page);
  await shoot(page, 'plants-production-1280');
  await table.getByRole('link', { name: 'pg-tulsa' }).click();
  await expect.poll(() => table.textContent()).toMatch(/Ridge line 4.*RF-01/);
  await table.getByRole('link', { name: 'Ridge line 4' }).click();
  await page.getByRole('heading', { name: 'Ridge line 4' }).waitFor();
  await expect.poll(() => page.locator('.log').textContent()).toMatch(/Ridge line 4Tool broke.*Roll 3Ada/);
  expect(await page.getByRole('button', { name: 'Correct' }).count()).toBe(0);
  await press(page, /Tool broke/);
  await page.locator('.hit-list').getByText('Roll 3, Ada').waitFor();
  await expectAccessible(page);
  await shoot(page, 'plants-machine-1280');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await shoot(page, 'plants-machine-390');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

/** The code of the place. */
const CODE = '**/assets/plants-place-*.js';

it('D-104 the code of the place is kept by the browser, and asked for again if it did not come', async () => {
  const page = await gate.open('/', { as: 'admin' });
  await page.route(CODE, (route) => route.abort());
  await gate.follow('/plants');
  await page.reload();
  await gate.expectHeadline('The gateway did not answer. Part of this page was not loaded.');
  await expectAccessible(page);
  await page.unroute(CODE);
  const code = page.waitForResponse(CODE);
  await press(page, 'Load the page again');
  expect((await code).headers()).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': 'text/javascript; charset=utf-8',
  });
  await gate.expectHeadline('3 machines in 2 plants need a person');
  gate.forgive('ERR_FAILED');
  gate.forgive('plants-place');
});

it('D-97 a server without machines of its own opens with Plants', async () => {
  const page = await gate.open('/orders', { as: 'admin' });
  await page.route('**/api/local/machines', (route) => route.fulfill({ json: [] }));
  await page.goto(`${gate.origin}/`);
  await gate.expectHeadline('3 machines in 2 plants need a person');
  const links = page.getByRole('navigation', { name: 'Places' }).first().getByRole('link');
  expect(await links.filter({ hasText: 'Plants' }).getAttribute('aria-current')).toBe('page');
  expect(await links.filter({ hasText: /^(Andon|Stops)/ }).count()).toBe(0);
  await links.filter({ hasText: 'Production' }).click();
  await expect.poll(() => gate.headline()).toMatch(/ good in 7 days/);
  await press(page, 'Today');
  await page.waitForURL(/plants\?production=/);
  expect(await links.filter({ hasText: 'Production' }).getAttribute('aria-current')).toBe('page');
});

it('D-104 the place is not offered where no gateway sends, and its code is not loaded', async () => {
  const page = await gate.open('/', { as: 'admin' });
  await page.route('**/api/local/gateways', (route) => route.fulfill({ json: [] }));
  await page.reload();
  await page.getByRole('link', { name: 'Stops' }).first().waitFor();
  expect(await page.getByRole('link', { name: /^Plants/ }).count()).toBe(0);
  const loaded = await page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/'))",
  );
  expect(loaded.length).toBeGreaterThan(1);
  expect(loaded.filter((url) => url.includes('plants-place'))).toEqual([]);
});

it('D-108 the page of a server with one plant asks for no plants, and its addresses name none', async () => {
  const page = await gate.open('/orders', { as: 'admin' });
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await page.reload();
  await page.getByRole('link', { name: 'Stops' }).first().click();
  await page.waitForURL(`${gate.origin}/stops`);
  expect(calls).toContain('/api/local/session');
  expect(calls.filter((path) => /plant-parts|^\/plant\/|local\/plants/.test(path))).toEqual([]);
  await page.goto(`${gate.origin}/plant/default/stops`);
  await gate.expectHeadline('There is no such place');
});

it('D-97 D-106 a group, and a search among many gateways, narrow the list and not the headline', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'North' })).body as { groupId: string };
  expect((await gate.program.api('PUT', `/fleet/groups/${groupId}/gateways/pg-dayton-02`)).status).toBe(204);
  const page = await gate.open('/plants', { as: 'admin' });
  const table = page.getByRole('table').first();
  const dayton = table.getByRole('link', { name: 'Dayton, Ohio' });
  const boise = table.getByRole('link', { name: 'Boise' });
  await dayton.waitFor();
  const others = Array.from({ length: 8 }, (_, index) => `pg-roof-${index}`);
  for (const gatewayId of others) await sendFirst(gate.origin, gatewayId);
  await page.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'North' });
  await boise.waitFor({ state: 'detached' });
  expect(await dayton.isVisible()).toBe(true);
  expect(await page.getByRole('region', { name: 'Need a person' }).getByRole('row').count()).toBe(2);
  await expectAccessible(page);
  const search = page.getByRole('searchbox', { name: 'Plant or gateway' });
  await search.fill('roof');
  await page.getByText('No gateway is like this').waitFor();
  await shoot(page, 'plants-none-found-1280');
  await page.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'All groups' });
  await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(others);
  await search.fill('ohIO');
  await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(['Dayton, Ohio']);
  expect(await gate.headline()).toBe('3 machines in 2 plants need a person');
  await search.fill('');
  await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(others.length);
  await shoot(page, 'plants-filter-1280');
  await press(page, 'Deutsch');
  await page.getByRole('searchbox', { name: 'Werk oder Gateway' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await shoot(page, 'plants-filter-390');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});
