import { afterAll, beforeAll, expect, it } from 'vitest';
import { Calls } from './calls.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

/** Ways to run a script that a page which took text as HTML would fall for, and texts that break out of quotes. */
const BREAK_OUTS = ['', '">', "'>", '</script>', '</title>', '</textarea>', '-->', ']]>', '`', '{{', '${'];
const PAYLOADS = [
  '<script>broken()</script>',
  '<img src=x onerror=broken()>',
  '<svg onload=broken()>',
  '<iframe srcdoc="<script>parent.broken()</script>">',
  '<a href="javascript:broken()">x</a>',
  '<details open ontoggle=broken()>',
  '<input autofocus onfocus=broken()>',
  '<body onload=broken()>',
  'javascript:broken()//',
  '<math><mtext></mtext><mglyph><style><img src=x onerror=broken()>',
];
const TEXTS = BREAK_OUTS.flatMap((before) => PAYLOADS.map((payload) => before + payload)).slice(0, 100);

const PROFILE = 'profile/6f2f3f36-6d0c-4a3b-9d3c-0b6f3f1d2a01';

let gate: PageUnderTest;
beforeAll(async () => {
  const plant = {
    ...PLANT,
    machines: TEXTS.map((name, place) => ({
      machineId: `X-${place}`,
      name,
      topicRoot: `plant1/x-${place}`,
      variables: ['speed'],
      variableDetails: [{ name: 'speed', label: name.slice(0, 60), unit: name.slice(0, 20) }],
    })),
    parts: TEXTS.map((partName, place) => ({ partId: `${place} ${partName}`.slice(0, 120), partName })),
    downtimeReasons: TEXTS.map((reason, place) => ({ id: `${place}`, reason, group: reason })),
    locations: [
      ...PLANT.locations,
      ...TEXTS.map((name, place) => ({ code: `L-${place}`, name, category: 'Warehouse' })),
    ],
    coils: TEXTS.map((text, place) => ({
      coilId: `C-${place}`,
      location: 'WH-A1',
      color: text,
      materialType: text,
      description: text,
      heatNumber: text,
    })),
    tasks: PLANT.tasks.map((task) => ({ ...task, machineId: 'X-0' })),
    profiles: TEXTS.slice(0, 10).map((text, place) => ({
      profileId: `6f2f3f36-6d0c-4a3b-9d3c-0b6f3f1d2a${String(place).padStart(2, '0')}`,
      profileName: `${place} ${text}`.slice(0, 100),
      description: text,
      owningCatalogId: 1,
      category: text,
      subCategory: text,
      paintedSide: 'Positive',
      features: [{ type: 'Straight', length: 3, name: text }],
    })),
    orders: TEXTS.slice(0, 30).map((text, place) => ({
      documentID: `DOC-${place}`,
      orderCode: `${place} ${text}`,
      customer: { name: text },
      schedule: { requiredDateTime: '2026-11-25T11:19:00Z' },
      products: [],
    })),
    users: [
      { name: 'admin', role: 'admin', password: 'rolls and coils' },
      ...TEXTS.slice(0, 5).map((name) => ({ name, role: 'technician', password: 'rolls and coils' })),
    ],
  };
  gate = await PageUnderTest.start({ plant: JSON.stringify(plant) });
}, 90_000);
afterAll(() => gate.end());

/** Gives each stop a note and a user name that are scripts. */
async function noteStops(): Promise<void> {
  const { body } = await gate.program.api('GET', '/downtimes?limit=10');
  if (!Array.isArray(body)) throw new Error('no stops');
  for (const [place, text] of TEXTS.slice(20, 20 + body.length).entries()) {
    const { downtimeId } = Object(body[place]);
    const category = { reasonId: '1', note: text, userName: text };
    const { status } = await gate.program.api('PUT', `/downtimes/${downtimeId}/category`, category);
    expect(status).toBe(200);
  }
}

it('100 stored scripts as names, ids, notes and messages are shown as text in every place', async () => {
  expect(TEXTS).toHaveLength(100);
  for (const [place, text] of TEXTS.slice(0, 10).entries()) {
    const part = { partId: `${place} ${text}`.slice(0, 120), jobNumber: text, userId: text };
    await gate.say(`X-${place}`, { ...part, running: true });
    await gate.program.device('vars', { machineId: `X-${place}`, speed: 5 });
    await gate.say(`X-${place}`, { ...part, running: false, fault: true });
  }
  await noteStops();
  const page = await gate.open('/', { as: 'admin' });
  const calls = new Calls(page);
  await page.evaluate('window.broken = () => { window.isBroken = true; }');
  const places = [
    '',
    '?tv',
    'stops',
    'machine/X-1',
    'machine/X-5',
    'machine/X-1/part',
    PROFILE,
    'coils',
    'coil/C-7',
    'tasks',
  ];
  for (const place of [...places, 'orders', 'profiles', 'sync', 'events', 'admin', 'more']) {
    await page.goto(`${gate.origin}/${place}`);
    await page.evaluate('window.broken = () => { window.isBroken = true; }');
    await page.locator('.stage, .tv').waitFor();
    // By then the place has loaded its records.
    await calls.expectQuiet();
    expect(`${place} ${await page.evaluate('window.isBroken === true')}`).toBe(`${place} false`);
    const foreign =
      'main script, main iframe, main img[src=x], main [onerror], main [onload], main a[href^="javascript:"]';
    expect(`${place} ${await page.locator(foreign).count()}`).toBe(`${place} 0`);
  }
  await page.goto(`${gate.origin}/`);
  await page
    .getByText(TEXTS[1] ?? '', { exact: true })
    .first()
    .waitFor();
});
