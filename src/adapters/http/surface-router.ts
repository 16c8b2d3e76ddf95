import { type IncomingMessage, STATUS_CODES } from 'node:http';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { CodedError, type ErrorCode, foundText, invalidInput } from '../../domain/error.ts';
import type { RequestReceipt } from '../../domain/request-receipt.ts';
import { noSuchCoil, noSuchTask } from '../../domain/warehouse/refusals.ts';
import type { DoOnceFlow } from '../../flows/do-once-flow.ts';
import type { SharedDecisions } from '../../flows/ports.ts';
import type { Sights } from '../../flows/receive/sights.ts';
import { csvFormOf, csvPages } from './answers/csv-pages.ts';
import type { ErrorAnswer } from './answers/error-answer.ts';
import { longJson } from './answers/long-json.ts';
import { polledBody } from './answers/polled-body.ts';
import { byteStream, fragmentStream, pageStream } from './answers/send-fragments.ts';
import type { RouteAudit } from './audit/route-audit.ts';
import { EVENT_STREAM, type EventStreams } from './events/event-streams.ts';
import { type Identity, ONLOOKER, requireRole } from './guards/authenticator.ts';
import { LIMITS } from './limits.ts';
import type { ApiAnswer, ApiRoute, EventChoice, RouteBody } from './requests/api-route.ts';
import { addressOf } from './requests/client.ts';
import { isDecision } from './requests/decisions.ts';
import {
  hasBody,
  noJson,
  parseBody,
  type RequestBodies,
  readJsonText,
  readPackedJson,
  readPlainBytes,
} from './requests/request-bodies.ts';

/** Results of authentication for the routes behind it. */
export interface ApiState {
  readonly identity: Identity;
}

/** Reads the bodies of requests, carries out a request with an idempotency key once, and notes acts in the audit. */
interface RequestServing {
  readonly bodies: RequestBodies;
  readonly requests: DoOnceFlow;
  readonly audit: Pick<RouteAudit<unknown>, 'around'>;
  /** Null: no other node decides about the same records. */
  readonly decisions: SharedDecisions | null;
}

/** Serves the routes of a surface to clients that were identified before. */
export function surfaceRouter(
  { prefix, routes, isShared }: Surface,
  options: RequestServing & {
    readonly events: EventStreams;
    readonly sights: Sights;
    /** A time as clocks in the plant show it. */
    readonly timeText: (wallMs: number) => string;
  },
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix, sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method], async (context) => {
      const { identity } = context.state;
      if (route.role !== 'anyone') requireRole(identity, route.role, route.method === 'GET');
      requireShortIds(context.params);
      const answer = await answerOf(context, prefix, route, options);
      // Its session and its place in the audit are there for a client whose next request goes to another node.
      if (route.method !== 'GET' && isShared) await options.decisions?.written();
      const isPolled = route.method === 'GET' && identity.role === 'gateway';
      await respond(
        context,
        isPolled ? await asBytes(answer) : answer,
        { isPolled, timeText: options.timeText },
        (choice) => openEvents(context, options, identity, choice),
      );
    });
  }
  return router;
}

/** No record has a longer id, and the gateway remembers who changed which one. */
function requireShortIds(params: Readonly<Record<string, string>>): void {
  for (const [name, id] of Object.entries(params)) {
    if (id.length <= LIMITS.idLength) continue;
    if (name === 'taskId') throw noSuchTask(id);
    if (name === 'coilId') throw noSuchCoil(id);
    throw new CodedError('not-found', `${name}: found ${id.length} characters, expected at most ${LIMITS.idLength}`);
  }
}

/** Carries out a request with an idempotency key once, if its route honours keys. */
async function answerOf(
  context: Context & { readonly state: ApiState },
  prefix: string,
  route: ApiRoute,
  { bodies, requests, audit, decisions }: RequestServing,
): Promise<ApiAnswer> {
  const { body: bodyOf, repeat } = route;
  const { req, params, query } = context;
  const { identity } = context.state;
  const key = repeat === null ? null : requestKey(req);
  return withBodyOf(bodies, req, bodyOf, ({ value: body, text }) => {
    const prefersCsv = () => context.accepts('json', 'csv') === 'csv';
    const call = { identity, request: req, params, query: { ...query }, body, prefersCsv };
    const act = (receipt: RequestReceipt | null) =>
      audit.around(prefix, route, call, () => route.answer({ ...call, receipt }));
    const carryOut = async () => {
      if (key === null || repeat === null) return act(null);
      const request = { principal: identity.principal, key, target: requestTarget(req), body: text };
      return requests.once(request, { act, repeat: (answer) => repeat(answer, body) });
    };
    // The body was read before, so that a slow client does not hold other nodes up.
    return decisions !== null && isDecision(prefix, route) ? decisions.decide(carryOut) : carryOut();
  });
}

/** A body in the form that a route takes, and its original text if it was text. */
interface SentBody {
  readonly value: unknown;
  readonly text: string | null;
}

const NOTHING: SentBody = { value: undefined, text: null };

async function withBodyOf(
  bodies: RequestBodies,
  request: IncomingMessage,
  body: RouteBody | null,
  answer: (body: SentBody) => ApiAnswer | Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  if (body === null) return answer(NOTHING);
  if (body.packedBudget === null) return answer(await readBodyOf(bodies, request, body));
  const bytes = announcedBytes(request, body.maxBytes);
  const release = body.packedBudget.take(bytes);
  bodies.allowSlowLine(request, bytes);
  try {
    return await answer(await readBodyOf(bodies, request, body));
  } finally {
    release();
  }
}

async function readBodyOf(
  bodies: RequestBodies,
  request: IncomingMessage,
  { isText, isBytes, packedBudget, isOptional, maxBytes, maxValues }: RouteBody,
): Promise<SentBody> {
  if (!(await hasBody(request))) {
    if (isOptional) return NOTHING;
    throw noJson('nothing', isBytes ? 'bytes' : 'a JSON object');
  }
  if (packedBudget !== null) return { value: await readPackedJson(bodies, request, maxBytes), text: null };
  if (isBytes) return { value: await readPlainBytes(bodies, request, maxBytes), text: null };
  const text = await readJsonText(bodies, request, maxBytes);
  return { value: isText ? text : parseBody(text, maxValues), text };
}

/** A body without a length counts with its maximum length. */
function announcedBytes({ headers: { 'content-length': length } }: IncomingMessage, maxBytes: number): number {
  return length === undefined ? maxBytes : Math.min(Number(length), maxBytes);
}

/** JSON of status 200 as the bytes that are sent; any other answer as it is. */
async function asBytes(answer: ApiAnswer): Promise<ApiAnswer> {
  if (answer.kind !== 'json' || answer.status !== 200 || Object.keys(answer.headers ?? {}).length > 0) return answer;
  const bytes = (await longJson(answer.body)) ?? Buffer.from(JSON.stringify(answer.body));
  return { kind: 'jsonText', bytes: new Uint8Array(bytes) };
}

async function respond(
  context: Context,
  answer: ApiAnswer,
  { isPolled, timeText }: { readonly isPolled: boolean; readonly timeText: (wallMs: number) => string },
  stream: (choice: EventChoice) => void,
): Promise<void> {
  context.set('Cache-Control', 'no-store');
  switch (answer.kind) {
    case 'json':
      context.status = answer.status;
      context.set({ ...answer.headers });
      context.body = (await longJson(answer.body)) ?? answer.body;
      context.type = 'application/json';
      return;
    case 'fragments':
      context.type = 'application/json';
      context.body = fragmentStream(answer.fragments);
      return;
    case 'csv':
      context.body = pageStream(await csvPages(answer, csvFormOf(context.query, timeText)));
      context.set('Content-Type', 'text/csv; charset=utf-8; header=present');
      context.attachment(answer.fileName);
      return;
    case 'archive':
      context.type = 'application/gzip';
      context.attachment(answer.fileName);
      context.length = answer.bytes.byteLength;
      context.body = byteStream(answer.bytes);
      return;
    case 'jsonText': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      if (answer.tag !== undefined) context.set('ETag', answer.tag);
      const body = isPolled ? await polledBody(context, bytes) : bytes;
      context.body = body;
      if (body === null) context.status = 304;
      else context.type = 'application/json';
      return;
    }
    case 'plainText': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      context.set({ ...answer.headers, 'Content-Type': 'text/plain;charset=UTF-8' });
      context.body = Buffer.from(buffer, byteOffset, byteLength);
      return;
    }
    case 'octets': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      context.body = Buffer.from(buffer, byteOffset, byteLength);
      context.type = 'application/octet-stream';
      return;
    }
    case 'empty':
      // The null body is set first, because it would set 204 itself.
      context.body = null;
      context.status = answer.status;
      return;
    case 'events':
      stream(answer.choice);
  }
}

/** Koa ends the answer to a HEAD, which takes no place of a listener. */
function openEvents(
  context: Context,
  { events, sights }: { readonly events: EventStreams; readonly sights: Sights },
  identity: Identity,
  choice: EventChoice,
): void {
  if (context.method === 'HEAD') {
    context.status = 200;
    context.set('Content-Type', EVENT_STREAM);
    return;
  }
  const seesAll = identity !== ONLOOKER;
  const owner = seesAll ? identity.keyId : `onlooker ${addressOf(context.req)}`;
  const listener = { mayListen: identity.isCurrent, owner, seesAll, sight: sights.of(identity), ...choice };
  events.makeRoom(listener);
  context.respond = false;
  const lastEventId = context.get('Last-Event-ID');
  events.open(context.res, lastEventId === '' ? undefined : lastEventId, listener);
}

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
  /** Whether `Retry-After` differs from refusal to refusal (2 to 10 s), because many senders are put off at once. */
  readonly spreadsRetries: boolean;
  /** Whether its answers are the same at every node of a central server, up to the last one of each. */
  readonly isShared: boolean;
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
    ...(surface.spreadsRetries && isPassing(code) && { 'Retry-After': spreadRetry() }),
    ...(surface.tellsOutcome && own === 503 && method === 'POST' && outcomeInHeader(code)),
  };
  return { status: own, body: surface.errorBody(own, errors), headers };
}

/** Hundreds of gateways that were put off at the same moment must not come back at the same moment. */
const RETRY_FROM_S = 2;
const RETRY_TO_S = 10;

function spreadRetry(): string {
  return String(RETRY_FROM_S + Math.floor(Math.random() * (RETRY_TO_S - RETRY_FROM_S + 1)));
}

function isPassing(code: ErrorCode | null): boolean {
  return code === 'rate-limited' || code === 'store-unavailable';
}

/** The header by which a sender names a request, so that its repetitions are recognised (contract.md, Upstream). */
export const REQUEST_KEY_HEADER = 'Idempotency-Key';
/** A longer Idempotency-Key is refused with 400. */
export const MAX_REQUEST_KEY_LENGTH = 200;
const REQUEST_KEY = new RegExp(`^[!-~]{1,${MAX_REQUEST_KEY_LENGTH}}$`);

/** The idempotency key of a request; null if it has none. Throws `invalid-input`. */
function requestKey({ headers: { 'idempotency-key': key } }: IncomingMessage): string | null {
  if (key === undefined) return null;
  if (typeof key === 'string' && REQUEST_KEY.test(key)) return key;
  const expected = `1 to ${MAX_REQUEST_KEY_LENGTH} visible ASCII characters`;
  throw invalidInput([{ path: REQUEST_KEY_HEADER, found: foundText(String(key)), expected }]);
}

/** Method, path and query of a request: `POST /api/v1/profiles`. */
function requestTarget({ method, url }: IncomingMessage): string {
  return `${method} ${url}`;
}
