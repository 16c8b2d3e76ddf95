import { matchField, type StatusFieldName } from './status-fields.ts';

/**
 * The reading of one key of a status; `field` is null if it was not read as any field. `why` explains it in a sentence.
 */
export interface ExplainedKey {
  readonly key: string;
  readonly field: StatusFieldName | null;
  readonly used: boolean;
  readonly why: string;
}

/** Fields that the test console explains; the rest is left out. */
const MAX_EXPLAINED_KEYS = 200;

/**
 * Lists the keys of a JSON status with their fields, or as ignored, for a person who connects a device (DEV-03 to
 * DEV-05). At most 200 keys, in the order of the message.
 */
export function explainStatus(body: Readonly<Record<string, unknown>>): readonly ExplainedKey[] {
  const keys = Object.keys(body).slice(0, MAX_EXPLAINED_KEYS);
  const winners = new Map<StatusFieldName, string>();
  for (const key of keys) {
    const match = matchField(key);
    if (match === null) continue;
    const holder = winners.get(match.definition.name);
    if (holder === undefined || match.rank < (matchField(holder)?.rank ?? 0)) winners.set(match.definition.name, key);
  }
  return keys.map((key) => explainKey(key, winners));
}

function explainKey(key: string, winners: ReadonlyMap<StatusFieldName, string>): ExplainedKey {
  const match = matchField(key);
  if (match === null) return { key, field: null, used: false, why: 'no status field has this name' };
  const field = match.definition.name;
  const winner = winners.get(field);
  if (winner !== key) return { key, field, used: false, why: `${field} is read from ${winner}, which comes first` };
  const isAlias = match.matchedName !== field;
  return { key, field, used: true, why: isAlias ? `alias ${match.matchedName} of ${field}` : `the field ${field}` };
}
