import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import type { Context } from 'koa';
import { CodedError } from '../../domain/error.ts';
import type { RequestReceipt } from '../../domain/request-receipt.ts';
import { noSuchCoil, noSuchTask } from '../../domain/warehouse/refusals.ts';
import type { DoOnceFlow } from '../../flows/do-once.ts';
import { longJson } from './answers/long-json.ts';
import { byteStream, fragmentStream, pageStream } from './answers/send-fragments.ts';
import type { RouteAudit } from './audit/route-audit.ts';
import { EVENT_STREAM, type EventStreams } from './events/event-streams.ts';
import { type Identity, ONLOOKER, requireRole } from './guards/authenticator.ts';
import { LIMITS } from './limits.ts';
import type { ApiAnswer, ApiRoute, EventChoice, RouteBody } from './requests/api-route.ts';
import { addressOf } from './requests/client.ts';
import { hasBody, parseBody, readJsonText, readPackedJson, readPlainBytes } from './requests/json-body.ts';
import { requestKey, requestTarget } from './requests/named-request.ts';
import { noJson, type RequestBodies } from './requests/request-bodies.ts';
import type { Surface } from './surface.ts';

/** Results of authentication for the routes behind it. */
export interface ApiState {
  readonly identity: Identity;
}

/** Reads the bodies of requests, carries out a request with an idempotency key once, and notes acts in the audit. */
interface RequestServing {
  readonly bodies: RequestBodies;
  readonly requests: DoOnceFlow;
  readonly audit: Pick<RouteAudit<unknown>, 'around'>;
}

/** Serves the routes of a surface to clients that were identified before. */
export function surfaceRouter(
  { prefix, routes }: Surface,
  options: { readonly events: EventStreams } & RequestServing,
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix, sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method], async (context) => {
      const { identity } = context.state;
      if (route.role !== 'anyone') requireRole(identity, route.role, route.method === 'GET');
      requireShortIds(context.params);
      const answer = await answerOf(context, prefix, route, options);
      await respond(context, answer, (choice) => openEvents(context, options.events, identity, choice));
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
  { bodies, requests, audit }: RequestServing,
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
    if (key === null || repeat === null) return act(null);
    const request = { principal: identity.principal, key, target: requestTarget(req), body: text };
    return requests.once(request, { act, repeat: (answer) => repeat(answer, body) });
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
  { isText, isBytes, packedBudget, isOptional, maxBytes }: RouteBody,
): Promise<SentBody> {
  if (!(await hasBody(request))) {
    if (isOptional) return NOTHING;
    throw noJson('nothing', isBytes ? 'bytes' : 'a JSON object');
  }
  if (packedBudget !== null) return { value: await readPackedJson(bodies, request, maxBytes), text: null };
  if (isBytes) return { value: await readPlainBytes(bodies, request, maxBytes), text: null };
  const text = await readJsonText(bodies, request, maxBytes);
  return { value: isText ? text : parseBody(text), text };
}

/** A body without a length counts with its maximum length. */
function announcedBytes({ headers: { 'content-length': length } }: IncomingMessage, maxBytes: number): number {
  return length === undefined ? maxBytes : Math.min(Number(length), maxBytes);
}

async function respond(context: Context, answer: ApiAnswer, stream: (choice: EventChoice) => void): Promise<void> {
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
      context.set('Content-Type', 'text/csv; charset=utf-8; header=present');
      context.attachment(answer.fileName);
      context.body = pageStream(answer.pages);
      return;
    case 'archive':
      context.type = 'application/gzip';
      context.attachment(answer.fileName);
      context.length = answer.bytes.byteLength;
      context.body = byteStream(answer.bytes);
      return;
    case 'jsonText': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      context.type = 'application/json';
      context.body = Buffer.from(buffer, byteOffset, byteLength);
      return;
    }
    case 'plainText': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      context.set({ ...answer.headers, 'Content-Type': 'text/plain;charset=UTF-8' });
      context.body = Buffer.from(buffer, byteOffset, byteLength);
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
function openEvents(context: Context, events: EventStreams, identity: Identity, choice: EventChoice): void {
  if (context.method === 'HEAD') {
    context.status = 200;
    context.set('Content-Type', EVENT_STREAM);
    return;
  }
  const seesAll = identity !== ONLOOKER;
  const owner = seesAll ? identity.keyId : `onlooker ${addressOf(context.req)}`;
  const listener = { mayListen: identity.isCurrent, owner, seesAll, ...choice };
  events.makeRoom(listener);
  context.respond = false;
  const lastEventId = context.get('Last-Event-ID');
  events.open(context.res, lastEventId === '' ? undefined : lastEventId, listener);
}
