/**
 * Decimal units are powers of 1000, as for disks; binary ones (KiB) are powers of 1024. Letter case does not matter.
 */
const BYTES_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
  ['tib', 2 ** 40],
]);

export const BYTE_SIZE_RULE = 'a size as 2GB, 512MB or 256KiB, or a number of bytes';

/** Reads `2GB`, `1.5 MiB` or a plain number as whole bytes; null for anything else. */
export function parseByteSize(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  if (typeof value !== 'string') return null;
  const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,6})?) ?([A-Za-z]*)$/.exec(value) ?? [];
  const factor = unit === undefined ? undefined : BYTES_PER_UNIT.get(unit.toLowerCase());
  if (digits === undefined || factor === undefined) return null;
  const bytes = Math.round(Number(digits) * factor);
  return Number.isSafeInteger(bytes) ? bytes : null;
}
