import { anyOf, foundText } from '../error.ts';
import { instantOf } from '../instant.ts';
import { asJsonObject, type JsonObject } from '../json/json.ts';

/** An id as text: some servers give ids as numbers (D-38). Null if it is neither text nor a whole number. */
export function idText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

/** A mirrored record with a longer id is refused. */
const MAX_ID_LENGTH = 128;
/** A mirrored record with a longer text is refused. */
const MAX_TEXT_LENGTH = 1_024;
/** Ids that no request could name. */
const UNNAMEABLE: readonly string[] = ['.', '..'];

/** Reads the fields of a record from a central server; the first fault stays in `fault`. */
export class FieldReader {
  fault: string | null = null;
  readonly #fields: JsonObject;

  constructor(fields: JsonObject) {
    this.#fields = fields;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  id(name: string): string {
    const value = idText(this.#fields[name]);
    const isId = value !== null && value !== '' && value.length <= MAX_ID_LENGTH && !/\p{Cc}/u.test(value);
    if (isId && !UNNAMEABLE.includes(value)) return value;
    return this.#refuse(name, `an id of at most ${MAX_ID_LENGTH} characters`, '');
  }

  text(name: string): string {
    return this.textOrNull(name) ?? this.#refuse(name, 'text', '');
  }

  textOrNull(name: string): string | null {
    const value = this.#fields[name] ?? null;
    if (value === null || (typeof value === 'string' && value.length <= MAX_TEXT_LENGTH)) return value;
    return this.#refuse(name, `text of at most ${MAX_TEXT_LENGTH} characters, or null`, null);
  }

  /** The id of another record, or null. */
  idOrNull(name: string): string | null {
    return idText(this.#fields[name]) ?? this.textOrNull(name);
  }

  number(name: string): number {
    return this.numberOrNull(name) ?? this.#refuse(name, 'a number', 0);
  }

  numberOrNull(name: string): number | null {
    const value = this.#fields[name] ?? null;
    if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
    return this.#refuse(name, 'a number, or null', null);
  }

  integer(name: string): number {
    return this.integerOrNull(name) ?? this.#refuse(name, 'an integer', 0);
  }

  integerOrNull(name: string): number | null {
    const value = this.numberOrNull(name);
    return value === null || Number.isSafeInteger(value) ? value : this.#refuse(name, 'an integer, or null', null);
  }

  flag(name: string): boolean {
    const value = this.#fields[name] ?? false;
    return typeof value === 'boolean' ? value : this.#refuse(name, 'true or false', false);
  }

  oneOf<const Words extends readonly [string, ...string[]]>(name: string, words: Words): Words[number] {
    const value = this.#fields[name];
    return words.find((word) => word === value) ?? this.#refuse(name, anyOf(words), words[0]);
  }

  /** A time in ISO 8601 with Z, as in the interface; a time without a zone counts as UTC. */
  time(name: string): string {
    return this.timeOrNull(name) ?? this.#refuse(name, 'a time', '');
  }

  timeOrNull(name: string): string | null {
    const value = this.textOrNull(name);
    if (value === null) return null;
    const atMs = instantOf(value);
    if (Number.isNaN(atMs)) return this.#refuse(name, 'a time, or null', null);
    return value.endsWith('Z') ? value : new Date(atMs).toISOString();
  }

  ids(name: string): readonly string[] {
    const value = this.#fields[name] ?? [];
    const ids = Array.isArray(value) ? value.map(idText) : [null];
    return ids.every((id) => id !== null) ? ids : this.#refuse(name, 'a list of ids', []);
  }

  object(name: string): FieldReader {
    const fields = asJsonObject(this.#fields[name]);
    return new FieldReader(fields ?? this.#refuse(name, 'an object', {}));
  }

  /** A fault within a part is a fault of the whole. */
  include(name: string, part: FieldReader): void {
    if (part.fault !== null) this.fault ??= `${name}.${part.fault}`;
  }

  #refuse<T>(name: string, expected: string, instead: T): T {
    this.fault ??= `${name}: found ${foundText(this.#fields[name])}, expected ${expected}`;
    return instead;
  }
}
