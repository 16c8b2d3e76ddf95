/** Functions of IEC 61131-3 that the samples use: the names of their parameters in SCL, and their effect. */
export interface StandardFunction {
  readonly parameters: readonly string[];
  readonly run: (...words: never[]) => unknown;
}

const truncated = { parameters: ['IN'], run: (number: number) => Math.trunc(number) };
const twoTexts = ['IN1', 'IN2'];

/** The value of TIME(): set by the code that runs the program. */
export const clock = { nowMs: 0 };

export const STANDARD_FUNCTIONS: Readonly<Record<string, StandardFunction>> = {
  TIME: { parameters: [], run: () => clock.nowMs % 2 ** 32 },
  TIME_TCK: { parameters: [], run: () => clock.nowMs % 2 ** 31 },
  TIME_TO_UDINT: truncated,
  TIME_TO_DINT: truncated,
  ULINT_TO_INT: truncated,
  INT_TO_UDINT: truncated,
  UDINT_TO_INT: truncated,
  UDINT_TO_UINT: truncated,
  DINT_TO_ULINT: truncated,
  LEN: { parameters: ['IN'], run: (text: string) => text.length },
  LEFT: { parameters: ['IN', 'L'], run: (text: string, count: number) => text.slice(0, count) },
  RIGHT: { parameters: ['IN', 'L'], run: (text: string, count: number) => (count > 0 ? text.slice(-count) : '') },
  MID: {
    parameters: ['IN', 'L', 'P'],
    run: (text: string, count: number, from: number) => text.slice(from - 1, from - 1 + count),
  },
  FIND: { parameters: twoTexts, run: (text: string, wanted: string) => text.indexOf(wanted) + 1 },
  // The functions of most controllers give at most 255 characters.
  CONCAT: { parameters: twoTexts, run: (one: string, other: string) => (one + other).slice(0, 255) },
  ADR: { parameters: ['IN'], run: () => null },
  SIZEOF: { parameters: ['IN'], run: () => 256 },
};
