import { Readable } from 'node:stream';
import type { Router, RouterContext } from '@koa/router';
import type { Context, Next } from 'koa';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { anyOf, CodedError } from '../../domain/error.ts';
import { errorStack } from '../../domain/error-text.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { DoOnceFlow } from '../../flows/do-once-flow.ts';
import type { Clock, Incidents, SharedDecisions } from '../../flows/ports.ts';
import type { Sights } from '../../flows/receive/sights.ts';
import type { OpenLimit } from '../../flows/shared-limits.ts';
import { errorAnswer, HttpError, tooOften } from './answers/error-answer.ts';
import type { UnreadAnswers } from './answers/unread-answers.ts';
import type { RouteAudit } from './audit/route-audit.ts';
import { endUnread } from './device/send.ts';
import type { EventStreams } from './events/event-streams.ts';
import { ANYONE, type Authenticator, type Identity, ONLOOKER } from './guards/authenticator.ts';
import { guardOrigin, type HostGuard } from './guards/host-guard.ts';
import { type PageIdentities, pageIdentity } from './guards/page-identity.ts';
import { LIMITS } from './limits.ts';
import { isOfServer, plantOf, readPlantChoice, requireAllPlants } from './plant-choice.ts';
import { addressOf } from './requests/client.ts';
import type { RequestBodies } from './requests/request-bodies.ts';
import { LOCAL_PREFIX } from './routes/local-routes.ts';
import { type ApiState, refusalIn, type Surface, surfaceOf, surfaceRouter } from './surface-router.ts';

/** The part of the interface that each plant of a server has for itself (D-108). */
export interface PlantServing {
  readonly plantId: string;
  readonly surfaces: readonly Surface[];
  readonly events: EventStreams;
  readonly requests: DoOnceFlow;
  readonly audit: Pick<RouteAudit<unknown>, 'around'>;
  readonly decisions: SharedDecisions | null;
}

export interface AppOptions extends PageIdentities {
  /** The first one serves also what belongs to the whole server. */
  readonly plants: readonly [PlantServing, ...PlantServing[]];
  /** Routes without authentication, such as probes. */
  readonly open: Router;
  readonly authenticator: Authenticator;
  /** Whether Andon is shown without a sign-in. */
  readonly openAndon: boolean;
  /** Shows the page at an address that names nothing; false: not to this client. */
  readonly showNowhere: (context: Context) => boolean;
  readonly bodies: RequestBodies;
  readonly sights: Sights;
  readonly timeText: (wallMs: number) => string;
  readonly hostGuard: HostGuard;
  /** Requests of one key, on the business interface. */
  readonly requestsPerSecond: number;
  readonly openLimit: OpenLimit;
  readonly unread: UnreadAnswers;
  readonly incidents: Incidents;
  readonly clock: Clock;
}

/** A plant with the routers of its surfaces, by their prefixes. */
interface RoutedPlant extends PlantServing {
  readonly routers: ReadonlyMap<string, Router<ApiState>>;
  readonly routes: ReadonlyMap<string, ReturnType<Router<ApiState>['routes']>>;
}

function routedPlant(plant: PlantServing, options: Pick<AppOptions, 'bodies' | 'sights' | 'timeText'>): RoutedPlant {
  const { bodies, sights, timeText } = options;
  const serving = { ...plant, bodies, sights, timeText };
  const routers = new Map(plant.surfaces.map((surface) => [surface.prefix, surfaceRouter(surface, serving)]));
  const routes = new Map([...routers].map(([prefix, router]) => [prefix, router.routes()]));
  return { ...plant, routers, routes };
}

/** Everything but the device endpoints: guards, then authentication, then the routes of each surface. */
export function createApp(options: AppOptions): Koa {
  const { open, incidents } = options;
  const [first, ...others] = options.plants;
  const server = routedPlant(first, options);
  const plants = [server, ...others.map((plant) => routedPlant(plant, options))];
  const app = new Koa();
  app.use((context, next) => answerErrors(context, next, { ...options, surfaces: server.surfaces }));
  app.use(SECURITY_HEADERS);
  app.use(options.unread.guard);
  app.use(options.hostGuard.middleware);
  app.use(guardOrigin);
  app.use(guardTarget);
  app.use(readPlantChoice);
  app.use(routeBySurface(options, server, plants));
  app.use((context) => refuseUnrouted(context, [open, ...server.routers.values()]));
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (PEER_IS_GONE.has(error.code ?? '')) return;
    incidents.report({ kind: 'internal', subject: 'http', detail: error.stack ?? error.message });
  });
  return app;
}

/** Statuses of an address that is unknown or unreadable. A person who mistyped it gets the page instead of JSON. */
const NOWHERE: ReadonlySet<number> = new Set([400, 404]);
const API_PREFIX = '/api/';

/** Errors of a client that ended its connection during an answer. They are not reported. */
const PEER_IS_GONE: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

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

async function answerErrors(
  context: Context,
  next: Next,
  {
    surfaces,
    incidents,
    showNowhere,
  }: Pick<AppOptions, 'incidents' | 'showNowhere'> & {
    readonly surfaces: readonly Surface[];
  },
): Promise<void> {
  try {
    await next();
  } catch (error) {
    const answer = errorAnswer(error);
    if (answer.code === 'internal') {
      const detail = errorStack(error);
      incidents.report({ kind: 'internal', subject: `http ${context.method} ${context.path}`, detail });
    }
    const { status, body, headers } = refusalIn(surfaceOf(surfaces, context.path), answer, context.method);
    context.status = status;
    context.set({ ...answer.headers, ...headers });
    const isNowhere = NOWHERE.has(status) && !context.path.startsWith(API_PREFIX);
    if (!isNowhere || !showNowhere(context)) context.body = body;
  }
  if (!context.req.complete && !context.res.headersSent) closeAfterAnswer(context);
}

/** A body that was not read to its end would be taken for the next request. */
function closeAfterAnswer(context: Context): void {
  context.set('Connection', 'close');
  const { body, method } = context;
  if (method === 'HEAD' || !isJson(body)) return;
  const text = JSON.stringify(body);
  context.length = Buffer.byteLength(text);
  context.respond = false;
  context.res.write(text);
  endUnread(context.req, context.res);
}

/** Whether Koa would send the body as JSON. Each refusal is such a body. */
function isJson(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !(body instanceof Readable);
}

/**
 * Every path under a surface asks for a key before its answer shows whether it exists, and the requests of a key are
 * limited (D-25). A path is only searched among the routes of its own surface, because all surfaces together have a
 * hundred.
 */
function routeBySurface(
  { open, clock, requestsPerSecond, openLimit, ...options }: AppOptions,
  server: RoutedPlant,
  plants: readonly RoutedPlant[],
) {
  const burst = LIMITS.requestBurstSeconds * requestsPerSecond;
  const budgets = openLimit('requests', {
    capacity: burst,
    refillMs: 1_000 / requestsPerSecond,
    mostNames: LIMITS.rememberedBuckets,
  });
  const openRoutes = open.routes();
  const openCalls = openCallsOf(server.surfaces);
  const plantIds = plants.map(({ plantId }) => plantId);
  const servingOf = (context: RouterContext, identity: Identity): RoutedPlant => {
    const { path } = context;
    const ofServer = isOfServer(path);
    const plantId = ofServer ? FIRST_PLANT : plantOf(context.state.chosenPlant, identity, { path, plantIds });
    if (plants.length > 1) requireAllPlants(context, plantId, identity);
    return plants.find((plant) => plant.plantId === plantId) ?? server;
  };
  return async (context: RouterContext, next: Next): Promise<unknown> => {
    const surface = surfaceOf(server.surfaces, context.path);
    if (surface === undefined) return openRoutes(context, next);
    // Keys, people and sessions may have changed at another node.
    if (surface.isShared) await server.decisions?.current();
    const isOpen = openCalls.has(`${context.method} ${context.path}`);
    const identity = isOpen ? ANYONE : await identityOf(context, options);
    context.state.identity = identity;
    const nowMs = clock.now().monotonicMs;
    if (surface.isRateLimited) {
      if (!budgets.tryTake(identity.keyId, nowMs)) throw tooOften(identity.principal, requestsPerSecond, burst);
    }
    const plant = servingOf(context, identity);
    if (surface.isShared && plant !== server) await plant.decisions?.current();
    return plant.routes.get(surface.prefix)?.(context, next);
  };
}

/** Calls that need no key and no session: to sign in. */
function openCallsOf(surfaces: readonly Surface[]): ReadonlySet<string> {
  return new Set(
    surfaces.flatMap(({ prefix, routes }) =>
      routes.filter(({ role }) => role === 'anyone').map(({ method, path }) => `${method} ${prefix}${path}`),
    ),
  );
}

/** A program shows a key, a browser its cookies. Throws `unauthenticated`. */
async function identityOf(
  { req: request, method, path }: Context,
  { authenticator, openAndon, ...identities }: Pick<AppOptions, 'authenticator' | 'openAndon' | 'people' | 'panels'>,
): Promise<Identity> {
  const { authorization } = request.headers;
  const identity = authorization === undefined ? await pageIdentity(request, identities) : null;
  if (identity !== null) return identity;
  if (openAndon && authorization === undefined && ANDON_CALLS.has(`${method} ${path}`)) return ONLOOKER;
  return authenticator.identify(authorization, addressOf(request));
}

/** Calls that Andon needs. A client without a key may make them if Andon is open. */
const ANDON_CALLS: ReadonlySet<string> = new Set([`GET ${LOCAL_PREFIX}/machines`, `GET ${LOCAL_PREFIX}/events`]);

const CONTROL_CHARACTERS = /\p{Cc}/u;

/** Refuses a target in another encoding than UTF-8, which would silently be read as another text. */
function guardTarget(context: Context, next: Next): Promise<unknown> {
  if (CONTROL_CHARACTERS.test(decoded('path', context.path))) {
    throw new HttpError(400, 'path: found a control character, expected none');
  }
  decoded('query', context.querystring);
  return next();
}

function decoded(part: 'path' | 'query', text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400, `${part}: found an invalid percent-encoding, expected UTF-8 as %XX`);
  }
}

/** An answer repeats this many characters of an unknown path. */
const SHOWN_PATH_LENGTH = 200;

/** Nothing answered: the path exists for other methods only (405), or not at all (404). */
function refuseUnrouted(context: Context, routers: readonly Router[]): never {
  const methods = routers
    .flatMap((router) => router.match(context.path, context.method).path)
    .flatMap((layer) => layer.methods);
  if (methods.length === 0) {
    const path = context.path.slice(0, SHOWN_PATH_LENGTH);
    throw new CodedError('not-found', `path: nothing is served at ${path}; ${nearRoute(path, routers)}`);
  }
  const allowed = [...new Set(methods)];
  throw new HttpError(405, `method: found ${context.method}, expected ${anyOf(allowed)}`, {
    Allow: allowed.join(', '),
  });
}

/** The route that a mistyped path probably means. Routes with a part that varies are not compared. */
function nearRoute(path: string, routers: readonly Router[]): string {
  const paths = routers.flatMap((router) => router.stack).map((layer) => String(layer.path));
  const near = nearestName(
    path,
    paths.filter((one) => /^[\w/.-]+$/.test(one)),
  );
  return near === null ? '/docs/reference has all routes' : `did you mean ${near}?`;
}
