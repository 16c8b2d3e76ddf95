import Type from 'typebox';
import { CodedError } from '../../../domain/error.ts';
import type { PeopleApi } from '../../../flows/people/people-ports.ts';
import type { Clock } from '../../../flows/ports.ts';
import { LoginThrottle } from '../guards/login-throttle.ts';
import { isSecure, noSessionCookie, originOf, sessionCookie, sessionToken } from '../guards/session-cookie.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, get, json, NO_QUERY, post, route } from '../requests/api-route.ts';
import { ID } from './shapes.ts';

const MAX_PASSWORD_LENGTH = 1_024;
const CREDENTIALS = Type.Object(
  { name: ID, password: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH }) },
  { additionalProperties: false },
);
const EVERYWHERE = Type.Object({ everywhere: Type.Boolean({ default: false }) }, { additionalProperties: false });

/** Signing in and out at the page, and who one is (contract.md, Local API). */
export function sessionRoutes(people: PeopleApi, clock: Clock): readonly ApiRoute[] {
  const throttle = new LoginThrottle();
  let underWay = 0;
  return [
    post('/session', 'anyone', CREDENTIALS, async ({ request, body }) => {
      const address = request.socket.remoteAddress ?? 'unknown';
      const nowMs = clock.now().monotonicMs;
      if (underWay >= LIMITS.signInsAtOnce || !(await throttle.pass(address, nowMs))) throw tooMany();
      underWay++;
      try {
        const signedIn = await people.signIn({ ...body, address, origin: originOf(request) });
        if (signedIn instanceof CodedError) {
          throttle.wrong(address, nowMs);
          throw signedIn;
        }
        const { token, name, role } = signedIn;
        return json({ name, role }, 200, { 'Set-Cookie': sessionCookie(token, isSecure(request)) });
      } finally {
        underWay--;
      }
    }),
    get('/session', 'known', NO_QUERY, ({ identity: { principal: name, role } }) => json({ name, role })),
    route({
      method: 'DELETE',
      path: '/session',
      role: 'known',
      query: EVERYWHERE,
      answer: ({ identity: { principal }, request, query: { everywhere } }) => {
        const token = sessionToken(request);
        const session = token === null ? null : people.session(token, originOf(request));
        if (session !== null) people.signOut(session.sessionId);
        if (everywhere) people.signOutEverywhere(principal);
        return json({}, 200, { 'Set-Cookie': noSessionCookie(isSecure(request)) });
      },
    }),
  ];
}

function tooMany(): CodedError {
  return new CodedError('rate-limited', 'too many attempts to sign in: wait a few seconds, then try again');
}
