import { connectAsync } from 'mqtt';
import { describe, expect, it } from 'vitest';
import { press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('rest');

function login(password: string, clientId: string) {
  const url = `mqtt://127.0.0.1:${gate.program.mqttPort}`;
  return connectAsync(url, { clientId, username: 'relay', password, reconnectPeriod: 0 }, false);
}

describe('D-66 MQTT accounts under Admin', () => {
  it('an administrator adds one, a client comes in with its rights, a change cuts it off, and a removal shuts it out', async () => {
    const page = await gate.open('/admin', { as: 'admin' });
    await page.getByRole('button', { name: 'MQTT accounts', exact: true }).click();
    await press(page, 'Add account');
    const form = page.getByRole('dialog');
    await form.getByLabel('User name').fill('relay');
    await form.getByLabel('Password').fill('relay-pw');
    await form.getByLabel('May read').fill(' plant1/#\n\nhall/%c \n');
    await form.getByLabel('Reports for').fill('RF-01');
    await expectAccessible(page);
    await shoot(page, 'mqtt-account-form');
    await form.getByRole('button', { name: 'Add account' }).click();
    await page.getByRole('cell', { name: 'plant1/#, hall/%c' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'mqtt-account-list');

    await expect(login('wrong', 'kep-1')).rejects.toThrow();
    const client = await login('relay-pw', 'kep-1');
    expect(await client.subscribeAsync('hall/kep-1')).toMatchObject([{ qos: 0 }]);
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    await press(page, 'Change relay');
    expect(await form.getByLabel('May read').inputValue()).toBe('plant1/#\nhall/%c');
    await expectAccessible(page);
    await shoot(page, 'mqtt-account-change');
    await form.getByLabel('May read').fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'plant1/#, hall/%c' }).waitFor({ state: 'detached' });
    await closed;
    const again = await login('relay-pw', 'kep-1');
    await expect(again.subscribeAsync('hall/kep-1')).rejects.toThrow();
    expect((await gate.program.api('GET', '/plant/mqttAccounts')).body).toEqual([
      { name: 'relay', clientId: null, read: [], write: [], machines: ['RF-01'] },
    ]);

    const gone = new Promise<void>((resolve) => again.once('close', () => resolve()));
    await press(page, 'Remove relay');
    await form.getByRole('button', { name: 'Remove' }).click();
    await gone;
    await shoot(page, 'mqtt-account-removed');
    await page.getByRole('cell', { name: 'relay' }).first().waitFor({ state: 'detached' });
    const { body } = await gate.program.api('GET', '/audit?q=relay');
    expect(JSON.stringify(body)).not.toContain('relay-pw');
  });

  it('only administrators see them', async () => {
    const page = await gate.open('/admin');
    await page.getByRole('button', { name: 'Machines', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'MQTT accounts' }).count()).toBe(0);
    expect((await page.request.get(`${gate.origin}/api/local/plant/mqttAccounts`)).status()).toBe(403);
  });
});
