import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { failCalls, press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, PROFILE, usePage } from './page-under-test.ts';

/** Location codes as warehouses have them, and the longest that is usual. */
const CODES = ['STAGING-2', 'RACK-A1-03', 'WH-NORTH-A1-03', 'WAREHOUSE-NORTH-RACK-A1-LEVEL-3'];
/** A word of 35 letters, as long as some that people type. */
const WORD = 'Werkzeugeinstellungsnachbearbeitung';
/** An id as long as a program may make it. */
const LONG_MACHINE = `RF-${'M'.repeat(40)}`;
const LONG_PROFILE = 'W'.repeat(77);
const HELD = 7;

const [task] = PLANT.tasks;
const [coil] = PLANT.coils;
const [profile] = PLANT.profiles;

/** The plant of the other tests, and texts that are long or have no blanks. */
const LONG_PLANT = {
  ...PLANT,
  locations: [
    ...PLANT.locations,
    ...CODES.map((code) => ({ code, name: `Place ${code.toLowerCase()}`, category: 'Warehouse' })),
  ],
  machines: [
    ...PLANT.machines,
    { machineId: LONG_MACHINE, name: 'Verylongmachinename'.repeat(6), topicRoot: 'plant1/long' },
    ...Array.from({ length: HELD }, (_, at) => ({
      machineId: `LM-${at}`,
      name: `Standing seam line ${at}`,
      topicRoot: `plant1/lm-${at}`,
    })),
  ],
  coils: [
    ...PLANT.coils,
    ...CODES.map((location, at) => ({ ...coil, coilId: `COIL-2026-11-27-00012345${at}-GALV`, location })),
  ],
  tasks: [
    ...PLANT.tasks,
    ...CODES.map((sourceLocation, at) => ({
      ...task,
      taskId: `T-2026-11-27-00045${at}`,
      sourceLocation,
      destinationLocation: CODES[(at + 1) % CODES.length],
      preferredCoilIds: [`COIL-2026-11-27-00012345${at}-GALV`],
    })),
  ],
  profiles: [{ ...profile, profileName: LONG_PROFILE }],
  downtimeReasons: [...PLANT.downtimeReasons, { id: 'DT-09', reason: `${WORD} wegen Kante`, group: WORD }],
};

const PHONE = { width: 390, height: 844 };

/** Places with long texts, and what is there once they are loaded. */
const PLACES = [
  ['/stops', '[aria-label="Stillstände der letzten 24 Stunden"] .opt'],
  [`/machine/${LONG_MACHINE}`, '.facts'],
  ['/machine/RF-02/part', '.reason'],
  ['/tasks', '.task'],
  ['/task/T-2026-11-27-000452', '.route'],
  ['/coils', '.found .opt'],
  ['/coil/COIL-2026-11-27-000123452-GALV', '.steps'],
  ['/profiles', '.shape'],
  [PROFILE, '#profile-profileName'],
  ['/admin', '.tab'],
] as const;

/** Texts that run out of their boxes, and main buttons and places out of the screen. */
const SPILLED = `{
  const outside = (box, { left, right }) => {
    const { left: from, right: to } = box.getBoundingClientRect();
    return to > from && (from < left - 1 || to > right + 1);
  };
  const all = (selector) => [...document.querySelectorAll(selector)];
  [
    ...all('.stop b').filter((box) => box.scrollWidth > box.clientWidth + 1),
    ...all('.place > span:not(.n)').filter((box) => outside(box, box.parentElement.getBoundingClientRect())),
    ...all('.btn-main, .dock .place, dialog, .toast > *').filter((box) => outside(box, { left: 0, right: innerWidth })),
  ].map(({ textContent }) => textContent).concat(
    document.documentElement.scrollWidth > innerWidth ? 'the page is ' + document.documentElement.scrollWidth + ' px wide' : [],
  );
}`;

/** A larger text size of the browser. */
const enlarge = (px: number) => `document.documentElement.style.fontSize = '${px}px'`;

const gate = usePage('leave', { plant: JSON.stringify(LONG_PLANT) }, async (gate) => {
  await gate.plantAtWork();
  await holdMachines();
});

/** Machines with long names wait for a reason. */
async function holdMachines(): Promise<void> {
  const held = Array.from({ length: HELD }, (_, at) => `LM-${at}`);
  for (const machineId of [LONG_MACHINE, ...held])
    for (const running of [true, false]) await gate.say(machineId, { partId: 'P-100', running });
}

const spilled = () => gate.page.evaluate(SPILLED);

async function openPhone(place: string, options: BrowserContextOptions & { readonly as?: string } = {}): Promise<void> {
  await gate.open(place, { viewport: PHONE, ...options });
}

describe('long texts and large letters stay within the screen', () => {
  it.each([
    [390, 844, 16],
    [390, 844, 24],
    [320, 640, 20],
    [1280, 800, 16],
    [1280, 800, 24],
  ])('%i x %i, letters of %i px', async (width, height, px) => {
    const page = await gate.open('/', { viewport: { width, height }, locale: 'de-DE', as: 'admin' });
    await page.evaluate(enlarge(px));
    for (const [place, loaded] of PLACES) {
      await gate.follow(place);
      await page.locator(loaded).first().waitFor();
      await expect.poll(spilled, { message: place }).toEqual([]);
    }
  });

  it('a refusal that quotes a long value', async () => {
    await openPhone('/admin', { as: 'admin' });
    const { page } = gate;
    await page.getByRole('button', { name: 'Add machine' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Machine id').fill('x'.repeat(300));
    await form.getByRole('button', { name: 'Add machine' }).click();
    await form.getByRole('alert').waitFor();
    // The browser tells the refusal to the console.
    gate.forgive('400');
    expect(await spilled()).toEqual([]);
    await shoot(page, 'form-long-refusal');
  });

  it('a refusal that quotes a long name at the sign-in', async () => {
    const page = await gate.visit('/more', { viewport: PHONE });
    await page.getByLabel(/^Name$/).fill('x'.repeat(300));
    await page.getByLabel('Password').fill('x');
    await page.keyboard.press('Enter');
    await page.locator('.err').waitFor();
    gate.forgive('400');
    expect(await spilled()).toEqual([]);
  });

  it('a long reason, and a note with a right-to-left mark, which turns no other text', async () => {
    await openPhone('/stops');
    const { page } = gate;
    await page.locator('.reason', { hasText: WORD }).click();
    await page.locator('.toast').waitFor();
    expect(await spilled()).toEqual([]);
    const past = page.locator('[aria-label="Stops of the last 24 hours"] .opt', { hasText: WORD });
    await past.click();
    await page.getByLabel('Note, if it needs one').fill('coil \u202ebent 12 34');
    expect(await spilled()).toEqual([]);
    await page.getByRole('button', { name: /Keep the reason/ }).click();
    await past.getByText('bent').waitFor();
    const goesRight = await page.evaluate(`{
      const range = document.createRange();
      const edge = (text, at) => {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      const [stop] = [...document.querySelectorAll('.opt .sub')].filter(({ textContent }) => textContent.endsWith(', pat'));
      const walk = document.createTreeWalker(stop, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()?.data.endsWith('pat') === false);
      const text = walk.currentNode;
      edge(text, text.length - 3) < edge(text, text.length - 1);
    }`);
    expect(goesRight).toBe(true);
  });
});

describe('a telephone in German', () => {
  it('shows the outcome and the whole topic of each message', async () => {
    await openPhone('/machine/RF-01', { locale: 'de-DE' });
    const { page } = gate;
    await page.locator('.messages tr').first().scrollIntoViewIfNeeded();
    const isOneBelowTheOther = await page.evaluate(`{
      const [outcome, topic, text] = ['td:nth-child(3)', 'td button', 'td:last-child'].map((part) =>
        document.querySelector('.messages tr ' + part).getBoundingClientRect());
      outcome.bottom <= topic.top + 1 && topic.bottom <= text.top + 1 && topic.right <= innerWidth;
    }`);
    expect(isOneBelowTheOther).toBe(true);
    await shoot(page, 'machine-messages-390-de');
  });

  it.each([320, 390])('breaks no word in the steps of a task, %i px wide', async (width) => {
    const page = await gate.open('/tasks', { viewport: { width, height: 640 }, locale: 'de-DE' });
    await page.locator('.task .btn').first().click();
    await page.getByText('Angekommen').waitFor();
    const lines = await page.evaluate(`[...document.querySelectorAll('.steps li')].map((step) => {
      const range = document.createRange();
      range.selectNodeContents(step);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    })`);
    expect(lines).toEqual([1, 1, 1]);
    await shoot(page, `task-steps-${width}-de`);
  });
});

describe('the form of a profile', () => {
  it.each(['light', 'dark'] as const)('shows the number that is being typed (%s)', async (colorScheme) => {
    await gate.open(PROFILE, { colorScheme });
    await gate.page.locator('.number').first().fill('6.5');
    await expectAccessible(gate.page);
  });

  it.each([
    [1280, 800],
    [800, 600],
    [390, 844],
    [3840, 2160],
  ])('can be scrolled out from under a refusal, and sent again, on %i × %i', async (width, height) => {
    const page = await gate.open(PROFILE, { viewport: { width, height } });
    await page.locator('.number').first().fill('6.5');
    const fails = await failCalls(page, 'PUT', '/v1/profiles/*');
    await press(page, 'Save a new revision');
    await page.getByRole('alert').waitFor();
    expect(await spilled()).toEqual([]);
    await shoot(page, `refusal-over-form-${width}`);
    await page.getByRole('button', { name: 'Save a new revision' }).click({ timeout: 5_000 });
    await expect.poll(() => fails.calls).toBe(2);
  });
});

describe('the wall', () => {
  it.each([
    [1920, 1080],
    [1280, 800],
    [1080, 1920],
  ])('shows whole lines and counts the others, at %i x %i', async (width, height) => {
    const page = await gate.open('/?tv', { viewport: { width, height } });
    await page
      .locator('.line')
      .nth(HELD - 1)
      .waitFor();
    const seen = () =>
      page.evaluate(`{
        const { bottom } = document.querySelector('.still-run').getBoundingClientRect();
        const list = document.querySelector('.list').getBoundingClientRect();
        const lines = [...document.querySelectorAll('.line')].map((line) => line.getBoundingClientRect());
        const shown = lines.filter(({ left }) => left < list.right);
        const [more] = /^\\d+(?= more)/.exec(document.querySelector('.still-run').textContent) ?? ['0'];
        ({
          footerIsSeen: bottom <= innerHeight,
          linesAreWhole: shown.length > 3 && shown.every((line) => line.bottom <= list.bottom + 1),
          others: lines.length - shown.length - Number(more),
        });
      }`);
    await expect.poll(seen).toEqual({ footerIsSeen: true, linesAreWhole: true, others: 0 });
    await shoot(page, `wall-held-${width}`);
  });
});

it('forced colours keep the focus, the present place and the charts visible', async () => {
  const page = await gate.open('/machine/RF-01', { forcedColors: 'active' });
  const styleOf = (selector: string, name: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`);
  for (const chart of ['.tl > i', '.legend i', '.share i']) {
    await page.locator(chart).first().waitFor({ state: 'attached' });
    expect(await styleOf(chart, 'forced-color-adjust')).toBe('none');
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await styleOf(':focus-visible', 'outline')).toMatch(/3px/);
  expect(await styleOf('.rail .place[aria-current]', 'background-color')).not.toBe(
    await styleOf('.rail .place:not([aria-current])', 'background-color'),
  );
  await gate.follow('/profiles');
  await page.locator('.tab').first().waitFor();
  expect(await styleOf('.tab[aria-pressed="true"]', 'background-color')).not.toBe(
    await styleOf('.tab[aria-pressed="false"]', 'background-color'),
  );
});

it('the search icon stays while its field has the focus', async () => {
  const page = await gate.open('/coils');
  await page.locator('.find input').focus();
  const uppermost = await page.evaluate(`{
    const icon = document.querySelector('.find .ic');
    const { left, top, width, height } = icon.getBoundingClientRect();
    document.elementFromPoint(left + width / 2, top + height / 2).closest('.ic') === icon;
  }`);
  expect(uppermost).toBe(true);
});
