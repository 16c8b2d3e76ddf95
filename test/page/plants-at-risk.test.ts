import { expect, it } from 'vitest';
import type { RuleView } from '../../src/flows/alert/alert-views.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

it('D-89 Plants and an alert say what endangers records in the database, in both languages', async () => {
  const database = await LocalPostgres.start({ settings: { fsync: 'on' } });
  const settings = `storage: { postgres: { url: "${database.url()}", maxConnections: 4 } }\n`;
  const gate = await PageUnderTest.start({ command: 'central', settings });
  try {
    const page = await gate.open('/plants', { as: 'admin' });
    const pane = page.getByRole('region', { name: 'The database needs an administrator' });
    await pane.waitFor();
    expect(await pane.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('synchronous_commit: found off, expected on'),
    ]);
    await expectAccessible(page);
    await shoot(page, 'plants-at-risk-1280');
    const rules = (await gate.program.api('GET', '/alerts/rules')).body as readonly RuleView[];
    const { ruleId, unit, least, most, isDefault, raised, ...rule } = rules.find(
      (one) => one.kind === 'database',
    ) as RuleView;
    expect((await gate.program.api('PUT', `/alerts/rules/${ruleId}`, { ...rule, isOn: true })).status).toBe(200);
    await gate.follow('/alerts');
    const open = page.getByRole('region', { name: /^Open alerts/ });
    await open.getByText('The database of the gateway needs a person: its settings or its clock endanger').waitFor();
    const view = { as: 'admin', locale: 'de-DE', viewport: { width: 390, height: 844 } } as const;
    const small = await gate.open('/plants', view);
    await small.getByRole('region', { name: 'Die Datenbank braucht einen Administrator' }).waitFor();
    await expectAccessible(small);
    await shoot(small, 'plants-at-risk-390-de');
    expect(await small.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  } finally {
    await gate.end();
    await database.end();
  }
}, 120_000);
