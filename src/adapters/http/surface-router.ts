import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import type { Context } from 'koa';
import { invalidInput } from '../../domain/error.ts';
import type { ApiAnswer, RouteBody } from './api-route.ts';
import { type Identity, requireRole } from './authenticator.ts';
import type { EventStreams } from './events/event-streams.ts';
import { hasBody, readJsonBody, readJsonText } from './json-body.ts';
import { fragmentStream } from './send-fragments.ts';
import type { Surface } from './surface.ts';

/** What authentication leaves for the routes behind it. */
export interface ApiState {
  readonly identity: Identity;
}

/** Serves the routes of a surface to whoever was identified before. */
export function surfaceRouter({ prefix, routes }: Surface, events: EventStreams): Router<ApiState> {
  const router = new Router<ApiState>({ prefix, sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method], async (context) => {
      const { identity } = context.state;
      requireRole(identity, route.role);
      const body = route.body === null ? undefined : await readBodyOf(context.req, route.body);
      const { params } = context;
      const answer = await route.answer({ identity, params, query: { ...context.query }, body });
      respond(context, answer, () => openEvents(context, events, identity));
    });
  }
  return router;
}

async function readBodyOf(request: IncomingMessage, { isText, isOptional, maxBytes }: RouteBody): Promise<unknown> {
  if (!(await hasBody(request))) {
    if (isOptional) return undefined;
    throw invalidInput([{ path: 'body', found: 'nothing', expected: 'a JSON object' }]);
  }
  return isText ? readJsonText(request, maxBytes) : readJsonBody(request, maxBytes);
}

function respond(context: Context, answer: ApiAnswer, stream: () => void): void {
  context.set('Cache-Control', 'no-store');
  switch (answer.kind) {
    case 'json':
      context.status = answer.status;
      context.body = answer.body;
      return;
    case 'fragments':
      context.type = 'application/json';
      context.body = fragmentStream(answer.fragments);
      return;
    case 'jsonText': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      context.type = 'application/json';
      context.body = Buffer.from(buffer, byteOffset, byteLength);
      return;
    }
    case 'plainText': {
      const { buffer, byteOffset, byteLength } = answer.bytes;
      context.set('Content-Type', 'text/plain;charset=UTF-8');
      context.body = Buffer.from(buffer, byteOffset, byteLength);
      return;
    }
    case 'empty':
      // Null first: it would set 204 itself.
      context.body = null;
      context.status = answer.status;
      return;
    case 'events':
      stream();
  }
}

function openEvents(context: Context, events: EventStreams, identity: Identity): void {
  events.requireRoom();
  context.respond = false;
  const lastEventId = context.get('Last-Event-ID');
  events.open(context.res, lastEventId === '' ? undefined : lastEventId, identity.isCurrent);
}
