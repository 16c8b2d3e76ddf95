import { parseJsonObject } from '../json/json.ts';

/**
 * The archive that root has to install, in the gateway's data directory. The unit `plantgate-apply.path` waits for this
 * name.
 */
export const REQUESTED_UPDATE = 'requested.update';

/** `refused`: nothing was changed. `rolledBack`: the version before serves again. `unfinished`: a person has to look. */
export const UPDATE_RESULTS = ['underWay', 'installed', 'refused', 'rolledBack', 'unfinished'] as const;

/** The last update that was requested at the page, as root tells it. */
export interface UpdateOutcome {
  readonly result: (typeof UPDATE_RESULTS)[number];
  readonly from: string;
  /** Null if the archive was refused before its version was known. */
  readonly to: string | null;
  /** The reason in sentences; empty unless something went wrong. */
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Reads an outcome as root wrote it; null if another version wrote it in another form. */
export function parseUpdateOutcome(text: string): UpdateOutcome | null {
  const body = parseJsonObject(text) ?? {};
  const { from, to, reason, at } = body;
  const result = UPDATE_RESULTS.find((known) => known === body.result);
  if (result === undefined || typeof from !== 'string' || typeof reason !== 'string') return null;
  if (typeof at !== 'string' || (typeof to !== 'string' && to !== null)) return null;
  return { result, from, to, reason, at };
}
