import type { Result } from '../domain/result.ts';

/** The number of an option, or the sentence with its fault. */
export type NumberOption<Standard = number> = Result<
  { readonly value: number | Standard },
  { readonly sentence: string }
>;

export interface NumberRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly kind: 'whole' | 'decimal';
}

/** Reads an option such as `--machines 6`; gives `standard` if it is absent. */
export function numberOption<Standard>(
  text: string | undefined,
  { name, min, max, kind }: NumberRule,
  standard: Standard,
): NumberOption<Standard> {
  if (text === undefined) return { ok: true, value: standard };
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const isRight = value >= min && value <= max && (kind === 'decimal' || Number.isInteger(value));
  if (isRight) return { ok: true, value };
  const number = kind === 'whole' ? 'a whole number' : 'a number';
  return { ok: false, sentence: `${name}: found ${JSON.stringify(text)}, expected ${number} from ${min} to ${max}` };
}
