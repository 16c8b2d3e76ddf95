import { expect } from 'vitest';
import { statusOf } from '../end-to-end/program.ts';
import { type Act, dialog, expectText, expectValue, plant, press, undo } from './acts.ts';
import type { PageUnderTest } from './page-under-test.ts';

export const openTab =
  (tab: string) =>
  ({ page }: PageUnderTest) =>
    page.getByRole('button', { name: tab, exact: true }).click();

/** Opens a form from a tab and fills it. */
const fill = (tab: string, button: string, fields: Readonly<Record<string, string>>) => async (gate: PageUnderTest) => {
  await openTab(tab)(gate);
  await press(gate.page, button);
  for (const [label, text] of Object.entries(fields))
    await dialog(gate.page).getByLabel(label, { exact: true }).fill(text);
};
const send = (button: string) => (page: Parameters<typeof dialog>[0]) =>
  dialog(page).getByRole('button', { name: button, exact: true }).click();
const keeps = (label: string, value: string) => (page: Parameters<typeof dialog>[0]) => expectValue(page, label, value);
const records = (kind: string) => (gate: PageUnderTest) => plant(gate, kind);
const add = (kind: string, record: object) => async (gate: PageUnderTest) =>
  expect((await gate.program.api('POST', `/plant/${kind}`, record)).status).toBe(201);

const PASSWORD = 'rolls and coils';
const OF_ADMIN = { as: 'admin', place: '/admin' } as const;

const PLANT_RECORDS: readonly Act[] = [
  {
    ...OF_ADMIN,
    name: 'a machine added',
    steps: fill('Machines', 'Add machine', { 'Machine id': 'RF-21', 'Name (optional)': 'Line 21' }),
    touch: send('Add machine'),
    kept: keeps('Name (optional)', 'Line 21'),
    method: 'POST',
    path: '/local/plant/machines',
    seen: (page) => expectText(page, 'No message of it came yet'),
    stored: records('machines'),
  },
  {
    ...OF_ADMIN,
    name: 'a machine removed',
    steps: async (gate) => {
      await fill('Machines', 'Change RF-03', { 'Serial number (optional)': 'SN-3' })(gate);
      await press(gate.page, 'Remove this machine');
    },
    touch: send('Remove this machine'),
    kept: keeps('Serial number (optional)', 'SN-3'),
    method: 'DELETE',
    path: '/local/plant/machines/RF-03',
    seen: (page) => expectText(page, 'RF-03 is removed'),
    stored: records('machines'),
  },
  {
    ...OF_ADMIN,
    name: 'a device that is not set up, dismissed',
    prepare: (gate) => gate.program.device('status', statusOf({ machineId: 'X-1' })),
    touch: (page) => press(page, 'Dismiss X-1'),
    method: 'POST',
    path: '/local/diagnostics/dismissals',
    seen: (page) => page.getByRole('region', { name: 'Not set up X-1' }).waitFor({ state: 'detached' }),
    stored: async ({ program }) =>
      /"isDismissed":true/.test(JSON.stringify((await program.api('GET', '/diagnostics')).body)),
  },
  {
    ...OF_ADMIN,
    name: 'a reason added',
    steps: fill('Reasons', 'Add reason', { Id: 'DT-20', Reason: 'No truck', Group: 'Material' }),
    touch: send('Add reason'),
    kept: keeps('Reason', 'No truck'),
    method: 'POST',
    path: '/local/plant/downtimeReasons',
    seen: (page) => page.getByRole('row', { name: /No truck/ }).waitFor(),
    stored: records('downtimeReasons'),
  },
  {
    ...OF_ADMIN,
    name: 'an archived reason brought back',
    prepare: add('downtimeReasons', { id: 'DT-31', reason: 'Snow', group: 'Weather' }),
    steps: async (gate) => {
      await openTab('Reasons')(gate);
      await press(gate.page, 'Archive Snow');
      await gate.page.getByRole('row', { name: /Snow archived/ }).waitFor();
    },
    touch: undo,
    method: 'PUT',
    path: '/local/plant/downtimeReasons/DT-31',
    seen: (page) => page.getByRole('button', { name: 'Archive Snow' }).waitFor(),
    stored: records('downtimeReasons'),
  },
  {
    ...OF_ADMIN,
    name: 'a removed location brought back',
    prepare: add('locations', { code: 'WH-31', name: 'Rack 31', category: 'Bin' }),
    steps: async (gate) => {
      await openTab('Locations')(gate);
      await press(gate.page, 'Remove Rack 31');
      await gate.page.getByRole('row', { name: /Rack 31/ }).waitFor({ state: 'detached' });
    },
    touch: undo,
    method: 'POST',
    path: '/local/plant/locations',
    seen: (page) => page.getByRole('row', { name: /Rack 31/ }).waitFor(),
    stored: records('locations'),
  },
];

const PEOPLE_AND_KEYS: readonly Act[] = [
  {
    ...OF_ADMIN,
    name: 'a person changed',
    prepare: add('users', { name: 'lee', role: 'viewer', password: PASSWORD }),
    steps: async (gate) => {
      await fill('People', 'Change lee', { Badge: '4711' })(gate);
      await gate.page.getByLabel('May').selectOption('technician');
    },
    touch: send('Change'),
    kept: keeps('Badge', '4711'),
    method: 'PUT',
    path: '/local/plant/users/lee',
    seen: (page) => page.getByRole('row', { name: /lee.*Technician/ }).waitFor(),
    stored: records('users'),
  },
  {
    ...OF_ADMIN,
    name: 'a person signed out everywhere',
    prepare: async ({ origin, program }) => {
      await program.api('POST', '/plant/users', { name: 'max', role: 'technician', password: PASSWORD });
      const body = JSON.stringify({ name: 'max', password: PASSWORD });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${origin}/api/local/session`, { method: 'POST', headers, body })).status).toBe(200);
    },
    steps: openTab('People'),
    touch: (page) => press(page, 'Sign out max'),
    method: 'DELETE',
    path: '/local/people/max/sessions',
    seen: (page) => expectText(page, 'max is signed out everywhere'),
    stored: async ({ program }) => {
      const { people } = (await program.api('GET', '/people')).body;
      return people.find(({ name }: { readonly name: string }) => name === 'max').sessions;
    },
  },
  {
    ...OF_ADMIN,
    name: 'a key revoked',
    prepare: add('apiKeys', { principal: 'old', key: 'old-key-0123456789012', role: 'viewer' }),
    steps: async (gate) => {
      await openTab('Keys')(gate);
      await press(gate.page, 'Revoke old');
    },
    touch: send('Revoke'),
    method: 'DELETE',
    path: '/local/plant/apiKeys/*',
    seen: (page) => page.getByRole('cell', { name: 'old', exact: true }).waitFor({ state: 'detached' }),
    stored: records('apiKeys'),
  },
];

const audited =
  (act: string) =>
  async ({ program }: PageUnderTest) =>
    JSON.stringify((await program.api('GET', `/audit?q=${act}`)).body).split(`"${act}"`).length;

const GATEWAY: readonly Act[] = [
  {
    ...OF_ADMIN,
    name: 'shifts kept',
    steps: async (gate) => {
      await openTab('Shifts and server')(gate);
      await gate.page.getByLabel('Shift 1', { exact: true }).fill('Early');
    },
    touch: (page) => press(page, 'Keep it'),
    kept: keeps('Shift 1', 'Early'),
    method: 'PUT',
    path: '/local/settings',
    seen: (page) => expectText(page, 'It is kept'),
    stored: async ({ program }) => (await program.api('GET', '/settings')).body.shifts,
  },
  {
    ...OF_ADMIN,
    name: 'the log level chosen',
    steps: openTab('Backup'),
    touch: (page) => page.getByLabel('How much is logged').selectOption('debug'),
    kept: keeps('How much is logged', 'info'),
    method: 'PUT',
    path: '/local/log-level',
    seen: keeps('How much is logged', 'debug'),
    stored: async ({ program }) => (await program.api('GET', '/log-level')).body,
  },
  {
    ...OF_ADMIN,
    name: 'a backup taken',
    steps: openTab('Backup'),
    touch: (page) => press(page, 'Back up now'),
    method: 'POST',
    path: '/local/backups',
    seen: (page) => expectText(page, 'The backup is taken and verified'),
    stored: async ({ program }) => (await program.api('GET', '/backups')).body,
  },
  {
    ...OF_ADMIN,
    name: 'a support bundle downloaded',
    steps: openTab('Backup'),
    touch: (page) => press(page, 'Download the support bundle'),
    method: 'POST',
    path: '/local/support-bundle',
    seen: (page) => expectText(page, 'The support bundle is among your downloads'),
    stored: audited('takeSupportBundle'),
  },
];

/** The person who acts is signed out at the end. */
const SESSIONS: readonly Act[] = (
  [
    ['signing out', 'Sign out admin', '/local/session'],
    ['signing out everywhere', 'Sign out everywhere', '/local/session?everywhere=true'],
  ] as const
).map(([name, button, path]) => ({
  as: 'admin',
  place: '/more',
  name,
  touch: (page) => press(page, button),
  method: 'DELETE',
  path,
  seen: (page) => expectText(page, 'Who is there?'),
  stored: audited('signOut'),
}));

export const ADMINISTRATION: readonly Act[] = [...PLANT_RECORDS, ...PEOPLE_AND_KEYS, ...GATEWAY, ...SESSIONS];
