import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('rest', { settings: 'legacyAgent: { kind: simulated }\n' });

type Key = readonly [key: string, pauseMs: number, more?: object];

/**
 * Keys with these pauses before each, heard by the page itself, because CI may be slower than a scanner. Characters,
 * Tab and Enter do what a browser does with them, unless the page prevents it. Gives the keys that it did not prevent.
 */
async function typeCode(keys: readonly Key[]): Promise<readonly string[]> {
  return gate.page.evaluate<readonly string[]>(`(async () => {
    const init = { bubbles: true, cancelable: true };
    const free = [];
    for (const [key, pauseMs, more] of ${JSON.stringify(keys)}) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const target = document.activeElement;
      if (!target.dispatchEvent(new KeyboardEvent('keydown', { key, ...init, ...more }))) continue;
      free.push(key);
      if (!(target instanceof HTMLInputElement)) continue;
      if (key === 'Tab') target.form?.querySelector('button')?.focus();
      if (key === 'Enter') target.form?.requestSubmit();
      if (key.length !== 1 || more?.ctrlKey) continue;
      target.setRangeText(key, target.selectionStart, target.selectionEnd, 'end');
      target.dispatchEvent(new Event('input', { bubbles: true }));
    }
    return free;
  })()`);
}

/** A code without pauses, and its Enter. `pressed` stands behind its first character. */
function keysOf(code: string, pressed: readonly Key[] = []): readonly Key[] {
  const [first = '', ...rest] = code;
  const plain = (key: string): Key => [key, 0];
  return [plain(first), ...pressed, ...rest.map(plain), plain('Enter')];
}

const CTRL = { ctrlKey: true };
const GERMAN_SEPARATOR: Key = ['+', 0, { ...CTRL, code: 'BracketRight' }];

const UNREADABLE: readonly (readonly [name: string, keys: readonly Key[]])[] = [
  ['a dead key', [['Dead', 0]]],
  ['a key that the browser does not know', [['Unidentified', 0]]],
  ['a key of an input method', [['Process', 0]]],
  ['Alt and digits', [...'064'].map((digit): Key => [digit, 0, { altKey: true }])],
  ['a function key', [['F8', 0]]],
  ['an arrow', [['ArrowLeft', 0]]],
  [
    'a letter with Ctrl',
    [
      ['Control', 0, CTRL],
      ['k', 0, CTRL],
    ],
  ],
];

const CANNOT_READ = 'A key could not be read.';

describe('a scanner', () => {
  it('that is too slow presses no button: the person is asked to scan again', async () => {
    const page = await gate.openAgain('/tasks');
    await page.getByRole('button', { name: 'Take T-1005' }).focus();
    await page.keyboard.type('C-70009', { delay: 130 });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Scan it again. Nothing was done.' }).waitFor();
    await shoot(page, 'scan-again');
    const { body } = await gate.program.api('GET', '/plant/tasks/T-1005');
    expect(body).toMatchObject({ taskState: 'Ready' });
    expect(await gate.headline()).not.toContain('T-1005 to');
  });

  it('with a pause in its code opens nothing, not even the record with the id in the second piece', async () => {
    const page = await gate.openAgain('/tasks');
    const before = page.url();
    const piece = (text: string, firstMs: number) =>
      [...text].map((key, place) => [key, place === 0 ? firstMs : 0] as const);
    await typeCode([...piece('X-', 0), ...piece('T-1005', 150), ['Enter', 0]]);
    await page.getByText('The code came in pieces or too slowly.').waitFor();
    expect(page.url()).toBe(before);
  });

  it.each([...UNREADABLE, ['a Tab', [['Tab', 0]]] as const])(
    'D-61 whose code has %s opens nothing, not even the record that the other keys name',
    async (_, unreadable) => {
      const page = await gate.openAgain('/tasks');
      const before = page.url();
      expect(await typeCode(keysOf('T-1005', unreadable))).not.toContain('Enter');
      await page.getByRole('alert').filter({ hasText: CANNOT_READ }).waitFor();
      expect(page.url()).toBe(before);
      await typeCode(keysOf('T-1005'));
      await page.waitForURL('**/task/T-1005');
    },
  );

  it('D-61 tells in German that a key could not be read', async () => {
    await gate.open('/tasks', { locale: 'de-DE' });
    await typeCode(keysOf('T-1005', [['Dead', 0]]));
    const told = gate.page.getByRole('alert').filter({ hasText: 'Eine Taste konnte nicht gelesen werden.' });
    await told.waitFor();
    expect(await told.textContent()).not.toContain('zu langsam');
    await shoot(gate.page, 'key-not-read');
  });

  it.each([
    ...['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock'].map(
      (key) => [key, [[key, 0] as Key]] as const,
    ),
    ['a slow key of a person', [['ArrowDown', 120]]] as const,
  ])('D-61 does not mind %s in its code', async (name, keys) => {
    const page = await gate.openAgain('/tasks');
    await typeCode(keysOf('T-1005', keys));
    if (name.startsWith('a slow')) await page.getByText('The code came in pieces or too slowly.').waitFor();
    else await page.waitForURL('**/task/T-1005');
  });

  it('D-61 may end in Tab and Enter', async () => {
    await gate.openAgain('/tasks');
    await typeCode([...keysOf('T-1005').slice(0, -1), ['Tab', 0], ['Enter', 0]]);
    await gate.page.waitForURL('**/task/T-1005');
  });

  it.each([
    ['a character of AltGr', '@', ['@', 0, { modifierAltGraph: true, ctrlKey: true, altKey: true }]],
    ['a group separator', '\u001d', ['\u001d', 0]],
    ['a group separator, sent as Ctrl and ]', '\u001d', [']', 0, CTRL]],
    ['a group separator, sent as Ctrl and ] at a German keyboard', '\u001d', GERMAN_SEPARATOR],
  ] as const)('D-61 keeps %s in its code, so that it does not open another record', async (_, character, key) => {
    const page = await gate.openAgain('/tasks');
    const before = page.url();
    const asked = page.waitForRequest(/\/scan\?/);
    await typeCode(keysOf('T-1005', [['Control', 0, CTRL], key]));
    expect(new URL((await asked).url()).searchParams.get('code')).toBe(`T${character}-1005`);
    await page.getByRole('alert').filter({ hasText: '-1005' }).waitFor();
    expect(page.url()).toBe(before);
  });

  it('D-61 leaves Ctrl and + at a German keyboard to a person who enlarges the page', async () => {
    await gate.openAgain('/coils');
    const zoom = [0, 150, 150, 150].map((pauseMs): Key => ['+', pauseMs, GERMAN_SEPARATOR[2] ?? {}]);
    const held = [0, 30, 30].map((pauseMs): Key => ['+', pauseMs, { ...GERMAN_SEPARATOR[2], repeat: true }]);
    expect(await typeCode([...zoom, ...held])).toHaveLength(7);
    const field = gate.page.getByRole('searchbox');
    await field.focus();
    expect(await typeCode([...zoom, ...held])).toHaveLength(7);
    expect(await field.inputValue()).toBe('');
  });

  it('D-61 with caps lock on opens its record', async () => {
    await gate.openAgain('/coils');
    await typeCode([...[...'t-1005'].map((key) => [key, 0] as const), ['Enter', 0]]);
    await gate.page.waitForURL(/T-1005/);
  });

  it('replaces the content of a search field', async () => {
    const page = await gate.openAgain('/coils');
    const field = page.getByRole('searchbox');
    await field.focus();
    for (const code of ['C-70009', 'C-70006']) {
      await page.evaluate(`{
        const field = document.activeElement;
        const init = { bubbles: true, cancelable: true };
        for (const key of ${JSON.stringify([...code])}) {
          field.dispatchEvent(new KeyboardEvent('keydown', { key, ...init }));
          field.value += key;
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ...init }));
      }`);
    }
    expect(await field.inputValue()).toBe('C-70006');
    await page.getByRole('link', { name: /C-70006/ }).waitFor();
  });

  it.each(UNREADABLE)('D-61 with %s in its code sends no field with the shorter code', async (_, unreadable) => {
    const page = await gate.openAgain('/coils');
    await page.getByRole('searchbox').focus();
    expect(await typeCode(keysOf('C-70009', unreadable))).not.toContain('Enter');
    await page.getByRole('alert').filter({ hasText: CANNOT_READ }).waitFor();
    await typeCode(keysOf('C-70006'));
    expect(await page.getByRole('searchbox').inputValue()).toBe('C-70006');
  });

  it('D-61 keeps group separators in a field', async () => {
    const page = await gate.openAgain('/coils');
    const field = page.getByRole('searchbox');
    await field.focus();
    for (const key of [[']', 0, CTRL], GERMAN_SEPARATOR, ['\u001d', 0]] as const) {
      await field.fill('');
      await typeCode(keysOf('0121', [['Control', 0, CTRL], key]).slice(0, -1));
      expect(await field.inputValue()).toBe('0\u001d121');
    }
    const leading: Key = [']', 200, CTRL];
    await field.fill('');
    await typeCode([leading, ...keysOf('0121')]);
    expect(await field.inputValue()).toBe('\u001d0121');
  });

  it('counts twice if two codes follow each other quickly, but its second Enter does nothing', async () => {
    const page = await gate.openAgain('/coils');
    const field = page.getByRole('searchbox');
    expect(await typeCode([...keysOf('X-1111'), ['Enter', 0], ['Enter', 0]])).toEqual(['X']);
    await field.focus();
    const keys = [...keysOf('C-70009'), ['Enter', 0], ...keysOf('C-70006'), ['Enter', 0]] as const;
    const free = await typeCode(keys);
    expect(free.filter((key) => key === 'Enter')).toHaveLength(2);
    expect(await field.inputValue()).toBe('C-70006');
  });
});

describe('a scan into the field of a typed coil number', () => {
  const codes: (string | null)[] = [];

  beforeAll(async () => {
    const headers = { authorization: 'ApiKey shop-key-01234567890', 'content-type': 'application/json' };
    const take = `${gate.origin}/api/v1/warehouseTasks/T-1011/inProcess`;
    const taken = await fetch(take, { method: 'POST', headers, body: JSON.stringify({ userName: 'pat' }) });
    expect(taken.status).toBe(202);
  });
  beforeEach(async () => {
    codes.length = 0;
    const page = await gate.openAgain('/task/T-1011');
    await page.getByRole('button', { name: 'Type the number' }).click();
    await page.getByRole('dialog').getByRole('textbox').focus();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith('/scan')) codes.push(url.searchParams.get('code'));
    });
  });

  it.each([
    ...UNREADABLE,
    ['a Tab', [['Tab', 0]]] as const,
    ['a group separator before it, sent as Ctrl and +', null] as const,
  ])('D-61 is not sent if its code has %s', async (_, unreadable) => {
    const { page } = gate;
    const keys = unreadable === null ? [GERMAN_SEPARATOR, ...keysOf('C-70009')] : keysOf('C-70009', unreadable);
    expect(await typeCode(keys)).not.toContain('Enter');
    await page.getByRole('alert').filter({ hasText: CANNOT_READ }).waitFor();
    expect(codes).toEqual([]);
    const { body } = await gate.program.api('GET', '/plant/tasks/T-1011');
    expect(body).toMatchObject({ taskState: 'InProcess', selectedCoilId: null });
    await typeCode(keysOf('C-404'));
    await page.getByText('Unknown code: C-404', { exact: true }).waitFor();
  });

  it('is sent once with a second Enter, and another scan right behind it is sent too', async () => {
    const keys = [...keysOf('X-1'), ['Enter', 0], ...keysOf('X-2'), ['Enter', 0]] as const;
    expect((await typeCode(keys)).filter((key) => key === 'Enter')).toHaveLength(2);
    await expect.poll(() => codes).toEqual(['X-1', 'X-2']);
    await gate.page.getByText('Unknown code: X-2', { exact: true }).waitFor();
  });

  it('D-61 is sent with its group separators', async () => {
    await typeCode(keysOf('0121', [[']', 0, CTRL], GERMAN_SEPARATOR]));
    await expect.poll(() => codes).toEqual(['0\u001d\u001d121']);
  });
});
