import * as Type from 'typebox';
import { CodedError } from '../../../../domain/error.ts';
import type { SetUp } from '../../../../flows/people/set-up.ts';
import type { Clock } from '../../../../flows/ports.ts';
import { LoginThrottle } from '../../guards/login-throttle.ts';
import { sessionCookie } from '../../guards/session-cookie.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, described, json, post, route } from '../../requests/api-route.ts';
import { addressOf, isSecure, originOf } from '../../requests/client.ts';
import { PERSON } from '../session-routes.ts';
import { ID, record } from '../shapes.ts';

const BODY = Type.Object(
  { code: ID, name: ID, password: Type.String({ minLength: LIMITS.passwordLength, maxLength: 1_024 }) },
  { additionalProperties: false },
);

interface SetUpRoutesOptions {
  readonly clock: Clock;
  readonly openAndon: boolean;
}

/** The first person of a new gateway (contract.md, Local API). */
export function setUpRoutes(setUp: SetUp, { clock, openAndon }: SetUpRoutesOptions): readonly ApiRoute[] {
  const throttle = new LoginThrottle();
  return [
    route({
      method: 'GET',
      path: '/setup',
      role: 'anyone',
      description: described(
        'Says whether the first administrator is still to be made',
        record('SetUpState', 'isNeeded, openAndon'),
      ),
      answer: () => json({ isNeeded: setUp.isNeeded, openAndon }),
    }),
    post('/setup', 'anyone', BODY, described('Makes the first administrator', PERSON), async ({ request, body }) => {
      const address = addressOf(request);
      const { token, name, role } = await throttle.attempt(address, clock, tooMany, () =>
        setUp.begin({ ...body, address, origin: originOf(request), panel: null }),
      );
      return json({ name, role }, 200, { 'Set-Cookie': sessionCookie(token, isSecure(request)) });
    }),
  ];
}

function tooMany(): CodedError {
  return new CodedError('rate-limited', 'too many wrong set-up codes: wait a few seconds, then try again');
}
