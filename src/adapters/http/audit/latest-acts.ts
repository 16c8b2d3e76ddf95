import type { IncomingMessage } from 'node:http';
import { HttpError } from '../answers/error-answer.ts';
import { LIMITS } from '../limits.ts';
import { type AuditedCall, downtimeIdsIn } from './audited-acts.ts';

/** The age of the record that the sender saw, in milliseconds: a duration, because a browser's clock may be wrong. */
const SEEN_AGE = 'plantgate-seen-age';

interface LatestAct {
  readonly who: string;
  /** Infinite as long as the act is under way. */
  readonly atMs: number;
  readonly wallMs: number;
}

/** An act that has begun: it ends in one of two ways. */
export interface BegunAct {
  readonly done: () => void;
  /** The act was refused and changed nothing. */
  readonly giveUp: () => void;
}

/** Remembers the last change of each thing, so that the second of two people learns who was first, and when. */
export class LatestActs {
  readonly #acts = new Map<string, LatestAct>();

  /**
   * Begins an act. Throws 409 if another person changed a thing after the sender saw it, or is about to. A sender that
   * does not say what it saw is not refused.
   */
  begin(things: readonly string[], who: string, request: IncomingMessage): BegunAct {
    const seenAge = seenAgeOf(request);
    const before = things.map((thing) => [thing, this.#acts.get(thing)] as const);
    for (const [, latest] of before) {
      if (seenAge === null || latest === undefined || latest.who === who) continue;
      if (latest.atMs > performance.now() - seenAge) throw changedMeanwhile(latest);
    }
    const begun: LatestAct = { who, atMs: Number.POSITIVE_INFINITY, wallMs: Date.now() };
    for (const thing of things) this.#note(thing, begun);
    const replace = (thing: string, act: LatestAct | undefined) => {
      if (this.#acts.get(thing) === begun) this.#note(thing, act);
    };
    return {
      done: () => {
        const done = { who, atMs: performance.now(), wallMs: Date.now() };
        for (const thing of things) replace(thing, done);
      },
      giveUp: () => {
        for (const [thing, latest] of before) replace(thing, latest);
      },
    };
  }

  #note(thing: string, act: LatestAct | undefined): void {
    this.#acts.delete(thing);
    if (act !== undefined) this.#acts.set(thing, act);
    const [oldest] = this.#acts.keys();
    if (this.#acts.size > LIMITS.rememberedActs && oldest !== undefined) this.#acts.delete(oldest);
  }
}

/** The things that a call changes, as addresses: `/api/local/machines/RF-01`. Several downtimes are changed at once. */
export function thingsOf(routePath: string, { params, body }: AuditedCall): readonly string[] {
  const place = /^(.*?\/):/.exec(routePath)?.[1];
  const [id] = Object.values(params);
  if (place !== undefined && id !== undefined) return [`${place}${id}`];
  return downtimeIdsIn(body).map((downtimeId) => `/api/local/downtimes/${downtimeId}`);
}

function seenAgeOf({ headers }: IncomingMessage): number | null {
  const text = headers[SEEN_AGE];
  return typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

function changedMeanwhile({ who, wallMs }: LatestAct): HttpError {
  const time = new Date(wallMs).toISOString();
  return new HttpError(409, `${who} changed this at ${time}, after you saw it: look at it again, then repeat`, {
    'Plantgate-Changed-By': encodeURIComponent(who),
    'Plantgate-Changed-At': time,
  });
}
