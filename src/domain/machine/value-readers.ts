import { anyOf, foundText, invalidInput } from '../error.ts';

/** Reads an unknown value as T, or throws CodedError `invalid-input` with the path of the fault. */
export type Shape<T> = (value: unknown, path: string) => T;

export const aNumber: Shape<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(value, path, 'a number');

export const aText: Shape<string> = (value, path) => (typeof value === 'string' ? value : refuse(value, path, 'text'));

export const aBoolean: Shape<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(value, path, 'true or false');

export const aScalar: Shape<string | number | boolean> = (value, path) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : refuse(value, path, 'text, a number or a boolean');

/** Null, which also stands for a missing field. */
export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null || value === undefined ? null : shape(value, path));
}

export function oneOf<const T extends string>(choices: readonly T[]): Shape<T> {
  return (value, path) => choices.find((choice) => choice === value) ?? refuse(value, path, anyOf(choices));
}

export function listOf<T>(shape: Shape<T>, maxLength: number): Shape<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > maxLength) return refuse(value, path, `at most ${maxLength} entries`);
    return value.map((entry, place) => shape(entry, `${path}[${place}]`));
  };
}

/** An object with at least these fields; others are left out, so that a newer program's state can be read. */
export function anObject<T extends object>(fields: { readonly [Key in keyof T]: Shape<T[Key]> }): Shape<T> {
  const shapes = Object.entries<Shape<unknown>>(fields);
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return refuse(value, path, 'an object');
    const source = new Map<string, unknown>(Object.entries(value));
    const prefix = path === '' ? '' : `${path}.`;
    // Every key of T has been read by the shape of its own type.
    return Object.fromEntries(shapes.map(([key, shape]) => [key, shape(source.get(key), `${prefix}${key}`)])) as T;
  };
}

function refuse(value: unknown, path: string, expected: string): never {
  throw invalidInput([{ path, found: foundText(value), expected }]);
}
