import { createHash } from 'node:crypto';
import Router from '@koa/router';
import * as Type from 'typebox';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import { foundText, tooMany } from '../../../domain/error.ts';
import type { Machine } from '../../../domain/plant/plant.ts';
import { TokenBuckets } from '../../../domain/token-buckets.ts';
import type { DeliveryFlow } from '../../../flows/library/delivery-flow.ts';
import type { Clock, Incidents, SecretVerifier } from '../../../flows/ports.ts';
import { HttpError, tooOften } from '../answers/error-answer.ts';
import { LoginThrottle, tooManyWrong } from '../guards/login-throttle.ts';
import { LIMITS } from '../limits.ts';
import { queryCheck } from '../requests/api-route.ts';
import { addressOf } from '../requests/client.ts';

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
    if (!budgets.tryTake(serialNumber, nowMs))
      throw tooOften(
        `machine ${foundText(serialNumber)}`,
        1_000 / LIMITS.machineRequestRefillMs,
        LIMITS.machineRequests,
      );
    const { since = null } = checkQuery({ ...context.query });
    const answer = await options.deliveries.changes(serialNumber, since);
    context.set('Cache-Control', 'no-store');
    context.type = 'application/json';
    context.body = 'bytes' in answer ? Buffer.from(answer.bytes) : answer;
  });
  return router;
}

interface MachineAuthenticatorOptions {
  readonly machines: () => readonly Machine[];
  readonly verifySecret: SecretVerifier;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

interface Credentials {
  readonly serialNumber: string;
  readonly registrationKey: string;
}

/** The hash that a machine's credentials matched. */
interface Known {
  readonly serialNumber: string;
  readonly hash: string;
}

/**
 * Identifies the machine that sends `Authorization: Basic serialNumber:registrationKey` (SYNC-01). A machine that was
 * right once is remembered by the digest of its header, so that a neighbour with repeated wrong keys does not shut it
 * out.
 */
class MachineAuthenticator {
  readonly #options: MachineAuthenticatorOptions;
  readonly #known = new BoundedCache<string, Known>(LIMITS.rememberedMachines);
  readonly #throttle = new LoginThrottle();
  #verifying = 0;

  constructor(options: MachineAuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * The machine's serial number. Rejects with 401, always in the same words. Rejects with `rate-limited` when too many
   * keys are compared at once, or too many wrong ones came from the address.
   */
  async identify(authorization: string | undefined, address: string): Promise<string> {
    const credentials = readCredentials(authorization);
    if (credentials === null) throw unauthenticated();
    const name = createHash('sha256')
      .update(authorization ?? '')
      .digest('base64');
    const known = this.#known.get(name);
    if (known !== undefined && this.#machine(known.serialNumber)?.registrationKeyHash === known.hash) {
      return known.serialNumber;
    }
    this.#known.delete(name);
    const hash = await this.#verify(credentials, address);
    this.#known.set(name, { serialNumber: credentials.serialNumber, hash });
    return credentials.serialNumber;
  }

  async #verify({ serialNumber, registrationKey }: Credentials, address: string): Promise<string> {
    const { clock, incidents, verifySecret } = this.#options;
    const nowMs = clock.now().monotonicMs;
    if (!(await this.#throttle.pass(address, nowMs))) throw tooManyWrong('registration keys');
    if (this.#verifying >= LIMITS.verificationsAtOnce) {
      throw tooMany('attempts to authenticate', LIMITS.verificationsAtOnce);
    }
    const own = this.#machine(serialNumber)?.registrationKeyHash ?? null;
    // An unknown serial number takes as long as a known one.
    const hash = own ?? this.#options.machines().find(hasKey)?.registrationKeyHash ?? null;
    this.#verifying += 1;
    try {
      const matches = hash !== null && (await verifySecret(hash, registrationKey));
      if (matches && own !== null) return own;
    } finally {
      this.#verifying -= 1;
    }
    this.#throttle.wrong(address, nowMs);
    incidents.report({ kind: 'accessRefused', subject: `http ${address}`, detail: 'no machine’s registration key' });
    throw unauthenticated();
  }

  #machine(serialNumber: string): Machine | undefined {
    return this.#options.machines().find((machine) => machine.serialNumber === serialNumber);
  }
}

function hasKey({ registrationKeyHash }: Machine): boolean {
  return registrationKeyHash !== null;
}

const BASE64 = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** The serial number ends at the first colon (RFC 7617). */
function readCredentials(authorization: string | undefined): Credentials | null {
  const encoded = BASE64.exec(authorization ?? '')?.[1];
  if (encoded === undefined || encoded.length > LIMITS.keyLength * 2) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon <= 0) return null;
  return { serialNumber: text.slice(0, colon), registrationKey: text.slice(colon + 1) };
}

function unauthenticated(): HttpError {
  return new HttpError(401, 'Authorization: expected "Basic " and a machine’s serial number and registration key', {
    'WWW-Authenticate': 'Basic realm="plantgate", charset="UTF-8"',
  });
}
