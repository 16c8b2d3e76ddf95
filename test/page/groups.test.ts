import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { writeUpdate } from '../../build/update-archive.ts';
import { NEWEST_SCHEMA } from '../../src/adapters/store/thread/database/migrations.ts';
import { installationIn } from '../../src/cli/commands/service/installation.ts';
import { updatePlaces } from '../../src/cli/commands/update/update-places.ts';
import { NODE_COMPILE_CACHE } from '../end-to-end/program.ts';
import { EMPTY_BATCH, packed, points } from '../fakes/batch-sender.ts';
import { HEALTHY } from '../fakes/gateway-health.ts';
import { dialog, press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { type PageUnderTest, PLANT, usePage } from './page-under-test.ts';

const KEY = 'line-key-01234567890';
const apiKeys = [...PLANT.apiKeys, { principal: 'plants', key: KEY, role: 'gateway' }];
const users = [...PLANT.users, { name: 'sue', role: 'supervisor', password: 'rolls and coils' }];
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const computer = mkdtempSync(path.join(tmpdir(), 'plantgate-groups-'));
const environment = { ...process.env, NODE_COMPILE_CACHE, APPLYING_ROOT: computer };
const plant = JSON.stringify({ ...PLANT, apiKeys, users });
const gate = usePage('leave', { plant, atHand: true, environment }, beginToSend);

const GATEWAYS = ['pg-boise-01', 'pg-dayton-02', 'pg-monterrey-standing-seam-hall-b'] as const;
const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };

async function beginToSend({ origin }: PageUnderTest): Promise<void> {
  const { trustedKeys } = updatePlaces(installationIn(computer));
  mkdirSync(path.dirname(trustedKeys), { recursive: true });
  writeFileSync(trustedKeys, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  for (const gatewayId of GATEWAYS) {
    const body = packed({ ...EMPTY_BATCH, gatewayId, points: [points(1)] }).json;
    expect((await fetch(`${origin}/api/v1/sync`, { method: 'POST', headers, body })).status).toBe(200);
  }
  for (const gatewayId of GATEWAYS) await tell(gatewayId, null);
}

/** Reports what a gateway tells about its plan. */
async function tell(gatewayId: string, plan: object | null, more: object = {}): Promise<void> {
  const body = JSON.stringify({ gatewayId, stream: EMPTY_BATCH.stream, health: { ...HEALTHY, plan, ...more } });
  const send = async () => {
    const answer = await fetch(`${gate.origin}/api/v1/sync/health`, { method: 'POST', headers, body });
    return ((await answer.json()) as { readonly isKept: boolean }).isKept;
  };
  while (!(await send())) await delay(250);
}

/** A change by somebody else within a second before the page is loaded counts as not seen, and is then refused. */
async function openGroup(groupId: string): Promise<Page> {
  await delay(1_100);
  return gate.open(`/plants?groups=${groupId}`, { as: 'admin' });
}

it('D-106 a person makes a group, gives it a plan, looks at its effect and rolls it out', async () => {
  const page = await gate.open('/plants', { as: 'admin' });
  await page.getByRole('link', { name: 'Groups' }).click();
  await gate.expectHeadline('There are no groups yet');
  await page.getByText('the same reasons, parts, people, keys and shifts').waitFor();
  await expectAccessible(page);
  await press(page, 'New group');
  await page.getByRole('textbox', { name: 'Name' }).fill('North');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'New group' }).click();
  await gate.expectHeadline('No plan is rolled out yet');
  await page.getByRole('link', { name: 'North' }).click();
  await gate.expectHeadline('North');
  for (const gatewayId of GATEWAYS) {
    await page.getByRole('combobox', { name: 'Add a gateway' }).selectOption({ label: gatewayId });
    await press(page, 'Add');
    await page.getByRole('link', { name: gatewayId }).waitFor();
  }
  expect(await page.getByRole('combobox').count()).toBe(0);

  await press(page, 'New version');
  await dialog(page).getByRole('switch', { name: 'People' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('reasons of 2026');
  await expectAccessible(page);
  await shoot(page, 'group-new-version-1280');
  await press(page, 'Keep this version');
  await page.getByText('reasons of 2026').waitFor();
  const [group] = (await gate.program.api('GET', '/fleet/groups')).body;
  const { plan } = (await gate.program.api('GET', `/fleet/groups/${group.groupId}/versions/1`)).body;
  expect(Object.keys(plan)).toEqual(['downtimeReasons', 'users']);

  await press(page, /^Ask the gateways/);
  await page.getByRole('heading', { name: 'What version 1 would change' }).waitFor();
  const told = { groupId: group.groupId, version: null, appliedForMs: null, refused: null };
  const nothing = { deviationCount: 0, deviations: [], preview: null };
  const changes = [
    { kind: 'downtimeReasons', id: 'DT-01', change: 'update', fields: ['reason'] },
    { kind: 'users', id: 'ada', change: 'create', fields: ['name', 'role'] },
  ];
  await tell(GATEWAYS[0], { ...told, ...nothing, preview: { version: 1, faults: [], changeCount: 9, changes } });
  await tell(GATEWAYS[1], {
    ...told,
    ...nothing,
    preview: { version: 1, faults: ['users: found 1001 records, expected at most 1000'], changeCount: 0, changes: [] },
  });
  await page.getByText('and 7 more').waitFor();
  await page.getByText('found 1001 records').waitFor();
  await page.getByText('No answer yet').waitFor();
  await expectAccessible(page);
  await shoot(page, 'group-preview-1280');

  await press(page, /^Roll out/);
  await dialog(page).getByText('Each gateway applies it as a whole').waitFor();
  await dialog(page).getByRole('button', { name: 'Roll out' }).click();
  await page.getByText('0 of 3 have version 1').waitFor();
  const deviations = [
    { kind: 'downtimeReasons', id: 'DT-09', why: 'edited', fields: ['reason'] },
    { kind: 'machines', id: 'RF-77', why: 'absent', fields: [] },
  ];
  await tell(GATEWAYS[0], { ...told, ...nothing, version: 1, appliedForMs: 60_000 });
  await tell(GATEWAYS[2], { ...told, version: 1, appliedForMs: 5_000, deviationCount: 2, deviations, preview: null });
  await tell(GATEWAYS[1], {
    ...told,
    ...nothing,
    refused: { version: 1, faults: ['users: found 1001 records, expected at most 1000'] },
  });
  await page.getByText('2 of 3 have version 1').waitFor();
  await page.getByText('Differs: 2').click();
  await page.getByText('RF-77').waitFor();
  await expectAccessible(page);
  await shoot(page, 'group-1280');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await shoot(page, 'group-390');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1_280, height: 800 });
  await press(page, 'Deutsch');
  await page.getByText('Weicht ab: 2').waitFor();
  await expectAccessible(page);
  await shoot(page, 'group-de-dark-1280');
  await page.getByRole('link', { name: 'Gruppen' }).click();
  await gate.expectHeadline('Ohne die Vorgaben ihrer Gruppe: 1');
  await expectAccessible(page);
  await shoot(page, 'groups-de-dark-1280');
});

it('D-106 versions are compared, a gateway leaves, and a group is renamed and removed', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'South' })).body;
  const group = `/fleet/groups/${groupId}`;
  await gate.program.api('PUT', `${group}/gateways/${GATEWAYS[0]}`);
  for (const reason of ['Flood', 'Fire']) {
    await gate.program.api('POST', `${group}/versions`, { downtimeReasons: [{ id: 'DT-60', reason }] });
  }
  await gate.program.api('PUT', `${group}/rollOut`, { version: 1 });
  const page = await openGroup(groupId);
  await press(page, 'Compare version 2');
  await dialog(page).getByText('(reason)').waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await press(page, /^Take out/);
  await dialog(page).getByRole('button', { name: 'Take out' }).click();
  await expect.poll(() => page.getByRole('link', { name: GATEWAYS[0] }).count()).toBe(0);
  await press(page, 'Change the name');
  await page.getByRole('textbox', { name: 'Name' }).fill('Far south');
  await press(page, 'Save');
  await gate.expectHeadline('Far south');
  await press(page, 'Remove this group');
  await dialog(page).getByRole('button', { name: 'Remove this group' }).click();
  await expect.poll(async () => (await gate.program.api('GET', group)).status).toBe(404);
  await expect.poll(() => page.getByText('Far south').count()).toBe(0);
  // The page may ask for its update before the answer to its removal has come.
  gate.forgive('404 (Not Found)');
});

it('D-106 a double click on the answer of a question is one click, though an act lies behind it', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'W'.repeat(60) })).body;
  const group = `/fleet/groups/${groupId}`;
  await gate.program.api('PUT', `${group}/gateways/${GATEWAYS[1]}`);
  await gate.program.api('POST', `${group}/versions`, { downtimeReasons: [{ id: 'DT-60', reason: 'Flood' }] });
  const page = await openGroup(groupId);
  await press(page, 'Roll out version 1');
  await dialog(page).getByText('Roll out version 1 to 1 gateway?').waitFor();
  const remove = page.locator('button', { hasText: 'Remove this group' });
  const answer = dialog(page).getByRole('button', { name: 'Roll out' });
  // The sheet lies at the lower edge: the window gets as tall as brings the act behind the answer.
  const middleOf = async (button: Locator) => {
    const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    return { x: x + width / 2, y: y + height / 2 };
  };
  const taller = (await middleOf(remove)).y - (await middleOf(answer)).y;
  await page.setViewportSize({ width: 1_280, height: Math.round(800 + taller) });
  const at = await middleOf(remove);
  const hit = () => page.evaluate(`document.elementFromPoint(${at.x}, ${at.y}).closest('button')?.textContent`);
  expect(await hit()).toBe('Roll out');
  await page.mouse.dblclick(at.x, at.y, { delay: 30 });
  await page.getByText('0 of 1 have version 1').waitFor();
  // It lies there once the page has drawn all that came of the act.
  await expect.poll(hit).toBe('Remove this group');
  expect(await page.locator('dialog').count()).toBe(0);
  // A further click is a click of its own, and a name without a blank is broken.
  await page.mouse.click(at.x, at.y);
  await page.setViewportSize({ width: 390, height: 844 });
  await dialog(page).getByText('Remove WWW').waitFor();
  await shoot(page, 'group-remove-390');
  expect(await page.evaluate("document.querySelector('dialog').scrollWidth")).toBe(390);
  await gate.program.api('POST', '/fleet/groups', { name: 'No plan' });
  await page.goto(`${gate.origin}/plants?groups=`);
  await page.getByText('Groups without a plan: 1.').waitFor();
  expect(await gate.headline()).toMatch(/^Without the plan of their group: \d/);
  await page.goto(`${gate.origin}/plants?groups=${groupId}`);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await press(page, 'Deutsch');
  await page.setViewportSize({ width: 390, height: 844 });
  await gate.program.api('POST', `${group}/versions`, { downtimeReasons: [{ id: 'DT-60', reason: 'Fire' }] });
  await press(page, 'Verteilen Version 2');
  await dialog(page).getByText('Version 2 an ein Gateway verteilen?').waitFor();
  await shoot(page, 'group-roll-out-de-390');
});

it('D-106 a supervisor sees groups and changes nothing', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'West' })).body;
  const page = await gate.open(`/plants?groups=${groupId}`, { as: 'sue' });
  await gate.expectHeadline('West');
  await page.getByText('No version yet').waitFor();
  for (const name of ['New version', 'Change the name', 'Remove this group', 'Add']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
});

it('D-112 a person gives a group the shifts of this server, and sees where they do not count yet', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'Shifts' })).body;
  const group = `/fleet/groups/${groupId}`;
  const [first, second] = GATEWAYS;
  for (const gatewayId of [first, second]) await gate.program.api('PUT', `${group}/gateways/${gatewayId}`);
  const page = await openGroup(groupId);
  const shifts = dialog(page).getByRole('switch', { name: 'Shifts' });
  const reasons = dialog(page).getByRole('switch', { name: /^Reasons \(\d+\)$/ });
  await press(page, 'New version');
  await dialog(page).getByText('This server has no shifts of its own').waitFor();
  expect(await shifts.isDisabled()).toBe(true);
  expect(await reasons.isChecked()).toBe(true);
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Close' }).click();

  const day = { name: 'Day', start: '06:00', breaks: [{ start: '09:00', minutes: 15 }] };
  const own = {
    shifts: [day, { name: 'Night', start: '18:30' }],
    daysOff: [{ date: '2026-12-25', name: 'Christmas' }],
  };
  const kept = await gate.program.api('PUT', '/settings', { shifts: { timeZone: 'America/Boise', ...own } });
  expect(kept.status).toBe(200);
  await press(page, 'New version');
  await shifts.click();
  await dialog(page).getByText('Day 06:00, Night 18:30, in the time zone of each gateway').waitFor();
  await expectAccessible(page);
  await shoot(page, 'group-new-version-shifts-1280');
  await press(page, 'Keep this version');
  await page.getByRole('cell', { name: /^version 1/ }).waitFor();
  expect((await gate.program.api('GET', `${group}/versions/1`)).body.plan).toMatchObject({ shifts: own });
  expect((await gate.program.api('GET', `${group}/versions/1`)).body.plan.shifts.timeZone).toBeUndefined();

  // The parts of the newest version are chosen again, and the same plan makes no further version.
  await press(page, 'New version');
  await expect.poll(() => shifts.isChecked()).toBe(true);
  await reasons.click();
  await dialog(page).getByText('The newest version also has: Reasons').waitFor();
  await reasons.click();
  await press(page, 'Keep this version');
  await page.getByText('It is equal to the newest version').waitFor();
  await press(page, 'Close');
  expect((await gate.program.api('GET', `${group}/versions`)).body).toHaveLength(1);

  await press(page, 'Compare version 1');
  await dialog(page).getByText('Shifts, new').waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await press(page, 'Ask the gateways version 1');
  await page.getByRole('heading', { name: 'What version 1 would change' }).waitFor();
  const told = { groupId, version: null, appliedForMs: null, refused: null, deviationCount: 0, deviations: [] };
  const shiftsPart = { kind: 'shifts', id: 'shifts' };
  const changes = [{ ...shiftsPart, change: 'update', fields: ['timeZone', 'shifts', 'daysOff'] }];
  await tell(first, { ...told, preview: { version: 1, faults: [], changeCount: 1, changes } });
  await page.getByText('Shifts, changed (time zone, times and breaks, days off)').waitFor();

  await press(page, 'Roll out version 1');
  await dialog(page).getByRole('button', { name: 'Roll out' }).click();
  await page.getByText('0 of 2 have version 1').waitFor();
  const applied = { ...told, version: 1, appliedForMs: 1_000, preview: null, deviationCount: 1 };
  await tell(first, { ...applied, deviations: [{ ...shiftsPart, why: 'restart', fields: ['shifts'] }] });
  await tell(second, { ...applied, deviations: [{ ...shiftsPart, why: 'fixed', fields: ['shifts'] }] });
  await page.getByText('2 of 2 have version 1').waitFor();
  for (const summary of await page.getByText('Differs: 1').all()) await summary.click();
  await page.getByText('Shifts, from its next start on').waitFor();
  await page.getByText('Shifts, set by its configuration').waitFor();
  await press(page, 'Deutsch');
  await page.getByText('Schichten, ab seinem nächsten Start').waitFor();
  await page.getByText('Schichten, von seiner Konfiguration bestimmt').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await press(page, 'Neue Version');
  await dialog(page).getByText('in der Zeitzone jedes Gateways').waitFor();
  await expectAccessible(page);
  await shoot(page, 'group-new-version-shifts-de-390');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

it('D-107 an update is sent, given to a gateway first, and stops when that fails; a person goes on', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'East' })).body;
  const [first, second] = GATEWAYS;
  for (const gatewayId of [first, second])
    await gate.program.api('PUT', `/fleet/groups/${groupId}/gateways/${gatewayId}`);
  const report = { arch: 'x64', obstacle: null, upForMs: 1_000, taken: null };
  const tellBoth = async (taken: object | null) => {
    await tell(first, null, { update: { ...report, taken } });
    await tell(second, null, { update: report });
  };
  const file = path.join(computer, 'plantgate-77.0.0-linux-x64.update');
  const binary = path.join(computer, 'program');
  writeFileSync(binary, 'a program '.repeat(40_000));
  const made = { version: '77.0.0', arch: 'x64', schema: NEWEST_SCHEMA, created: new Date(0) };
  await writeUpdate(file, { ...made, binary }, privateKey);
  const page = await openGroup(groupId);
  await page.getByText('This group had no update yet.').waitFor();
  await press(page, 'Give an update');
  await page.getByText('No update was sent yet.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Send a file').setInputFiles(file);
  await page.getByRole('combobox', { name: 'Update' }).waitFor();
  await page.getByRole('combobox', { name: 'First' }).selectOption({ label: first });
  await expectAccessible(page);
  await shoot(page, 'group-update-begin-1280');
  await tellBoth(null);
  await press(page, 'Begin');
  await page.getByText('Version 77.0.0 is on its way').waitFor();
  const update = async () => (await gate.program.api('GET', `/fleet/groups/${groupId}/update`)).body.update;
  await expect.poll(async () => (await update()).gateways[0].standing, { timeout: 40_000 }).toBe('taking');
  const target = await fetch(
    `${gate.origin}/api/v1/sync/plan?${new URLSearchParams({ gatewayId: first, stream: EMPTY_BATCH.stream })}`,
    { headers },
  );
  const { updateId } = ((await target.json()) as { readonly update: { readonly updateId: string } }).update;
  await tellBoth({ updateId, state: 'fetching', receivedBytes: 200_000, reason: '' });
  await page.getByText('49 % received').waitFor();
  await shoot(page, 'group-update-1280');
  await tellBoth({ updateId, state: 'failed', receivedBytes: 0, reason: 'rolledBack: it did not serve' });
  await page.getByText('Version 77.0.0 has stopped').waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.getByText('Version 77.0.0 has stopped').scrollIntoViewIfNeeded();
  await shoot(page, 'group-update-390');
  await press(page, 'Go on without the failed ones');
  await page.getByText('Version 77.0.0 is on its way').waitFor();
  await press(page, 'Stop');
  await page.getByText('Version 77.0.0 has stopped').waitFor();
}, 120_000);

it('D-107 an update that its first gateway cannot take is refused, or stops, and a person goes on without a trial', async () => {
  const { groupId } = (await gate.program.api('POST', '/fleet/groups', { name: 'South' })).body;
  const [first, second] = GATEWAYS;
  for (const gatewayId of [first, second])
    await gate.program.api('PUT', `/fleet/groups/${groupId}/gateways/${gatewayId}`);
  const able = { arch: 'x64', obstacle: null, upForMs: 1_000, taken: null };
  const packaged = { update: { ...able, obstacle: 'package' } };
  /** Tells it, and waits until the server judges by it: it looks every few seconds. */
  const tellFirst = async (openAlerts: number, more: object) => {
    await tell(first, null, { ...more, openAlerts });
    const seen = async () => {
      const { body } = await gate.program.api('GET', '/gateways');
      return body.find(({ gatewayId }: { gatewayId: string }) => gatewayId === first).health.openAlerts;
    };
    await expect.poll(seen, { timeout: 20_000 }).toBe(openAlerts);
  };
  await tell(second, null, { update: able });
  await tellFirst(11, packaged);
  const page = await openGroup(groupId);
  await press(page, 'Give an update');
  await page.getByRole('combobox', { name: 'First' }).selectOption({ label: first });
  await press(page, 'Begin');
  await page.getByText('a package updates it').waitFor();
  gate.forgive('status of 409');
  await expectAccessible(page);
  await shoot(page, 'group-update-refused-1280');
  // It has told nothing of updates, so it is waited for.
  await tellFirst(12, {});
  await press(page, 'Begin');
  await page.getByText('Version 77.0.0 is on its way').waitFor();
  const update = async () => (await gate.program.api('GET', `/fleet/groups/${groupId}/update`)).body.update;
  await tell(first, null, packaged);
  await page.getByText('Version 77.0.0 has stopped').waitFor();
  await page.getByText(`${first}: it was to get it first and cannot take it`).waitFor();
  expect((await update()).gateways[1].standing).toBe('waiting');
  await press(page, 'Deutsch');
  await page.getByText(`${first}: sollte sie zuerst bekommen und kann sie nicht nehmen`).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.getByText('Version 77.0.0 ist angehalten').scrollIntoViewIfNeeded();
  await shoot(page, 'group-update-untried-de-390');
  await press(page, 'Weiter ohne Probe');
  await expect.poll(async () => (await update()).gateways[1].standing, { timeout: 40_000 }).toBe('taking');
}, 120_000);
