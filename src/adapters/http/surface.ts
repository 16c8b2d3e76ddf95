import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../../domain/error.ts';
import type { ApiRoute } from './api-route.ts';
import type { ErrorAnswer } from './error-answer.ts';

/** A part of the HTTP interface: what lies under its prefix, and the words it refuses in (ERR-01). */
export interface Surface {
  readonly prefix: string;
  /** Their paths are relative to the prefix. */
  readonly routes: readonly ApiRoute[];
  readonly errorBody: ErrorBody;
  /** Where the interface gives a fault another status than the rest of the product does. */
  readonly statuses: Partial<Readonly<Record<ErrorCode, number>>>;
  /** Whether each key may ask only so often (D-25). */
  readonly isRateLimited: boolean;
}

type ErrorBody = (status: number, errors: readonly string[]) => object;

/** `{errors: […]}`, a sentence a fault. */
export const errorsObject: ErrorBody = (_, errors) => ({ errors });

/** A bare array of sentences, as profiles have it. */
export const errorsArray: ErrorBody = (_, errors) => errors;

/** `{code: "400", message: "Bad Request"}`, as orders have it. */
export const codeAndMessage: ErrorBody = (status) => ({
  code: String(status),
  message: STATUS_CODES[status] ?? 'Unknown',
});

/** The surface that a path lies in; of several the first. */
export function surfaceOf(surfaces: readonly Surface[], path: string): Surface | undefined {
  return surfaces.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Status and body of a refusal in the surface's words. What is wrong with a key is told alike everywhere (AUTH-01, D-25). */
export function refusalIn(
  surface: Surface | undefined,
  { code, status, errors }: ErrorAnswer,
): { readonly status: number; readonly body: object } {
  if (surface === undefined || code === 'unauthenticated' || code === 'not-permitted') {
    return { status, body: errorsObject(status, errors) };
  }
  const own = (code === null ? undefined : surface.statuses[code]) ?? status;
  return { status: own, body: surface.errorBody(own, errors) };
}
