import Router from '@koa/router';
import * as Type from 'typebox';
import type { Machine } from '../../../domain/plant/plant.ts';
import { TokenBuckets } from '../../../domain/token-buckets.ts';
import type { DeliveryFlow } from '../../../flows/library/deliver-profiles.ts';
import type { Clock, Incidents, SecretVerifier } from '../../../flows/ports.ts';
import { HttpError } from '../answers/error-answer.ts';
import { LIMITS } from '../limits.ts';
import { addressOf } from '../requests/client.ts';
import { queryCheck } from '../requests/request-shape.ts';
import { MachineAuthenticator } from './machine-authenticator.ts';

export const MACHINE_PROFILES_PATH = '/api/machine/profiles';

export interface MachineDeliveryOptions {
  readonly deliveries: DeliveryFlow;
  readonly machines: () => readonly Machine[];
  readonly verifySecret: SecretVerifier;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

const checkQuery = queryCheck(Type.Object({ since: Type.Optional(Type.String()) }, { additionalProperties: false }));

/**
 * The routes at which machines fetch profiles (contract.md, Machine delivery). They have no other effect, and nothing
 * is pushed (SYNC-06).
 */
export function machineDeliveryRoutes(options: MachineDeliveryOptions): Router {
  const authenticator = new MachineAuthenticator(options);
  const budgets = new TokenBuckets({
    capacity: LIMITS.machineRequests,
    refillMs: LIMITS.machineRequestRefillMs,
    mostNames: LIMITS.rememberedBuckets,
  });
  const router = new Router({ sensitive: true });
  router.get(MACHINE_PROFILES_PATH, async (context) => {
    const address = addressOf(context.req);
    const serialNumber = await authenticator.identify(context.req.headers.authorization, address);
    const nowMs = options.clock.now().monotonicMs;
    if (!budgets.has(serialNumber, nowMs)) throw tooMany();
    budgets.take(serialNumber, nowMs);
    const { since = null } = checkQuery({ ...context.query });
    const answer = await options.deliveries.changes(serialNumber, since);
    context.set('Cache-Control', 'no-store');
    context.type = 'application/json';
    context.body = 'bytes' in answer ? Buffer.from(answer.bytes) : answer;
  });
  return router;
}

function tooMany(): HttpError {
  const { machineRequests, machineRequestRefillMs } = LIMITS;
  const rule = `at most ${1_000 / machineRequestRefillMs} a second, ${machineRequests} at once`;
  return new HttpError(429, `requests: found more of this machine, expected ${rule}`, { 'Retry-After': '1' });
}
