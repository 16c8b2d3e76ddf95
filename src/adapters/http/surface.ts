import { STATUS_CODES } from 'node:http';
import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import type { ErrorCode } from '../../domain/error.ts';
import type { ErrorAnswer } from './answers/error-answer.ts';
import type { ApiRoute } from './requests/api-route.ts';

/** A part of the HTTP interface: the routes under its prefix, and the form of its refusals (ERR-01). */
export interface Surface {
  readonly prefix: string;
  /** Their paths are relative to the prefix. */
  readonly routes: readonly ApiRoute[];
  readonly errorBody: ErrorBody;
  /** The shape of those bodies, for the published documents. */
  readonly errorSchema: TSchema;
  /** Headers of a refusal whose body has no room for the details. */
  readonly errorHeaders?: ErrorHeaders;
  /** The faults for which the interface has another status than the rest of the product. */
  readonly statuses: Partial<Readonly<Record<ErrorCode, number>>>;
  /** Whether a 503 of an operation says if it changed something (D-55): operations there write to the legacy system. */
  readonly tellsOutcome: boolean;
  /** Whether the requests of each key are limited (D-25). */
  readonly isRateLimited: boolean;
}

type ErrorHeaders = (answer: Pick<ErrorAnswer, 'errors' | 'places'>) => Readonly<Record<string, string>>;

type ErrorBody = (status: number, errors: readonly string[]) => object;

/** `{errors: […]}`, one sentence for each fault. */
export const errorsObject: ErrorBody = (_, errors) => ({ errors });

export const ERRORS_OBJECT = Type.Object({ errors: Type.Array(Type.String()) }, { title: 'Errors' });
export const ERRORS_ARRAY = Type.Array(Type.String(), { title: 'ProfileErrors' });
export const CODE_AND_MESSAGE = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'OrderError' });

/** A bare array of sentences, for profiles. */
export const errorsArray: ErrorBody = (_, errors) => errors;

/** `{code: "400", message: "Bad Request"}`, for orders. */
export const codeAndMessage: ErrorBody = (status) => ({
  code: String(status),
  message: STATUS_CODES[status] ?? 'Unknown',
});

/** Sentences in a header of an answer. The rest is left out. */
const MAX_HEADER_CHARACTERS = 2_000;

/** `Plantgate-Errors`: the sentences as JSON in ASCII, because the body of the interface has no room for them. */
function errorsInHeader(errors: readonly string[]): Readonly<Record<string, string>> {
  return { 'Plantgate-Errors': headerText(errors) };
}

/** `Plantgate-Warnings`: the same for unknown fields that were kept (D-37); no header without any. */
export function warningsInHeader(warnings: readonly string[]): Readonly<Record<string, string>> {
  return warnings.length === 0 ? {} : { 'Plantgate-Warnings': headerText(warnings) };
}

/** The faults of an order: its body has only a code and a message. */
export const faultsInHeader: ErrorHeaders = ({ errors }) => errorsInHeader(errors);

/** The places of a profile's faults: the sentences of the interface do not name the feature. */
export const placesInHeader: ErrorHeaders = ({ places }) => (places.length === 0 ? {} : errorsInHeader(places));

export const OUTCOME_HEADER = 'Plantgate-Outcome';
export const OUTCOMES = ['unchanged', 'unknown'] as const;

/** `Plantgate-Outcome`: whether the operation changed nothing, or a write of the coil may have been carried out (D-55). */
function outcomeInHeader(code: ErrorCode | null): Readonly<Record<string, string>> {
  const outcome: (typeof OUTCOMES)[number] = code === 'outcome-unknown' ? 'unknown' : 'unchanged';
  return { [OUTCOME_HEADER]: outcome };
}

function headerText(sentences: readonly string[]): string {
  const told: string[] = [];
  for (const sentence of sentences) {
    if (asciiJson([...told, sentence]).length > MAX_HEADER_CHARACTERS) break;
    told.push(sentence);
  }
  return asciiJson(told);
}

function asciiJson(value: readonly string[]): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The first surface that contains the path. */
export function surfaceOf(surfaces: readonly Surface[], path: string): Surface | undefined {
  return surfaces.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/**
 * Status and body of a refusal in the surface's words. A client without a valid key gets the same words everywhere
 * (AUTH-01, D-25).
 */
export function refusalIn(
  surface: Surface | undefined,
  { code, status, errors, places }: ErrorAnswer,
  method: string,
): { readonly status: number; readonly body: object; readonly headers: Readonly<Record<string, string>> } {
  if (surface === undefined || status === 401 || status === 403) {
    return { status, body: errorsObject(status, errors), headers: {} };
  }
  const own = (code === null ? undefined : surface.statuses[code]) ?? status;
  const headers = {
    ...surface.errorHeaders?.({ errors, places }),
    ...(surface.tellsOutcome && own === 503 && method === 'POST' && outcomeInHeader(code)),
  };
  return { status: own, body: surface.errorBody(own, errors), headers };
}
