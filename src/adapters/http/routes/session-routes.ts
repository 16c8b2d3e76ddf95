import type { IncomingMessage } from 'node:http';
import * as Type from 'typebox';
import { CodedError } from '../../../domain/error.ts';
import type { PersonSession, Place, SignedIn } from '../../../flows/people/people-ports.ts';
import type { Sessions } from '../../../flows/people/sessions.ts';
import { FAILED_ATTEMPTS, LoginThrottle } from '../guards/login-throttle.ts';
import { panelOf, requirePanel } from '../guards/page-identity.ts';
import { noSessionCookie, sessionCookie, sessionToken } from '../guards/session-cookie.ts';
import { LIMITS } from '../limits.ts';
import { type ApiAnswer, type ApiRoute, described, get, json, post, put, route } from '../requests/api-route.ts';
import { addressOf, isSecure, originOf } from '../requests/client.ts';
import type { PeopleRoutesOptions } from './people-routes.ts';
import { BADGE, ID, record, text } from './shapes.ts';

export const PERSON = Type.Object(
  {
    name: text(),
    role: text(),
    plants: Type.Optional(
      Type.Array(text(), { description: 'the plants that the person is for; left out: all of them' }),
    ),
  },
  { title: 'SignedInPerson' },
);

const STRICT = { additionalProperties: false } as const;
/** A longer password is refused with 400. */
const MAX_PASSWORD_LENGTH = 1_024;
const CREDENTIALS = Type.Object(
  { name: ID, password: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH }) },
  STRICT,
);
const PIN = Type.String({ pattern: '^[0-9]{4}$' });
const PANEL_PROOF = Type.Union([Type.Object({ badge: BADGE }, STRICT), Type.Object({ name: ID, pin: PIN }, STRICT)]);
const EVERYWHERE = Type.Object({ everywhere: Type.Boolean({ default: false }) }, STRICT);

/** At a panel only touches prolong a session. This call counts as a touch, like every write. */
const PROLONG_ROUTE = put(
  '/session',
  'known',
  Type.Object({}, STRICT),
  described('Prolongs the session by a touch', record('Nothing', 'an empty object')),
  () => json({}),
);

/** Signing in and out at the page, and the own identity (contract.md, Local API). */
export function sessionRoutes(
  options: PeopleRoutesOptions & { readonly plantNames: readonly unknown[] },
): readonly ApiRoute[] {
  const { people, signIns, panels, openLimit, clock, plantNames } = options;
  const throttle = new LoginThrottle(openLimit('wrong passwords', FAILED_ATTEMPTS));
  let underWay = 0;
  const atOnce = async (signIn: () => Promise<SignedIn>): Promise<SignedIn> => {
    if (underWay >= LIMITS.signInsAtOnce) throw tooMany();
    underWay++;
    try {
      return await signIn();
    } finally {
      underWay--;
    }
  };
  const placeOf = async (request: IncomingMessage): Promise<Place> => ({
    origin: originOf(request),
    address: addressOf(request),
    panel: await panelOf(request, panels),
  });
  const ownSession = (request: IncomingMessage) => {
    const token = sessionToken(request);
    return token === null ? null : people.session(token, originOf(request), false);
  };
  return [
    post('/session', 'anyone', CREDENTIALS, described('Signs a person in', PERSON), async ({ request, body }) => {
      const signedIn = await atOnce(() =>
        throttle.attempt(addressOf(request), clock, tooMany, async () =>
          signIns.byPassword({ ...body, ...(await placeOf(request)) }),
        ),
      );
      return begun(signedIn, request);
    }),
    post(
      '/session/panel',
      'known',
      PANEL_PROOF,
      described('Signs a person in at an enrolled panel, by badge or PIN', PERSON),
      async ({ request, body }) => {
        const place = await placeOf(request);
        const panel = requirePanel(place.panel);
        const before = ownSession(request);
        const signedIn = await atOnce(() => signIns.atPanel(body, { ...place, panel }));
        // Another person takes over the panel, so the session of the person before ends.
        if (before !== null) people.signOut(before.sessionId);
        return begun(signedIn, request);
      },
    ),
    get(
      '/session',
      'known',
      described('Says who is signed in', PERSON),
      async ({ identity: { principal: name, role, plants = 'all' }, request }) => {
        const panel = await panelOf(request, panels);
        const isPanel = panel !== null && ownSession(request) === null;
        const scope = plants === 'all' || plantNames.length === 1 ? {} : { plants: [...plants] };
        return json({ name, role, ...scope, ...(panel !== null && { panel: panel.name, isSignedIn: !isPanel }) });
      },
    ),
    PROLONG_ROUTE,
    ownSessionsRoute(ownSession, people),
    signOutRoute(ownSession, people),
  ];
}

function ownSessionsRoute(
  ownSession: (request: IncomingMessage) => PersonSession | null,
  people: Pick<Sessions, 'sessionsOf'>,
): ApiRoute {
  return get(
    '/session/all',
    'known',
    described('Lists one’s own sessions', Type.Array(record('Session', 'a session: where, since, last used'))),
    ({ request }) => {
      const own = ownSession(request);
      if (own === null) return json([]);
      const sessions = people.sessionsOf(own.principal);
      return json(sessions.map((session) => ({ ...session, isThis: session.sessionId === own.sessionId })));
    },
  );
}

/** The session is the browser's: the caller may be a key or a panel, which may have the name of another person. */
function signOutRoute(
  ownSession: (request: IncomingMessage) => PersonSession | null,
  people: Pick<Sessions, 'signOut' | 'signOutEverywhere'>,
): ApiRoute {
  return route({
    method: 'DELETE',
    path: '/session',
    role: 'known',
    query: EVERYWHERE,
    description: described('Signs out', record('Nothing', 'an empty object')),
    answer: async ({ request, query: { everywhere } }) => {
      const session = ownSession(request);
      if (everywhere && session === null) throw noSession();
      if (session !== null && everywhere) await people.signOutEverywhere(session.principal);
      else if (session !== null) people.signOut(session.sessionId);
      return json({}, 200, { 'Set-Cookie': noSessionCookie(isSecure(request)) });
    },
  });
}

function begun({ token, name, role }: SignedIn, request: IncomingMessage): ApiAnswer {
  return json({ name, role }, 200, { 'Set-Cookie': sessionCookie(token, isSecure(request)) });
}

function noSession(): CodedError {
  return new CodedError('unauthenticated', 'session: found none, expected that of the person who signs out everywhere');
}

function tooMany(): CodedError {
  return new CodedError('rate-limited', 'too many attempts to sign in: wait a few seconds, then try again');
}
