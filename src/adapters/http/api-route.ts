import Type, { type Static, type TSchema } from 'typebox';
import type { Role } from '../../domain/plant.ts';
import type { Identity } from './authenticator.ts';
import { bodyCheck, queryCheck } from './request-shape.ts';

export type ApiAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly body: object }
  /** JSON that is made while it is sent. */
  | { readonly kind: 'fragments'; readonly fragments: Iterable<string> }
  | { readonly kind: 'empty' }
  | { readonly kind: 'events' };

/** A request whose sender is known and permitted; query and body as they came. */
interface ApiCall {
  readonly identity: Identity;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** One operation of `/api/local`. Path parameters are written `:name`. */
export interface ApiRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** The least role it takes. */
  readonly role: Role;
  readonly takesBody: boolean;
  readonly answer: (call: ApiCall) => ApiAnswer | Promise<ApiAnswer>;
}

/** A call whose query and body have the shapes that its route asks for. */
interface CheckedCall<Query, Body> {
  readonly identity: Identity;
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
}

type Answer<Query, Body> = (call: CheckedCall<Query, Body>) => ApiAnswer | Promise<ApiAnswer>;

/** A query without parameters. */
export const NO_QUERY = Type.Object({}, { additionalProperties: false });
const NO_BODY = Type.Unknown();

/** The four kinds of routes. What a call brings is checked by the schemas before it is answered. */
export function get<Query extends TSchema>(
  path: string,
  role: Role,
  query: Query,
  answer: Answer<Static<Query>, unknown>,
): ApiRoute {
  return { method: 'GET', path, role, takesBody: false, answer: checked(query, NO_BODY, answer) };
}

export function put<Body extends TSchema>(
  path: string,
  role: Role,
  body: Body,
  answer: Answer<object, Static<Body>>,
): ApiRoute {
  return { method: 'PUT', path, role, takesBody: true, answer: checked(NO_QUERY, body, answer) };
}

export function post<Body extends TSchema>(
  path: string,
  role: Role,
  body: Body,
  answer: Answer<object, Static<Body>>,
): ApiRoute {
  return { method: 'POST', path, role, takesBody: true, answer: checked(NO_QUERY, body, answer) };
}

export function remove(path: string, role: Role, answer: Answer<object, unknown>): ApiRoute {
  return { method: 'DELETE', path, role, takesBody: false, answer: checked(NO_QUERY, NO_BODY, answer) };
}

function checked<Query extends TSchema, Body extends TSchema>(
  query: Query,
  body: Body,
  answer: Answer<Static<Query>, Static<Body>>,
): ApiRoute['answer'] {
  const checkQuery = queryCheck(query);
  const checkBody = bodyCheck(body);
  return (call) =>
    answer({
      identity: call.identity,
      param: (name) => call.params[name] ?? '',
      query: checkQuery(call.query),
      body: checkBody(call.body),
    });
}

export function json(body: object, status = 200): ApiAnswer {
  return { kind: 'json', status, body };
}
