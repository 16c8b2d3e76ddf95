import { describe, expect, it } from 'vitest';
import { statusOf } from '../end-to-end/program.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const MACHINES = 300;
const FAULTS = 30;
const idOf = (place: number) => `M-${String(place).padStart(3, '0')}`;
const areaOf = (place: number) => (place % 4 === 3 ? undefined : `Hall ${place % 4}`);
const [task] = PLANT.tasks;
const MANY = {
  ...PLANT,
  machines: Array.from({ length: MACHINES }, (_, place) => ({
    machineId: idOf(place),
    name: `Line ${place}`,
    topicRoot: `plant1/m-${place}`,
    area: areaOf(place),
    ...(place === 0 && { location: 'RF-01', claims: ['service.machine.warehouse'] }),
  })),
  tasks: Array.from({ length: 50 }, (_, place) => ({
    ...task,
    taskId: `T-${place}`,
    machineId: idOf(0),
    destinationLocation: place < 3 ? 'RF-01' : 'WH-A2',
  })),
};

describe('F20 D-94: with many machines', () => {
  const gate = usePage('rest', { plant: JSON.stringify(MANY) });
  const tiles = () => gate.page.locator('.tile').count();
  const search = (text: string) => gate.page.getByRole('searchbox').fill(text);
  const say = (place: number, fields: object) =>
    gate.program.device(
      'status',
      statusOf({ machineId: idOf(place), mSecSinceBoot: 1_000, partId: 'P-100', ...fields }),
    );

  it('Andon draws those that need a person, and counts the others by area until one is asked for', async () => {
    await Promise.all(Array.from({ length: FAULTS }, (_, place) => say(place, { fault: true })));
    const page = await gate.openAgain('/');
    await gate.expectHeadline(`${FAULTS} machines need a person`);
    expect(await tiles()).toBe(24);
    const quiet = page.getByRole('region', { name: 'Quiet machines' });
    expect(await quiet.getByRole('link').allTextContents()).toEqual([
      'Area Hall 06767 off',
      'Area Hall 16767 off',
      'Area Hall 26868 off',
      'Without an area6868 off',
    ]);
    await expectAccessible(page);
    await shoot(page, 'andon-many');
    await page.getByRole('button', { name: `More: 24 of ${FAULTS} are shown` }).click();
    await expect.poll(tiles).toBe(FAULTS);
    await quiet.getByRole('link', { name: 'Area Hall 2' }).click();
    await gate.expectHeadline('7 machines need a person');
    expect(new URL(page.url()).search).toBe('?area=Hall+2');
    expect(await quiet.getByRole('link').count()).toBe(68);
    // Not as letters come: `Line 102` is behind `Line 30`.
    expect((await quiet.locator('.name').allInnerTexts()).slice(0, 3)).toEqual(['Line 30', 'Line 34', 'Line 38']);
    await expectAccessible(page);
  });

  it('Andon finds a machine by name or id, and comes back to the same choice', async () => {
    const page = await gate.openAgain('/?area=Hall+1');
    await gate.expectHeadline('8 machines need a person');
    await search('line 101');
    await expect.poll(() => page.locator('.mini, .tile').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?area=Hall+1&find=line+101');
    await page.locator('.mini').click();
    await page.getByRole('heading', { name: 'Line 101 may not run' }).waitFor();
    await page.locator('.crumb').click();
    await expect.poll(() => page.locator('.mini').allInnerTexts()).toMatchObject([/Line 101/]);
    await search('nothing at all');
    await page.getByText('Nothing matches this choice.').waitFor();
    await page.getByRole('combobox', { name: 'Machines' }).selectOption('All 300 machines');
    await search('m-29');
    await expect.poll(() => page.locator('.mini, .tile').count()).toBe(10);
  });

  it('Admin lists a hundred machines at once, and finds the others', async () => {
    const page = await gate.openAgain('/admin', 'admin');
    await page.getByRole('button', { name: `More: 100 of ${MACHINES} are shown` }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(200);
    await search('line 299');
    await expect.poll(() => page.locator('tbody tr').allInnerTexts()).toMatchObject([/M-299/]);
    await expectAccessible(page);
  });

  it('Tasks are found by text, and by the area of their machine; the address keeps the choice', async () => {
    const page = await gate.openAgain('/tasks');
    await page.getByRole('button', { name: 'More: 40 of 50 are shown' }).waitFor();
    await search('T-49');
    await expect.poll(() => page.locator('.task').count()).toBe(1);
    await search('');
    await page.getByRole('combobox', { name: 'Machines' }).selectOption('Area Hall 0');
    await expect.poll(() => page.locator('.task').count()).toBe(3);
    await expectAccessible(page);
    await search('t-2');
    await expect.poll(() => page.locator('.task').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?area=Hall+0&find=t-2');
    await page.reload();
    await expect.poll(() => page.locator('.task').count()).toBe(1);
    expect(await page.getByRole('searchbox').inputValue()).toBe('t-2');
    await page.getByRole('link', { name: 'Tasks' }).first().click();
    await page.getByRole('button', { name: 'More: 40 of 50 are shown' }).waitFor();
  });

  it('Stops are found by machine and area; the address keeps the choice, and the machine whose stops come first', async () => {
    for (const place of [40, 41, 42]) {
      await say(place, { running: true, cycle: 1, goodPart: 1 });
      await say(place, { running: false, cycle: 1, goodPart: 1, mSecSinceBoot: 2_000 });
    }
    const page = await gate.openAgain('/stops');
    await gate.expectHeadline('3 stops wait for a reason');
    await search('line 41');
    await expect.poll(() => page.getByRole('radiogroup').locator('.opt').allInnerTexts()).toMatchObject([/Line 41/]);
    await search('');
    await page.getByRole('combobox', { name: 'Machines' }).selectOption('Area Hall 2');
    await expect.poll(() => page.getByRole('radiogroup').locator('.opt').allInnerTexts()).toMatchObject([/Line 42/]);
    await gate.expectHeadline('3 stops wait for a reason');
    await expectAccessible(page);
    const stops = () => page.getByRole('radiogroup').locator('.opt').allInnerTexts();
    await gate.follow('/stops?machine=M-042');
    await expect.poll(stops).toMatchObject([/Line 42/, /Line 4[01]/, /Line 4[01]/]);
    await search('line 4');
    await page.getByRole('combobox', { name: 'Machines' }).selectOption('Area Hall 2');
    expect(new URL(page.url()).search).toBe('?machine=M-042&area=Hall+2&find=line+4');
    await page.reload();
    await expect.poll(stops).toMatchObject([/Line 42/]);
    await search('');
    await page.getByRole('combobox', { name: 'Machines' }).selectOption('All 300 machines');
    await expect.poll(stops).toMatchObject([/Line 42/, /Line 4[01]/, /Line 4[01]/]);
    expect(new URL(page.url()).search).toBe('?machine=M-042');
  });
});
