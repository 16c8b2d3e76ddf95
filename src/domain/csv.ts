/** Characters that a spreadsheet takes for the beginning of a formula, or skips to find one. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in front; null is
 * empty.
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(fieldText).join(',')}\r\n`;
}

function fieldText(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
