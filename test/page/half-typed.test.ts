import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { splitStop } from './acts.ts';
import { shoot } from './browser.ts';
import { PROFILE, usePage } from './page-under-test.ts';

const gate = usePage('rest', { settings: 'legacyAgent: { kind: simulated }\n' });

const dialog = () => gate.page.getByRole('dialog');

async function openForm(button: string): Promise<void> {
  await gate.page.getByRole('button', { name: button }).click();
}

/** Leaves the form of a new machine half typed. */
async function typeMachine(): Promise<void> {
  await gate.openAgain('/admin', 'admin');
  await openForm('Add machine');
  await dialog().getByLabel('Machine id').pressSequentially('RF-99');
}

describe('a scan', () => {
  it('opens nothing while a sheet is open, and leaves what is typed in it', async () => {
    await typeMachine();
    await dialog().getByRole('button', { name: 'Close' }).focus();
    await gate.scan('C-70009');
    await dialog().getByText('C-70009 was scanned. Nothing was done.').waitFor();
    expect(gate.page.url()).toBe(`${gate.origin}/admin?form=`);
    expect(await dialog().getByLabel('Machine id').inputValue()).toBe('RF-99');
  });

  it('TASK-09 asks where a coil is set down, but does nothing while a task is being cancelled', async () => {
    const page = await gate.openAgain('/tasks');
    await gate.takeCoil();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await gate.scan('WH-A2');
    await dialog().getByText('WH-A2 was scanned. Nothing was done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    await page.getByRole('button', { name: 'Set down elsewhere' }).click();
    await gate.scan('WH-A2');
    await page.getByRole('dialog', { name: 'WH-A2 is not RF-01' }).waitFor();
    expect(await dialog().count()).toBe(1);
  });
});

describe('a form of the plant', () => {
  it('is not sent by a scan into one of its fields', async () => {
    await gate.openAgain('/admin', 'admin');
    await gate.page.getByRole('button', { name: 'People' }).click();
    await openForm('Add person');
    await dialog().getByLabel('Badge').focus();
    expect(await gate.scan('47')).toBe(false);
    expect(await gate.scan('4711')).toBe(true);
  });

  it('removes the blanks around an id, and switches off the automatic capital letter', async () => {
    await gate.openAgain('/admin', 'admin');
    await openForm('Add machine');
    const id = dialog().getByLabel('Machine id');
    expect(await id.getAttribute('autocapitalize')).toBe('none');
    await id.fill(' RF-98 ');
    await dialog().getByLabel('Name').fill('Gutter line ');
    await id.press('Enter');
    await gate.expectHeadline('Gutter line may not run');
    expect(gate.page.url()).toBe(`${gate.origin}/machine/RF-98`);
  });
});

describe('the note of a stop', () => {
  /** Opens a stop that has its reason. */
  async function openStop(machineId: string, name: string): Promise<void> {
    for (const running of [true, false]) await gate.say(machineId, { partId: 'P-100', running });
    await gate.openAgain('/stops');
    await gate.page.locator('.reason', { hasText: 'Coil change' }).click();
    await gate.expectHeadline('Every stop has its reason');
    await gate.page.getByLabel('Stops of the last 24 hours').getByText(name).click();
  }

  it('is not sent by a scan into it', async () => {
    await openStop('RF-04', 'Trim line 1');
    await dialog().getByLabel('Note, if it needs one').focus();
    expect(await gate.scan('C-70009')).toBe(true);
  });

  it('that is too long is refused, not shortened, and stays in the form', async () => {
    await openStop('RF-02', 'Panel line 1');
    const note = dialog().getByLabel('Note, if it needs one');
    const text = 'x'.repeat(999);
    await note.fill(text);
    await note.press('End');
    await gate.page.keyboard.insertText(' bent');
    await dialog().getByRole('button', { name: 'Keep the reason, save the note' }).click();
    await dialog().getByText('at most 1000 characters').waitFor();
    expect(await note.inputValue()).toBe(`${text} bent`);
    await shoot(gate.page, 'note-too-long');
    gate.forgive('400');
  });
});

it('the note of a stop stays typed while its stop is split and merged', async () => {
  await splitStop(gate);
  await gate.openAgain('/stops');
  await gate.seeAtOnce();
  const { page } = gate;
  const stops = page.getByLabel('Stops of the last 24 hours').locator('.opt', { hasText: 'Ridge line 1' });
  await expect.poll(() => stops.count()).toBe(2);
  await stops.first().click();
  const note = dialog().getByLabel('Note, if it needs one');
  await note.fill('the strip tore');
  await dialog()
    .getByRole('button', { name: /^Split at/ })
    .click();
  await expect.poll(() => stops.count()).toBe(3);
  await dialog().getByRole('button', { name: 'Undo' }).waitFor();
  expect(await note.inputValue()).toBe('the strip tore');
  await dialog()
    .getByRole('button', { name: /^Merge with/ })
    .click();
  await dialog()
    .last()
    .getByRole('button', { name: /^Merge with/ })
    .click();
  await dialog().getByText('The two are one stop').waitFor();
  expect(await note.inputValue()).toBe('the strip tore');
  await dialog().getByRole('button', { name: 'Drive fault' }).click();
  await stops.first().getByText('Drive fault, the strip tore').waitFor();
  expect(await dialog().count()).toBe(0);
});

describe('a sheet', () => {
  it('is closed by the back button of the browser; only the next press leaves the place', async () => {
    const page = await gate.openAgain('/orders', 'admin');
    await page.getByRole('link', { name: 'Admin' }).first().click();
    await openForm('Add machine');
    await page.goBack();
    await expect.poll(() => dialog().count()).toBe(0);
    await expect.poll(() => page.url()).toBe(`${gate.origin}/admin`);
    await page.goBack();
    await gate.expectHeadline('2 orders are open, 1 is on hold');
  });

  it('with a form has the focus in its first field, not on its close button', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await openForm('Add machine');
    await page.keyboard.type('RF-99', { delay: 30 });
    expect(await dialog().getByLabel('Machine id').inputValue()).toBe('RF-99');
    await page.keyboard.press('Escape');
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Change RF-02' }).click();
    await page.keyboard.type(' east', { delay: 30 });
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Panel line 1 east');
  });
});

/** Answers the question by staying: the typed text is still there. */
async function stay(field: Locator, text: string): Promise<void> {
  await dialog().getByText('Unsaved text, and anything that is shown only once, is lost.').waitFor();
  await dialog().getByRole('button', { name: 'Stay here' }).click();
  await expect.poll(() => dialog().count()).toBe(0);
  expect(await field.inputValue()).toBe(text);
}

describe('the page asks before something unsaved is lost', () => {
  it('in a profile, by a link, a scan or the back button', async () => {
    const page = await gate.openAgain('/profiles', 'admin');
    await page.locator('.shape').first().click();
    const note = page.getByLabel('Note');
    await note.press('End');
    await note.pressSequentially(' or 4:12', { delay: 30 });
    await page.getByRole('link', { name: 'Coils' }).first().click();
    await stay(note, 'For 3:12 or 4:12');
    await page.goBack();
    await stay(note, 'For 3:12 or 4:12');
    await note.blur();
    await gate.scan('C-70009');
    await stay(note, 'For 3:12 or 4:12');
    expect(page.url()).toBe(`${gate.origin}${PROFILE}`);
    await page.goBack();
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await gate.expectHeadline('1 profile');
  });

  it('in the shifts of the first run, when the step is skipped', async () => {
    await gate.openAgain('/admin', 'admin');
    await gate.follow('/set-up');
    const { page } = gate;
    const shift = page.getByLabel('Shift 1', { exact: true });
    await shift.fill('Early');
    await page.getByRole('button', { name: 'Skip this step' }).click();
    await stay(shift, 'Early');
    await page.getByRole('button', { name: 'Skip this step' }).click();
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await page.getByText('machines are set up').waitFor();
  });

  it.each([
    ['Escape', () => gate.page.keyboard.press('Escape')],
    ['the back button', () => gate.page.goBack()],
    ['its own button', () => dialog().getByRole('button', { name: 'Close' }).click()],
  ])('in a sheet, by %s; a sheet without typed text closes without a question', async (_, close) => {
    const page = await gate.openAgain('/orders', 'admin');
    await page.getByRole('link', { name: 'Admin' }).first().click();
    await openForm('Add machine');
    const id = dialog().getByLabel('Machine id');
    await id.pressSequentially('RF-99');
    for (const answer of ['Stay here', 'Leave']) {
      await close();
      await dialog().getByText('Unsaved text, and anything that is shown only once, is lost.').waitFor();
      await dialog().getByRole('button', { name: answer }).click();
      if (answer === 'Stay here') expect(await id.inputValue()).toBe('RF-99');
    }
    await expect.poll(() => dialog().count()).toBe(0);
    await openForm('Add machine');
    expect(await id.inputValue()).toBe('');
    await close();
    await expect.poll(() => dialog().count()).toBe(0);
    await expect.poll(() => page.url()).toBe(`${gate.origin}/admin`);
  });

  it('but not after the old text was typed again', async () => {
    const page = await gate.openAgain(PROFILE, 'admin');
    const note = page.getByLabel('Note');
    await note.fill('For 3:12 or 4:12');
    const save = page.getByRole('button', { name: 'Save' });
    await expect.poll(() => save.isEnabled()).toBe(true);
    await note.fill('For 3:12');
    await expect.poll(() => save.isEnabled()).toBe(false);
    await page.getByRole('link', { name: 'Admin' }).first().click();
    await page.getByRole('button', { name: 'Shifts and server' }).click();
    const name = page.getByLabel('Shift 1', { exact: true });
    const before = await name.inputValue();
    await name.fill('Dawn');
    await name.fill(before);
    await page.getByRole('button', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Add person' }).waitFor();
  });

  it('in the settings, by another tab, until they are saved', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    const name = page.getByLabel('Shift 1', { exact: true });
    await page.getByRole('button', { name: 'Shifts and server' }).click();
    await name.fill('Dawn');
    await page.getByRole('button', { name: 'People' }).click();
    await stay(name, 'Dawn');
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByText('It is kept').waitFor();
    await page.getByRole('button', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Add person' }).waitFor();
  });

  it('beside a new key, by a link, until the key is stored', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: 'Keys' }).click();
    await openForm('Add key');
    await page.keyboard.type('scales');
    await dialog().getByRole('button', { name: 'Add key' }).click();
    const key = page.getByText(/pg_[0-9a-f]{48}/);
    await key.waitFor();
    await page.getByRole('link', { name: 'Orders' }).first().click();
    await dialog().getByRole('button', { name: 'Stay here' }).click();
    await key.waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Orders' }).first().click();
    await gate.expectHeadline('2 orders are open, 1 is on hold');
  });
});
