import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const [first, ...others] = PLANT.machines;
const plant = JSON.stringify({ ...PLANT, machines: [{ ...first, variables: ['lineSpeed'] }, ...others] });

const gate = usePage('leave', { plant }, async (gate) => {
  await gate.say('RF-01', { partId: 'P-100', running: true });
  await gate.program.device('vars', { machineId: 'RF-01', lineSpeed: 118.5 });
});

describe.each([
  { place: '/stops', name: 'CSV', file: 'downtimes.csv', holds: 'downtimeId' },
  { place: '/events', name: 'CSV', file: 'audit.csv', holds: 'before' },
  { place: '/machine/RF-01', name: 'Production of the last 31 days as CSV', file: 'production', holds: 'goodParts' },
  { place: '/machine/RF-01/variables', name: 'lineSpeed: every value as CSV', file: 'lineSpeed', holds: '118.5' },
])('the file of $name at $place', ({ place, name, file, holds }) => {
  beforeEach(() => gate.open(place, { as: 'admin' }));

  it('is downloaded', async () => {
    const { page } = gate;
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name }).click();
    const kept = await download;
    expect(kept.suggestedFilename()).toContain(file);
    expect(readFileSync(await kept.path(), 'utf8')).toContain(holds);
  });

  it('that cannot be sent leaves the place open, which gives the reason', async () => {
    const { page } = gate;
    const link = page.getByRole('link', { name });
    await link.waitFor();
    await page.route(/csv/, (route) => route.abort());
    await link.click();
    await page.getByText('The gateway did not answer').waitFor();
    await shoot(page, `no-file-${file}`);
    await page.unroute(/csv/);
    await page.context().clearCookies();
    await link.click();
    await page.getByRole('dialog').getByText('Who is there?').waitFor();
    expect(page.url()).toBe(gate.origin + place);
    gate.forgive('ERR_FAILED');
  });
});
