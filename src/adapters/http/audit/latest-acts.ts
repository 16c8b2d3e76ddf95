import type { IncomingMessage } from 'node:http';
import { HttpError } from '../answers/error-answer.ts';
import { LIMITS } from '../limits.ts';
import { type AuditedCall, downtimeIdsIn } from './audited-acts.ts';

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
export interface BegunAct {
  readonly done: () => void;
  /** The act was refused and changed nothing. */
  readonly giveUp: () => void;
}

/** Remembers the last change of each thing, so that the second of two people learns who was first, and when. */
export class LatestActs {
  readonly #acts = new Map<string, ActsOnThing>();

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
    this.#acts.delete(thing);
    this.#acts.set(thing, acts);
    const [oldest] = this.#acts.keys();
    if (this.#acts.size > LIMITS.rememberedActs && oldest !== undefined) this.#acts.delete(oldest);
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

function changedMeanwhile({ who, wallMs }: Act): HttpError {
  const time = new Date(wallMs).toISOString();
  return new HttpError(409, `${who} changed this at ${time}, after you saw it: look at it again, then repeat`, {
    'Plantgate-Changed-By': encodeURIComponent(who),
    'Plantgate-Changed-At': time,
  });
}
