import type { IncomingMessage } from 'node:http';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import { CodedError } from '../../../domain/error.ts';
import type { Audit } from '../../../flows/audit/audit.ts';
import { ownText } from '../../../runtime/own-text.ts';
import { HttpError } from '../answers/error-answer.ts';
import type { Identity } from '../guards/authenticator.ts';
import { LIMITS } from '../limits.ts';
import type { ApiAnswer, ApiRoute } from '../requests/api-route.ts';
import { addressOf } from '../requests/client.ts';
import { type AuditedAct, type AuditedCall, downtimeIdsIn } from './audited-acts.ts';

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
  // A webhook's address opens it.
  'webhookUrl',
  'authorization',
]);

interface Call extends AuditedCall {
  readonly identity: Identity;
  readonly request: IncomingMessage;
}

interface StateBefore {
  /** Empty: the act is about no gateway. */
  readonly gatewayId: string;
  readonly subject: string;
  readonly before: unknown;
}

/** The audit of the plant in which a call is made, or of the gateway that it is about. */
export interface PlantAudits {
  readonly of: (gatewayId: string) => Promise<Pick<Audit, 'note'>>;
}

/** Notes every act of a person or a key once it was done. */
export class RouteAudit<Apis> {
  readonly #latest = new LatestActs();
  readonly #audits: PlantAudits;
  readonly #apis: Apis;
  readonly #acts: ReadonlyMap<string, AuditedAct<Apis>>;

  constructor(audits: PlantAudits, apis: Apis, acts: ReadonlyMap<string, AuditedAct<Apis>>) {
    this.#audits = audits;
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
      const { subject, before, gatewayId } = await this.#stateBefore(audited, call);
      const audit = await this.#audits.of(gatewayId);
      const answer = await act();
      if (isRefusal(answer)) {
        begun.giveUp();
        return answer;
      }
      begun.done();
      audit.note({
        who: audited.who?.(call, answer) ?? identity.principal,
        role: audited.who === undefined ? identity.role : '',
        address: addressOf(request),
        act: audited.act,
        subject: ownText(subject, LONGEST_SUBJECT),
        before: textOf(before),
        after: audited.who === undefined ? textOf(audited.after?.(call, this.#apis) ?? body) : null,
      });
      return answer;
    } catch (error) {
      begun.giveUp();
      throw error;
    }
  }

  /** A record that does not exist has no state before; the act itself refuses then. */
  async #stateBefore({ subject, before, gateway }: AuditedAct<Apis>, call: Call): Promise<StateBefore> {
    const gatewayId = gateway?.(call, this.#apis) ?? '';
    try {
      return { gatewayId, subject: await subject(call, this.#apis), before: await before?.(call, this.#apis) };
    } catch (error) {
      if (error instanceof CodedError) return { gatewayId, subject: '', before: null };
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

/** The age of the record that the sender saw, in milliseconds: a duration, because a browser's clock may be wrong. */
const SEEN_AGE = 'plantgate-seen-age';

interface Act {
  readonly who: string;
  readonly wallMs: number;
}

interface FinishedAct extends Act {
  readonly atMs: number;
}

/** The acts on one thing. One person may have several under way, and so may senders that do not say what they saw. */
interface ActsOnThing {
  last: FinishedAct | null;
  readonly underWay: Set<Act>;
}

/** An act that has begun: it ends in one of two ways. */
interface BegunAct {
  readonly done: () => void;
  /** The act was refused and changed nothing. */
  readonly giveUp: () => void;
}

/** Remembers the last change of each thing, so that the second of two people learns who was first, and when. */
class LatestActs {
  readonly #acts = new BoundedCache<string, ActsOnThing>(LIMITS.rememberedActs);

  /**
   * Begins an act. Throws 409 if another person changed a thing after the sender saw it, or is about to. A sender that
   * does not say what it saw is not refused.
   */
  begin(things: readonly string[], who: string, request: IncomingMessage): BegunAct {
    const seenAge = seenAgeOf(request);
    if (seenAge !== null) for (const thing of things) this.#requireUnchanged(thing, who, seenAge);
    const begun: Act = { who, wallMs: Date.now() };
    for (const thing of things) this.#touch(thing).underWay.add(begun);
    return {
      done: () => {
        const last = { who, atMs: performance.now(), wallMs: Date.now() };
        for (const thing of things) {
          const acts = this.#touch(thing);
          acts.underWay.delete(begun);
          acts.last = last;
        }
      },
      giveUp: () => {
        for (const thing of things) this.#remove(thing, begun);
      },
    };
  }

  #requireUnchanged(thing: string, who: string, seenAge: number): void {
    const acts = this.#acts.get(thing);
    if (acts === undefined) return;
    for (const act of acts.underWay) if (act.who !== who) throw changedMeanwhile(act);
    const { last } = acts;
    if (last !== null && last.who !== who && last.atMs > performance.now() - seenAge) throw changedMeanwhile(last);
  }

  /** The acts on a thing, which counts as the one that was changed last. */
  #touch(thing: string): ActsOnThing {
    const acts = this.#acts.get(thing) ?? { last: null, underWay: new Set() };
    this.#acts.set(thing, acts);
    return acts;
  }

  #remove(thing: string, begun: Act): void {
    const acts = this.#acts.get(thing);
    if (acts === undefined) return;
    acts.underWay.delete(begun);
    if (acts.last === null && acts.underWay.size === 0) this.#acts.delete(thing);
  }
}

/** The things that a call changes, as addresses: `/api/local/machines/RF-01`. Several downtimes are changed at once. */
function thingsOf(routePath: string, { params, body }: AuditedCall): readonly string[] {
  const place = /^(.*?\/):/.exec(routePath)?.[1];
  const [id] = Object.values(params);
  if (place !== undefined && id !== undefined) return [`${place}${id}`];
  return downtimeIdsIn(body).map((downtimeId) => `/api/local/downtimes/${downtimeId}`);
}

function seenAgeOf({ headers }: IncomingMessage): number | null {
  const text = headers[SEEN_AGE];
  return typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

function changedMeanwhile({ who, wallMs }: Act): HttpError {
  const time = new Date(wallMs).toISOString();
  return new HttpError(409, `${who} changed this at ${time}, after you saw it: look at it again, then repeat`, {
    'Plantgate-Changed-By': encodeURIComponent(who),
    'Plantgate-Changed-At': time,
  });
}
