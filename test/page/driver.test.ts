import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const tasks = [...PLANT.tasks, ...['T-2001', 'T-2002'].map((taskId) => ({ ...PLANT.tasks[0], taskId }))];
const plant = JSON.stringify({ ...PLANT, tasks });
const gate = usePage('leave', { plant, settings: 'legacyAgent: { kind: simulated }\n' }, (gate) => gate.plantAtWork());

describe('F2: a scanned place that is not that of the task', () => {
  it('asks with both places named, and the coil goes on or is set down there', async () => {
    const page = await gate.open('/tasks');
    await gate.takeCoil();
    await gate.scan('RF-02');
    const sheet = page.getByRole('dialog', { name: 'RF-02 is not RF-01' });
    await sheet.getByText('Panel line 1').waitFor();
    await sheet.getByText('Ridge line 1').waitFor();
    await expectAccessible(page);
    await shoot(page, 'task-other-place');
    await sheet.getByRole('button', { name: 'Go on to RF-01' }).click();
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    expect(await gate.business('/warehouseTasks/T-1005')).toMatchObject({ taskState: 'InTransit' });
    await gate.scan('WH-A2');
    await page.getByRole('dialog', { name: 'WH-A2 is not RF-01' }).waitFor();
    await gate.scan('RF-01');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await gate.scan('WH-A2');
    await page.getByRole('button', { name: 'Set it down here, in WH-A2' }).click();
    await gate.expectHeadline('No task is yours, 3 are ready');
    expect(await gate.business('/coils/C-70009')).toMatchObject({ location: 'WH-A2' });
  });

  it('is named at the place of the coil as well', async () => {
    const page = await gate.open('/tasks');
    await page.getByRole('button', { name: 'Take T-1011' }).click();
    await gate.expectHeadline('T-1011 to RF-01');
    await gate.scan('C-70009');
    await page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
    await gate.follow('/coil/C-70009');
    await gate.scan('WH-A1');
    await page.getByRole('status').filter({ hasText: 'T-1011 takes it to RF-01' }).waitFor();
    await expectAccessible(page);
    await gate.scan('RF-01');
    await page.getByText('T-1011 takes it to RF-01').waitFor({ state: 'detached' });
  });
});

describe('F5: a task of which a driver says that it cannot be done', () => {
  it('says why at the task, in the list, beside Tasks and on Andon, to everybody, until somebody takes it anew', async () => {
    const page = await gate.open('/tasks');
    await page.getByRole('button', { name: 'Take T-2001' }).click();
    await page.getByRole('button', { name: "Can't do it" }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Coil not found' }).click();
    await page.getByText('The office knows of T-2001').waitFor();
    for (const who of ['pat', 'admin']) {
      await gate.open('/', { as: who });
      const line = gate.page.getByRole('link', {
        name: 'T-2001 to RF-01 Cannot be done: Coil not found. Said by pat.',
      });
      await line.waitFor();
      await gate.page.getByRole('link', { name: 'Tasks 1 waiting' }).first().waitFor();
      await expectAccessible(gate.page);
      await shoot(gate.page, `andon-unattainable-${who}`);
      await line.click();
      await gate.expectHeadline('T-2001 to RF-01');
      await gate.page.getByText('Cannot be done: Coil not found.').waitFor();
      await expectAccessible(gate.page);
      await gate.follow('/tasks');
      await gate.page.getByText('Cannot be done: Coil not found.').waitFor();
      await gate.page.getByText('One cannot be done.').waitFor();
      await expectAccessible(gate.page);
      await shoot(gate.page, `tasks-unattainable-${who}`);
    }
    await gate.open('/task/T-2001');
    await gate.page.getByRole('button', { name: 'Release' }).click();
    await gate.page.getByRole('button', { name: 'Take T-2001' }).waitFor();
    await expect.poll(() => gate.page.getByText('Cannot be done').count()).toBe(0);
  });
});

it('F25: a task says where the preferred coil lies now, as it is moved', async () => {
  const page = await gate.open('/task/T-2002');
  const move = (location: string) =>
    page.request.post(`${gate.origin}/api/v1/coils/C-70009/location`, { data: { location } });
  expect((await move('WH-A2')).ok()).toBe(true);
  await page.getByText('now in WH-A2').waitFor();
  await page.getByText('Rack A2').waitFor();
  await expectAccessible(page);
  await shoot(page, 'task-preferred-coil');
  expect((await move('WH-A1')).ok()).toBe(true);
  await page.getByText('now in WH-A1').waitFor();
});
