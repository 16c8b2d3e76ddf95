import type { IncomingMessage } from 'node:http';
import { HttpError } from '../answers/error-answer.ts';
import { LIMITS } from '../limits.ts';
import { type AuditedCall, downtimeIdsIn } from './audited-acts.ts';

/** The age of the record that the sender saw, in milliseconds: a duration, because a browser's clock may be wrong. */
const SEEN_AGE = 'plantgate-seen-age';

interface LatestAct {
  readonly who: string;
  readonly atMs: number;
  readonly wallMs: number;
}

/** Remembers the last change of each thing, so that the second of two people learns who was first, and when. */
export class LatestActs {
  readonly #acts = new Map<string, LatestAct>();

  /**
   * Begins an act. Throws 409 if another person changed a thing after the sender saw it, or is about to. Gives a
   * function that undoes the note, for an act that was refused.
   */
  begin(things: readonly string[], who: string, request: IncomingMessage): () => void {
    const nowMs = performance.now();
    const seenAge = seenAgeOf(request) ?? 0;
    const before = things.map((thing) => [thing, this.#acts.get(thing)] as const);
    for (const [, latest] of before) {
      if (latest !== undefined && latest.who !== who && latest.atMs > nowMs - seenAge) throw changedMeanwhile(latest);
    }
    const own = { who, atMs: nowMs, wallMs: Date.now() };
    for (const thing of things) this.#note(thing, own);
    return () => {
      for (const [thing, latest] of before) if (this.#acts.get(thing) === own) this.#note(thing, latest);
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
