import type { IncomingMessage } from 'node:http';
import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import type { CsvRow } from '../../../domain/csv.ts';
import { invalidInput } from '../../../domain/error.ts';
import type { NeededRole } from '../../../domain/plant/plant.ts';
import type { RequestReceipt } from '../../../domain/request-receipt.ts';
import { schemaCheck } from '../../../validation/schema-check.ts';
import type { Identity } from '../guards/authenticator.ts';
import { LIMITS } from '../limits.ts';
import type { ByteBudget } from './request-bodies.ts';

type AnswerHeaders = Readonly<Record<string, string>>;

/**
 * The callers of a route: a role and those above it, any client with a key or a session, or people who are not signed
 * in yet.
 */
export type Caller = NeededRole | 'anyone';

export type ApiAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly body: object; readonly headers?: AnswerHeaders }
  /** JSON that is made while it is sent. */
  | { readonly kind: 'fragments'; readonly fragments: Iterable<string> }
  /** JSON that was made elsewhere and is sent unchanged. `tag`: its ETag, if that is not the hash of the bytes. */
  | { readonly kind: 'jsonText'; readonly bytes: Uint8Array<ArrayBuffer>; readonly tag?: string }
  | CsvAnswer
  /** A compressed archive to be kept as a file. */
  | { readonly kind: 'archive'; readonly fileName: string; readonly bytes: Uint8Array<ArrayBuffer> }
  /** `text/plain;charset=UTF-8`, made elsewhere. */
  | { readonly kind: 'plainText'; readonly bytes: Uint8Array<ArrayBuffer>; readonly headers?: AnswerHeaders }
  | { readonly kind: 'octets'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'empty'; readonly status: number }
  | { readonly kind: 'events'; readonly choice: EventChoice };

/** `text/csv`, made page by page while it is sent, to be kept as a file; the query chooses its form. */
export interface CsvAnswer {
  readonly kind: 'csv';
  readonly fileName: string;
  readonly columns: readonly string[];
  readonly pages: AsyncIterable<Iterable<CsvRow>> | Iterable<Iterable<CsvRow>>;
}

/** The events that a listener wants. */
export interface EventChoice {
  /** Machines whose messages are sent as events `message`, too. */
  readonly follows: readonly string[];
  /** Whole machines, or their changed fields. */
  readonly fields: 'whole' | 'changed';
}

/** A request whose sender is known and permitted, with its unchanged query and body. */
interface ApiCall {
  readonly identity: Identity;
  readonly request: IncomingMessage;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** Undefined if none was sent and none is required. */
  readonly body: unknown;
  /** Null if the request has no `Idempotency-Key`, or the route does not honour such keys. */
  readonly receipt: RequestReceipt | null;
  /** Whether the request's Accept asks for CSV rather than JSON. */
  readonly prefersCsv: () => boolean;
}

/** The body that a route takes: JSON, unless `isBytes`. An optional body that is left out is an empty object. */
export interface RouteBody {
  readonly schema: TSchema;
  /** Whether it is passed on as text: it may be megabytes, which the store thread reads. */
  readonly isText: boolean;
  /** True: the body is `application/octet-stream` and passed on as bytes. */
  readonly isBytes: boolean;
  /** The budget on which it counts until it is answered, if it is passed on as a `PackedBody`; else null. */
  readonly packedBudget: ByteBudget | null;
  readonly isOptional: boolean;
  readonly maxBytes: number;
  /** JSON values of a body that is read here. */
  readonly maxValues: number;
}

/** A route in the published documents; an answer without a body has no schema. */
export interface RouteDescription {
  readonly summary: string;
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** Whether its answers may have the header `Plantgate-Warnings` (D-37). */
  readonly hasWarnings?: boolean;
}

/** A description with one answer, whose status is 200 unless it says another one. */
export function described(summary: string, answer: TSchema | null, status = 200): RouteDescription {
  return { summary, answers: { [status]: answer } };
}

/** One operation of a surface. Path parameters are written `:name`. */
export interface ApiRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** The least role it takes. */
  readonly role: Caller;
  readonly query: TSchema;
  /** Null if no body is read. */
  readonly body: RouteBody | null;
  readonly description: RouteDescription;
  /** Answers a request that was done already under its `Idempotency-Key`. Null if keys are not honoured. */
  readonly repeat: Repeat | null;
  readonly answer: (call: ApiCall) => ApiAnswer | Promise<ApiAnswer>;
}

/** A call whose query and body have the shapes that its route asks for. */
interface CheckedCall<Query, Body> {
  readonly identity: Identity;
  readonly request: IncomingMessage;
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
  readonly receipt: RequestReceipt | null;
  readonly prefersCsv: () => boolean;
}

/**
 * `answer` is the body of the first answer, as it was sent; null without one. What else the answer holds is made again
 * from the body of the request.
 */
type Repeat = (answer: Uint8Array<ArrayBuffer> | null, body: unknown) => ApiAnswer | Promise<ApiAnswer>;

type Answer<Query, Body> = (call: CheckedCall<Query, Body>) => ApiAnswer | Promise<ApiAnswer>;

/** A query without parameters. */
export const NO_QUERY = Type.Object({}, { additionalProperties: false });
const NO_BODY = Type.Unknown();
const TEXT = Type.String();

interface RouteDefinition<Query extends TSchema, Body extends TSchema> {
  readonly method: ApiRoute['method'];
  readonly path: string;
  readonly role: Caller;
  readonly query?: Query;
  readonly body?: Body;
  readonly isBodyText?: boolean;
  readonly isBodyBytes?: boolean;
  readonly packedBodyBudget?: ByteBudget;
  readonly isBodyOptional?: boolean;
  readonly maxBodyBytes?: number;
  readonly maxBodyValues?: number;
  readonly description: RouteDescription;
  readonly repeat?: Repeat;
  readonly answer: Answer<Static<Query>, Static<Body>>;
}

/** A route; its schemas check a call's input before it is answered. Without a `body` none is read. */
export function route<Query extends TSchema = typeof NO_QUERY, Body extends TSchema = typeof NO_BODY>(
  definition: RouteDefinition<Query, Body>,
): ApiRoute {
  const { method, path, role, query = NO_QUERY, body, description, repeat = null, answer } = definition;
  const { isBodyText: isText = false, isBodyBytes: isBytes = false, isBodyOptional: isOptional = false } = definition;
  const { packedBodyBudget: packedBudget = null } = definition;
  const { maxBodyBytes: maxBytes = role === 'anyone' ? LIMITS.openBodyBytes : LIMITS.apiBodyBytes } = definition;
  const { maxBodyValues: maxValues = LIMITS.bodyValues } = definition;
  const checkQuery = queryCheck<TSchema>(query);
  const checkBody = bodyCheck<TSchema>(packedBudget !== null ? NO_BODY : isText ? TEXT : (body ?? NO_BODY));
  return {
    method,
    path,
    role,
    query,
    body: body === undefined ? null : { schema: body, isText, isBytes, packedBudget, isOptional, maxBytes, maxValues },
    description,
    repeat,
    answer: (call) =>
      answer({
        identity: call.identity,
        request: call.request,
        receipt: call.receipt,
        prefersCsv: call.prefersCsv,
        param: (name) => call.params[name] ?? '',
        // Both were just checked by the schemas that give them their types; bytes have no shape.
        query: checkQuery(call.query) as Static<Query>,
        body: (isBytes ? call.body : checkBody(call.body ?? {})) as Static<Body>,
      }),
  };
}

/** `get`, `getBy` with a query, `put`, `post` and `remove` are short forms of `route`, for `/api/local`. */
export function get(
  path: string,
  role: Caller,
  description: RouteDescription,
  answer: Answer<object, unknown>,
): ApiRoute {
  return route({ method: 'GET', path, role, description, answer });
}

export function getBy<Query extends TSchema>(
  path: string,
  role: Caller,
  query: Query,
  description: RouteDescription,
  answer: Answer<Static<Query>, unknown>,
): ApiRoute {
  return route({ method: 'GET', path, role, query, description, answer });
}

export function put<Body extends TSchema>(
  path: string,
  role: Caller,
  body: Body,
  description: RouteDescription,
  answer: Answer<object, Static<Body>>,
): ApiRoute {
  return route({ method: 'PUT', path, role, body, description, answer });
}

export function post<Body extends TSchema>(
  path: string,
  role: Caller,
  body: Body,
  description: RouteDescription,
  answer: Answer<object, Static<Body>>,
): ApiRoute {
  return route({ method: 'POST', path, role, body, description, answer });
}

export function remove(
  path: string,
  role: Caller,
  description: RouteDescription,
  answer: Answer<object, unknown>,
): ApiRoute {
  return route({ method: 'DELETE', path, role, description, answer });
}

export function json(body: object, status = 200, headers: AnswerHeaders = {}): ApiAnswer {
  return { kind: 'json', status, body, headers };
}

/** JSON that the store made, unchanged. */
export function jsonText({ bytes }: { readonly bytes: Uint8Array<ArrayBuffer> }): ApiAnswer {
  return { kind: 'jsonText', bytes };
}

/** A status alone, without a body. */
export function empty(status: number): ApiAnswer {
  return { kind: 'empty', status };
}

/** Checks a value and gives it with its type, or throws `invalid-input` with every fault. */
type Check<T> = (value: unknown) => T;

function bodyCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return checkBy(schema, 'body');
}

/**
 * Query parameters come as text; those that the schema wants as numbers or booleans are read as such. One without a
 * value counts as left out (D-52).
 */
export function queryCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  const check = checkBy(schema, 'query');
  const properties = new Map(Object.entries(propertiesOf(schema)));
  return (query) => {
    const given = Object.entries(query ?? {}).filter(([name, value]) => value !== '' || !properties.has(name));
    const values = given.map(([name, value]) => [name, readParameter(value, properties.get(name) ?? {})]);
    return check(Object.fromEntries(values));
  };
}

interface Parameter {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

function propertiesOf(schema: TSchema): Readonly<Record<string, Parameter>> {
  return 'properties' in schema ? Object(schema.properties) : {};
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const NUMBERS: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d{1,15}$/,
  number: /^-?\d{1,15}(\.\d{1,15})?$/,
};

/** Anything but the plain form stays text, which the schema then refuses. */
function readParameter(value: unknown, { type, enum: words }: Parameter): unknown {
  if (typeof value !== 'string' || type === undefined) return value;
  if (words !== undefined) return wordOf(value, words);
  if (type === 'boolean') return FLAGS.get(value.toLowerCase()) ?? value;
  return NUMBERS[type]?.test(value) ? Number(value) : value;
}

/** One of these words, in any case. */
function wordOf(value: string, words: readonly unknown[]): unknown {
  const asked = value.toLowerCase();
  return words.includes(value) ? value : (words.find((word) => String(word).toLowerCase() === asked) ?? value);
}

function checkBy<S extends TSchema>(schema: S, root: string): Check<Static<S>> {
  const check = schemaCheck(schema, { root });
  return (value) => {
    const result = check(value);
    if (result.ok) return result.value;
    throw invalidInput(result.faults);
  };
}
