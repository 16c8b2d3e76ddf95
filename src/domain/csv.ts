/** Characters that a spreadsheet takes for the beginning of a formula, or skips to find one. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;
/** A time with its zone, as every export has it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export type CsvRow = readonly (string | number | null)[];

/** How a file is written. */
export interface CsvForm {
  readonly separator: ',' | ';';
  readonly decimal: '.' | ',';
  /** The text of a time, such as `2026-11-29T02:37:45.544+01:00`. */
  readonly time: (text: string) => string;
}

/** For programs (RFC 4180): times and numbers are exact. */
export const EXACT: CsvForm = { separator: ',', decimal: '.', time: (text) => text };

/** For a spreadsheet of this language. Its times are those of the clocks in the plant, to the second, without a zone. */
export function spreadsheetForm(language: 'de' | 'en', timeText: (wallMs: number) => string): CsvForm {
  const time = (text: string) => timeText(Date.parse(text)).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
  return language === 'de' ? { separator: ';', decimal: ',', time } : { separator: ',', decimal: '.', time };
}

/** Without it a spreadsheet takes the file for one of an older encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** One line of CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front; null is empty. */
export function csvLine(values: CsvRow, form: CsvForm = EXACT): string {
  return `${values.map((value) => fieldText(value, form)).join(form.separator)}\r\n`;
}

function fieldText(value: string | number | null, { separator, decimal, time }: CsvForm): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value).replace('.', decimal);
  if (INSTANT.test(value)) return time(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) || harmless.includes(separator) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
