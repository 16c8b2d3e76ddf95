import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { usePage } from './page-under-test.ts';

describe('F15: a table that is downloaded', () => {
  const gate = usePage('leave', {}, async (page) => {
    for (const running of [true, false]) await page.say('RF-01', { partId: 'P-210', running });
  });

  it.each([
    ['de-DE', 'CSV', ';'],
    ['en-US', 'CSV', ','],
  ])(
    'is read by a spreadsheet of %s: byte order mark, separator, times of the plant without a zone',
    async (locale, name, separator) => {
      const page = await gate.open('/stops', { locale });
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
      const text = await readFile(await file.path(), 'utf8');
      const [header = '', row = ''] = text.split('\r\n');
      expect(header).toMatch(new RegExp(`^\\uFEFFdowntimeId${separator}machineId.*shiftDate${separator}shift$`));
      expect(row.split(separator)[3]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    },
  );
});
