import { describe, expect, it } from 'vitest';
import type { RuleView } from '../../src/flows/alert/alert-views.ts';
import { press } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave', {}, (one) => one.plantAtWork());

const dialog = 'dialog[open]';

describe('alerts at the page', () => {
  it('an administrator adds a channel, tests it, and adds who is told', async () => {
    const page = await gate.open('/alerts/who', { as: 'admin' });
    await page.getByRole('heading', { name: 'No channel yet' }).waitFor();
    await press(page, 'Add a channel');
    await press(page, 'MQTT topic');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Lamp');
    await page.getByRole('textbox', { name: 'Topic', exact: true }).fill('plant1/RF-01');
    await press(page, 'Save');
    await page.getByText('Found "plant1/RF-01"', { exact: false }).waitFor();
    gate.forgive('400 (Bad Request)');
    await page.getByRole('textbox', { name: 'Topic', exact: true }).fill('plantgate/alerts/lamp');
    await expectAccessible(page);
    await press(page, 'Save');
    await page.locator(dialog).waitFor({ state: 'detached' });
    await press(page, 'Send a test Lamp');
    await page.locator(dialog).getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Look whether it arrives.', { exact: false }).waitFor();
    await press(page, 'Close');

    await press(page, 'Add a channel');
    await press(page, 'Mail');
    await page.getByRole('textbox', { name: 'Mail server', exact: true }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill('1');
    await page.getByLabel(/^Password/).fill('mail-secret');
    await page.getByLabel('Sender’s address').fill('gate@plant.example');
    await press(page, 'Save');
    await page.getByText('127.0.0.1, as gate@plant.example').waitFor();
    await press(page, 'Send a test Mail');
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('dana@plant.example');
    await page.locator(dialog).getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Not taken now: ', { exact: false }).waitFor();
    await expectAccessible(page);
    await press(page, 'Close');

    await press(page, 'Add a person or a group');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('dana');
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('technician');
    await page.getByLabel('Quiet from').fill('22:00');
    await page.getByLabel('Quiet to').fill('06:00');
    await page.getByLabel('Quiet hours begin on').selectOption('Saturday and Sunday');
    await page.getByLabel('Report of each shift').selectOption('yes');
    await page.getByLabel('By Mail: address').fill('dana@plant.example');
    await page.getByLabel('By Lamp').selectOption('yes');
    await expectAccessible(page);
    await press(page, 'Save');
    await page.getByText('22:00 – 06:00, red ones come').waitFor();
    await expectAccessible(page);
    await shoot(page, 'alerts-who-set-up');
    await page.getByText('always, Report of each shift').waitFor();
    const { body: people } = await gate.program.api('GET', '/alerts/recipients');
    expect(people).toMatchObject([{ quiet: { weekdays: [6, 7] }, reports: ['shift'] }]);
    const { body } = await gate.program.api('GET', '/alerts/channels');
    expect(JSON.stringify(body)).not.toContain('mail-secret');
  });

  it('a rule is switched on by one tap, and changed in its form', async () => {
    const page = await gate.open('/alerts/rules', { as: 'admin' });
    await page.getByRole('heading', { name: '0 of 12 rules are on' }).waitFor();
    await page.getByRole('switch', { name: 'Machine held' }).click();
    await page.getByRole('heading', { name: '1 of 12 rules are on' }).waitFor();
    await page.getByRole('link', { name: 'Machine held: change the rule' }).click();
    await page.getByLabel('Minutes', { exact: true }).fill('2000');
    await press(page, 'Save');
    await page.getByText('expected a number from 0 to 1440', { exact: false }).waitFor();
    gate.forgive('400 (Bad Request)');
    await page.getByLabel('Minutes', { exact: true }).fill('0');
    await page.getByLabel('When').selectOption('always');
    await page.getByLabel('Shifts, one a line').fill('Day\nNight');
    await page.locator(dialog).getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('dana, Lamp').waitFor();
    await page.getByText('Not taken now: ', { exact: false }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'alerts-rule-form');
    await press(page, 'Save');
    await page.getByText('longer than 0 min').waitFor();
    const { body } = await gate.program.api('GET', '/alerts/rules');
    const [held] = body as readonly RuleView[];
    expect(held).toMatchObject({
      isOn: true,
      limit: 0,
      isPlanOnly: false,
      machineIds: [],
      areas: [],
      shifts: ['Day', 'Night'],
    });
    expect(held?.steps).toEqual([
      { afterMinutes: 0, to: ['role:technician'] },
      { afterMinutes: 10, to: ['role:supervisor'] },
    ]);
    await shoot(page, 'alerts-rules-set-up');
    await gate.follow('/events');
    const newest = page.getByRole('row', { name: 'Changed a rule of alerts: Machine held' }).first();
    await expect.poll(() => newest.textContent()).toContain('Kind Machine held, On yes, Limit 0');
    expect(await newest.textContent()).not.toContain('[]');
    await page.setViewportSize({ width: 1_280, height: 800 });
    await shoot(page, 'events-rule-1280');
    await press(page, 'Deutsch');
    await page.getByText('Regel der Alarme geändert: Maschine angehalten').first().waitFor();
    await shoot(page, 'events-rule-de-1280');
  });

  it('the bell counts, a tap takes it, and the others see who has it', { timeout: 60_000 }, async () => {
    await gate.stayAtWork();
    const page = await gate.open('/', { as: 'admin' });
    const bell = page.getByRole('link', { name: /^Alerts: [1-9]/ });
    await bell.waitFor({ timeout: 20_000 });
    await bell.click();
    await page.getByRole('heading', { name: /open/ }).waitFor();
    await page.getByText('Nobody has taken it', { exact: false }).first().waitFor();
    await expectAccessible(page);
    await shoot(page, 'alerts-open');
    await page.getByRole('button', { name: 'I take it' }).first().click();
    await page.getByText('has it since', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Take it over' }).first().waitFor();
    await shoot(page, 'alerts-taken');
    await page.getByRole('button', { name: 'Note', exact: true }).first().click();
    await page.locator(dialog).getByRole('textbox', { name: 'Note' }).fill('the coil is on its way');
    await expectAccessible(page);
    await press(page, 'Save');
    await page.getByText('“the coil is on its way”', { exact: false }).waitFor();
    // Once the rule is off its alerts are over.
    const { body } = await gate.program.api('GET', '/alerts/rules');
    const [held] = body as readonly RuleView[];
    const { ruleId, unit, least, most, isDefault, raised, ...rule } = held as RuleView;
    await gate.program.api('PUT', `/alerts/rules/${ruleId}`, { ...rule, isOn: false });
    await page.getByRole('heading', { name: 'No alert is open' }).waitFor({ timeout: 20_000 });
    await page
      .getByRole('cell', { name: / after / })
      .first()
      .waitFor();
    await press(page, 'Nobody took it');
    await press(page, 'All');
    await expectAccessible(page);
    await shoot(page, 'alerts-over');
  });
});

it.each([
  ['en-US', 'light', 390],
  ['de-DE', 'dark', 390],
  ['de-DE', 'light', 1280],
  ['en-US', 'dark', 1280],
] as const)('the views fit and axe finds nothing: %s %s %i', async (locale, colorScheme, width) => {
  const page = await gate.open('/alerts', { viewport: { width, height: 844 }, locale, colorScheme, as: 'admin' });
  for (const view of ['/alerts', '/alerts/rules', '/alerts/who']) {
    await gate.follow(view);
    await page.locator('.viewrow').waitFor();
    await page.locator('.pane').first().waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await expectAccessible(page);
    await shoot(page, `${view.split('/').filter(Boolean).join('-')}-${locale}-${colorScheme}-${width}`);
  }
});
