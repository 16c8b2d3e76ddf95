import { BoundedCache } from '../../bounded-cache.ts';

/** The fields of a device status with their spellings and kinds (interface.md, Status). */

export type SwitchField = 'running' | 'machinePower' | 'fault' | 'override';
export type CounterName = 'cycle' | 'goodPart' | 'badPart';
export type CountField = CounterName | 'mSecSinceBoot';
export type TextField = 'userId' | 'partId' | 'partName' | 'jobNumber' | 'material';
/** Fields that the interface names and does not describe: they are kept unchanged (DEV-20). */
export type ScalarField = 'goodPartTotal' | 'goodPartInputs' | 'piecesAtATime';
export type StatusFieldName = 'machineId' | SwitchField | CountField | TextField | ScalarField;

export type FieldDefinition = { readonly aliases: readonly string[] } & (
  | { readonly kind: 'machineId'; readonly name: 'machineId' }
  | { readonly kind: 'switch'; readonly name: SwitchField }
  | { readonly kind: 'count'; readonly name: CountField }
  | { readonly kind: 'text'; readonly name: TextField }
  | { readonly kind: 'scalar'; readonly name: ScalarField }
);

export const STATUS_FIELDS: readonly FieldDefinition[] = [
  { kind: 'machineId', name: 'machineId', aliases: ['deviceId'] },
  { kind: 'switch', name: 'running', aliases: ['run', 'isRunning', 'machineRunning'] },
  { kind: 'switch', name: 'machinePower', aliases: ['power', 'powered', 'powerOn', 'machineOn'] },
  { kind: 'switch', name: 'fault', aliases: ['faulted', 'inFault', 'alarm'] },
  { kind: 'switch', name: 'override', aliases: ['overridden', 'overrideActive'] },
  { kind: 'count', name: 'cycle', aliases: ['cycles', 'cycleCount', 'cycleCounter'] },
  { kind: 'count', name: 'goodPart', aliases: ['goodParts', 'good', 'goodCount'] },
  { kind: 'count', name: 'badPart', aliases: ['badParts', 'bad', 'badCount', 'scrap'] },
  { kind: 'count', name: 'mSecSinceBoot', aliases: ['msSinceBoot', 'millisSinceBoot', 'uptimeMs'] },
  { kind: 'scalar', name: 'goodPartTotal', aliases: ['goodPartsTotal', 'goodTotal'] },
  { kind: 'scalar', name: 'goodPartInputs', aliases: ['goodPartInput', 'goodInputs'] },
  { kind: 'scalar', name: 'piecesAtATime', aliases: ['piecesPerCycle', 'partsAtATime'] },
  { kind: 'text', name: 'userId', aliases: ['user', 'operator', 'operatorId', 'badgeId'] },
  { kind: 'text', name: 'partId', aliases: ['part', 'partNumber'] },
  { kind: 'text', name: 'partName', aliases: [] },
  { kind: 'text', name: 'jobNumber', aliases: [] },
  { kind: 'text', name: 'material', aliases: ['materialCode'] },
];

/**
 * The field that a spelling names. If a message has several spellings of one field, the lowest `rank` wins (DEV-05).
 */
interface FieldMatch {
  readonly definition: FieldDefinition;
  /** Position in the field table, and in the array that `pickFields` gives. */
  readonly index: number;
  readonly rank: number;
  /** The name in the table that was matched: the canonical one or an alias. */
  readonly matchedName: string;
}

/** A longer name is no field of a status. */
const MAX_KEY_LENGTH = 64;
/** Spellings whose field is remembered. Beyond it the oldest is looked up again. */
const MAX_REMEMBERED_SPELLINGS = 2048;
const UNSET_RANK = 255;

const matches: readonly FieldMatch[] = STATUS_FIELDS.flatMap((definition, index) =>
  [definition.name, ...definition.aliases].map((matchedName, place) => ({
    definition,
    index,
    rank: place * 2,
    matchedName,
  })),
);
const exactMatches = new Map(matches.map((match) => [match.matchedName, match]));
// An inexact spelling ranks just behind the exact one of the same name, and before the next alias.
const foldedMatches = new Map(matches.map((match) => [fold(match.matchedName), { ...match, rank: match.rank + 1 }]));

const otherSpellings = new BoundedCache<string, FieldMatch | null>(MAX_REMEMBERED_SPELLINGS);

const noValues: readonly unknown[] = STATUS_FIELDS.map(() => undefined);
const noRanks: readonly number[] = STATUS_FIELDS.map(() => UNSET_RANK);

/** The place of each field in the array that `pickFields` gives. */
export function fieldIndex(name: StatusFieldName): number {
  return STATUS_FIELDS.findIndex((definition) => definition.name === name);
}

/**
 * The field that a key, topic level or parameter names, ignoring case, hyphens and underscores (DEV-03, DEV-04); null
 * for none. Other spellings than the table's are remembered up to a bound.
 */
export function matchField(key: string): FieldMatch | null {
  const known = exactMatches.get(key) ?? otherSpellings.get(key);
  if (known !== undefined) return known;
  if (key.length > MAX_KEY_LENGTH) return null;
  const match = foldedMatches.get(fold(key)) ?? null;
  otherSpellings.set(key, match);
  return match;
}

/**
 * The value of each field in a JSON object, by `fieldIndex`; undefined for a missing field. The order of the keys does
 * not matter: the canonical name beats its aliases, an exact spelling beats another spelling of the same name, and the
 * earlier alias in the alias table beats a later one (DEV-05). Between two inexact spellings of one name the first in
 * the message wins.
 */
export function pickFields(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const values = noValues.slice();
  const ranks = noRanks.slice();
  for (const key in body) {
    const match = matchField(key);
    if (match === null || match.rank >= (ranks[match.index] ?? UNSET_RANK)) continue;
    ranks[match.index] = match.rank;
    values[match.index] = body[key];
  }
  return values;
}

/** The key from which `pickFields` takes a field; null if no key names it. */
export function keyOfField(body: Readonly<Record<string, unknown>>, name: StatusFieldName): string | null {
  if (Object.hasOwn(body, name)) return name;
  let winner: string | null = null;
  let lowestRank = UNSET_RANK;
  for (const key in body) {
    const match = matchField(key);
    if (match?.definition.name !== name || match.rank >= lowestRank) continue;
    lowestRank = match.rank;
    winner = key;
  }
  return winner;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('-', '').replaceAll('_', '');
}
