import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave', { settings: 'legacyAgent: { kind: simulated }\n' }, (gate) => gate.plantAtWork());

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
    await gate.expectHeadline('No task is yours, 1 is ready');
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
