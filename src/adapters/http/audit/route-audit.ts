import type { IncomingMessage } from 'node:http';
import { CodedError } from '../../../domain/error.ts';
import type { Audit } from '../../../flows/audit/audit.ts';
import { ownText } from '../../../runtime/own-text.ts';
import type { Identity } from '../guards/authenticator.ts';
import type { ApiAnswer, ApiRoute } from '../requests/api-route.ts';
import { addressOf } from '../requests/client.ts';
import type { AuditedAct, AuditedCall } from './audited-acts.ts';
import { LatestActs, thingsOf } from './latest-acts.ts';

/** A longer text is not kept: orders may be megabytes. */
const LONGEST_TEXT = 4_000;
const LONGEST_SUBJECT = 500;
const BAD_REQUEST = 400;
/** Secret fields that are left out of the audit. */
const SECRETS: ReadonlySet<string> = new Set([
  'password',
  'key',
  'mqttPassword',
  'registrationKey',
  'badge',
  'pin',
  'apiKey',
]);

interface Call extends AuditedCall {
  readonly identity: Identity;
  readonly request: IncomingMessage;
}

/** Notes every act of a person or a key once it was done. */
export class RouteAudit<Apis> {
  readonly #latest = new LatestActs();
  readonly #audit: Audit;
  readonly #apis: Apis;
  readonly #acts: ReadonlyMap<string, AuditedAct<Apis>>;

  constructor(audit: Audit, apis: Apis, acts: ReadonlyMap<string, AuditedAct<Apis>>) {
    this.#audit = audit;
    this.#apis = apis;
    this.#acts = acts;
  }

  /** Carries out the route. A refused act changed nothing, and is not noted. */
  async around(
    prefix: string,
    route: ApiRoute,
    call: Call,
    act: () => ApiAnswer | Promise<ApiAnswer>,
  ): Promise<ApiAnswer> {
    const audited = this.#acts.get(routeName(prefix, route));
    if (audited === undefined || audited.isAct?.(call) === false) return act();
    const { identity, request, body } = call;
    const things = thingsOf(`${prefix}${route.path}`, call);
    const begun = this.#latest.begin(things, identity.principal, request);
    try {
      const [subject, before] = await this.#stateBefore(audited, call);
      const answer = await act();
      if (isRefusal(answer)) {
        begun.giveUp();
        return answer;
      }
      begun.done();
      this.#audit.note({
        who: audited.who?.(call, answer) ?? identity.principal,
        role: audited.who === undefined ? identity.role : '',
        address: addressOf(request),
        act: audited.act,
        subject: ownText(subject, LONGEST_SUBJECT),
        before: textOf(before),
        after: audited.who === undefined ? textOf(body) : null,
      });
      return answer;
    } catch (error) {
      begun.giveUp();
      throw error;
    }
  }

  /** A record that does not exist has no state before; the act itself refuses then. */
  async #stateBefore({ subject, before }: AuditedAct<Apis>, call: Call): Promise<readonly [string, unknown]> {
    try {
      return [await subject(call, this.#apis), await before?.(call, this.#apis)];
    } catch (error) {
      if (error instanceof CodedError) return ['', null];
      throw error;
    }
  }
}

/** Whether a route answers with a refusal itself, as the one of plant files does, which names the places of faults. */
function isRefusal(answer: ApiAnswer): boolean {
  return answer.kind === 'json' && answer.status >= BAD_REQUEST;
}

/** The route's name in the table of acts. */
export function routeName(prefix: string, { method, path }: Pick<ApiRoute, 'method' | 'path'>): string {
  return `${method} ${prefix}${path === '/' ? '' : path}`;
}

/** JSON without secrets; null without a value, or with one that is too large to keep. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  // A body that is passed on as text is not parsed here.
  if (typeof value === 'string') return null;
  const text = JSON.stringify(value, (key, field) => (SECRETS.has(key) ? undefined : field));
  return text === '{}' || text.length > LONGEST_TEXT ? null : text;
}
