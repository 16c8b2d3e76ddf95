import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import helmet from 'koa-helmet';
import { CodedError } from '../../domain/error.ts';
import type { Incidents } from '../../flows/ports.ts';
import type { ApiAnswer, ApiRoute } from './api-route.ts';
import { type Authenticator, type Identity, requireRole } from './authenticator.ts';
import { errorAnswer, HttpError } from './error-answer.ts';
import type { EventStreams } from './events/event-streams.ts';
import type { HostGuard } from './host-guard.ts';
import { readJsonBody } from './json-body.ts';
import { guardOrigin } from './origin-guard.ts';
import { LOCAL_PREFIX } from './routes/local-routes.ts';
import { fragmentStream } from './send-fragments.ts';

export interface AppOptions {
  readonly routes: readonly ApiRoute[];
  /** What is served without authentication: probes and the like. */
  readonly open: Router;
  readonly authenticator: Authenticator;
  readonly events: EventStreams;
  readonly hostGuard: HostGuard;
  readonly incidents: Incidents;
}

/** Everything but the device endpoints: guards, then authentication, then the routes. Every failure is `{errors}`. */
export function createApp(options: AppOptions): Koa {
  const { open, incidents } = options;
  const api = apiRouter(options);
  const app = new Koa();
  app.use((context, next) => answerErrors(context, next, incidents));
  app.use(SECURITY_HEADERS);
  app.use(options.hostGuard.middleware);
  app.use(guardOrigin);
  app.use(guardPath);
  app.use(open.routes());
  app.use(async (context, next) => {
    if (isUnder(LOCAL_PREFIX, context.path)) {
      const address = context.req.socket.remoteAddress ?? 'unknown';
      context.state.identity = await options.authenticator.identify(context.req.headers.authorization, address);
    }
    return next();
  });
  app.use(api.routes());
  app.use((context) => refuseUnrouted(context, [open, api]));
  app.on('error', (error: Error) =>
    incidents.report({ kind: 'internal', subject: 'http', detail: error.stack ?? error.message }),
  );
  return app;
}

/** Scripts, styles and frames from the gateway alone. Plain HTTP is usual on a plant network: no upgrade is forced. */
const SECURITY_HEADERS = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
});

async function answerErrors(context: Context, next: Next, incidents: Incidents): Promise<void> {
  try {
    await next();
  } catch (error) {
    const { status, headers, body } = errorAnswer(error);
    if (status === 500) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      incidents.report({ kind: 'internal', subject: `http ${context.method} ${context.path}`, detail });
    }
    context.status = status;
    context.set(headers);
    context.body = body;
  }
  // A body that was not read to its end would be taken for the next request.
  if (!context.req.complete && !context.res.headersSent) context.set('Connection', 'close');
}

const CONTROL_CHARACTERS = /\p{Cc}/u;

function guardPath(context: Context, next: Next): Promise<unknown> {
  if (CONTROL_CHARACTERS.test(decoded(context.path))) {
    throw new HttpError(400, 'path: found a control character, expected none');
  }
  return next();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new HttpError(400, 'path: found an invalid percent-encoding, expected UTF-8 as %XX');
  }
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** What authentication leaves for the routes behind it. */
interface ApiState {
  readonly identity: Identity;
}

function apiRouter({ routes, events }: AppOptions): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: LOCAL_PREFIX });
  for (const route of routes) {
    router.register(route.path, [route.method], async (context) => {
      const { identity } = context.state;
      requireRole(identity, route.role);
      const body = route.takesBody ? await readJsonBody(context.req) : undefined;
      const { params } = context;
      const answer = await route.answer({ identity, params, query: { ...context.query }, body });
      respond(context, answer, () => openEvents(context, events, identity));
    });
  }
  return router;
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
    case 'empty':
      context.status = 204;
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

/** Nothing answered: the path exists for other methods only (405), or not at all (404). */
function refuseUnrouted(context: Context, routers: readonly Router[]): never {
  const methods = routers
    .flatMap((router) => router.match(context.path, context.method).path)
    .flatMap((layer) => layer.methods);
  if (methods.length === 0)
    throw new CodedError('not-found', `path: nothing is served at ${context.path.slice(0, 200)}`);
  const allowed = [...new Set(methods)].join(', ');
  throw new HttpError(405, `method: found ${context.method}, expected ${allowed}`, { Allow: allowed });
}
