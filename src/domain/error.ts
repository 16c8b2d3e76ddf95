export type ErrorCode =
  | 'invalid-input'
  /** A body that is not JSON, or a profile with a word outside an enumeration (PROF-02). */
  | 'malformed'
  | 'unknown-machine'
  | 'not-found'
  | 'conflict'
  /** The Idempotency-Key of the request was used for another request. */
  | 'key-reused'
  | 'not-permitted'
  | 'not-licensed'
  | 'unauthenticated'
  | 'too-large'
  | 'rate-limited'
  | 'store-unavailable'
  /** Another sender or process holds it at present: the name of a gateway, or the program during an update. */
  | 'held'
  | 'agent-unavailable'
  /** A write to the legacy system may have been carried out; the gateway finishes it by itself (D-16). */
  | 'outcome-unknown'
  | 'internal';

/** One fault: the field, the found value, the rule. */
export interface Fault {
  readonly path: string;
  readonly found: string;
  readonly expected: string;
  /** The sentence that the interface fixes for this fault. Without it `faultText` makes the sentence. */
  readonly sentence?: string;
}

/** The one error type of the product: a code that each surface maps to its own answer, and the faults that explain it. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];

  constructor(code: ErrorCode, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.name = 'CodedError';
    this.code = code;
    this.faults = faults;
  }
}

/** One fault as a sentence: `cycle: found "abc", expected an integer of 0 or more`. */
export function faultText(fault: Fault): string {
  return fault.sentence ?? `${fault.path}: found ${fault.found}, expected ${fault.expected}`;
}

/** A refusal that names every fault in one sentence each. */
export function invalidInput(faults: readonly Fault[]): CodedError {
  return new CodedError('invalid-input', faults.map(faultText).join('; '), faults);
}

/** The refusal of an id that nothing has. `advice` says what to do. */
export function noSuch(kind: string, id: string, advice?: string): CodedError {
  return new CodedError('not-found', `No ${kind} with id ${foundText(id)}${advice === undefined ? '' : `: ${advice}`}`);
}

/** The refusal of one more of something than is allowed at once. */
export function tooMany(what: string, most: number, advice = 'try again in a few seconds'): CodedError {
  return new CodedError('rate-limited', `Too many ${what} at once, at most ${most} are allowed: ${advice}`);
}

/** A choice as the rule of a fault: `A, B or C`. */
export function anyOf(words: readonly unknown[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** A longer value is shortened in the text of an error. */
const MAX_FOUND_LENGTH = 60;

/** The found value for a fault: quoted if it is text, `nothing` if it is absent. Long values are shortened. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > MAX_FOUND_LENGTH ? `${value.slice(0, MAX_FOUND_LENGTH)}…` : value);
}
