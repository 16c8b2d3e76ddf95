import type { Fault } from '../../error.ts';
import { isJsonObject } from '../../json/json.ts';
import { nearestName } from '../../nearest-name.ts';
import { causeOfJsonNumber } from './number-forms.ts';
import { matchField, STATUS_FIELDS } from './status-fields.ts';

/** The length of a text that is searched for faults. */
const MAX_SEARCHED_LENGTH = 8_192;
/** Hints for one refused status. */
const MAX_HINTS = 5;

/**
 * The causes by their signs. The expression of a sign must not have two repetitions that match the same blanks, because
 * its time would grow with the square of the number of blanks.
 */
const UNREADABLE: readonly (readonly [sign: RegExp, cause: string])[] = [
  [/^\s*$/, 'the payload is empty: send the JSON object'],
  [/^[^\s{["]{2,4}\{/, 'bytes in front of {, perhaps the header of an S7 STRING: send from the { on'],
  [/\ufffd$/, 'cut off within a letter: send all bytes of the text'],
  [/\ufffd/, 'bytes that are not UTF-8, perhaps Latin-1 (Windows-1252): send UTF-8'],
  [/\0/, 'a NUL byte inside: send only the used length of the text'],
  [/[\u201c\u201d\u201e\u201f]/u, 'typographic quotes: write " instead'],
  [/[{,]\s*'[^']*'\s*:/, 'single quotes: JSON wants double quotes'],
  [/,\s*[}\]]/, 'a comma too many before } or ]: leave it out'],
  [/:\s*(?:True|False|None|TRUE|FALSE|NULL)\b/, 'capital letters: JSON writes true, false and null'],
  [/:\s*[+-]?(?:NaN|Inf(?:inity)?|nan|inf)\b/, 'NaN or Infinity, which JSON does not have: leave the field out'],
  [/:\s*-?\d+,\d+\s*[,}]/, 'a decimal comma: JSON writes a point'],
  [/:\s*-?0\d/, 'a number with leading zeros: leave them out'],
  [/[{,]\s*[A-Za-z_][\w-]*\s*:/, 'a name without quotes: write "name":'],
  [/[{,]\s*"?[\w-]+"?\s*=/, '= between name and value: JSON writes :'],
  [/["\d\]}el]\s+"[\w-]+"\s*:/, 'a comma is missing between two fields'],
  [/^\s*\{[^{}]*$/, 'it ends too early: send the whole text, to the closing }'],
  [/^\s*\{[^{}]*\}\s*\S/, 'text after the closing }: send only the used length of the text'],
];

/** The first two bytes of gzip; the second one is no UTF-8. */
const GZIP_START = '\u001f\ufffd';

/** The most likely fault of a text that is not JSON, with its remedy; null if none is recognised. */
export function causeOfUnreadable(text: string): string | null {
  const searched = text.slice(0, MAX_SEARCHED_LENGTH);
  if (searched.startsWith(GZIP_START)) return 'compressed with gzip: send it as it is';
  return causeOfJsonNumber(searched) ?? UNREADABLE.find(([sign]) => sign.test(searched))?.[1] ?? null;
}

/** The most likely faults of a refused status that is JSON, one sentence each. */
export function causesOfRefusal(body: unknown): readonly Fault[] {
  if (typeof body === 'string' && body.trimStart().startsWith('{')) {
    return [hint('status', 'JSON inside quotes, encoded twice: send the object itself')];
  }
  if (Array.isArray(body)) return [hint('status', 'a list: send one object, without [ and ]')];
  if (!isJsonObject(body)) return [];
  const matches = Object.keys(body)
    .slice(0, MAX_KEYS)
    .map((key) => [key, matchField(key)] as const);
  const unknown = matches.filter(([, match]) => match === null).map(([key]) => key);
  const wrapper = wrapperOf(body, unknown, 1);
  if (wrapper !== null) return [hint(wrapper, 'the fields are inside it: send them at the top of the object')];
  const present = new Set(matches.map(([, match]) => match?.definition.name));
  const missing = STATUS_FIELDS.filter(({ name }) => !present.has(name));
  const names = missing.flatMap(({ name, aliases }) => [name, ...aliases]);
  return unknown
    .slice(0, MAX_UNKNOWN)
    .flatMap((key) => {
      const meant = nearestName(key, names);
      return meant === null ? [] : [hint(key, `did you mean ${meant}?`)];
    })
    .slice(0, MAX_HINTS);
}

/** Fields of a refused status that are looked at; no device sends as many. */
const MAX_KEYS = 1_000;
/** Unknown fields for which a like name is searched. */
const MAX_UNKNOWN = 50;

/** Objects inside each other that are looked into. */
const MAX_WRAPPERS = 3;

/** The path of the object that holds the fields, for example `payload.status`; null if none does. */
function wrapperOf(body: Readonly<Record<string, unknown>>, keys: readonly string[], depth: number): string | null {
  const holder = keys.find((key) => holdsFields(body[key]));
  if (holder !== undefined || depth === MAX_WRAPPERS) return holder ?? null;
  for (const key of keys.slice(0, MAX_UNKNOWN)) {
    const inner = body[key];
    const deeper = isJsonObject(inner) ? wrapperOf(inner, Object.keys(inner).slice(0, MAX_UNKNOWN), depth + 1) : null;
    if (deeper !== null) return `${key}.${deeper}`;
  }
  return null;
}

function holdsFields(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).filter((key) => matchField(key) !== null).length > 2;
}

function hint(path: string, sentence: string): Fault {
  const name = path.length > MAX_NAME_LENGTH ? `${path.slice(0, MAX_NAME_LENGTH)}…` : path;
  return { path: name, found: name, expected: sentence, sentence: `${name}: ${sentence}` };
}

/** A longer field name is shortened in a hint. */
const MAX_NAME_LENGTH = 60;
