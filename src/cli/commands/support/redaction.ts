import { isJsonObject } from '../../../domain/json/json-object.ts';

/** Removes secrets from texts that leave the plant. */
export interface Redaction {
  readonly text: (text: string) => string;
  readonly json: (value: unknown) => unknown;
}

const LEFT_OUT = '(left out)';
const SECRET_NAME = /(?:password|secret|api_?key|registrationkey|badge|pin|token|authorization|cookie|setupcode)$/i;

/** The forms of secrets: in an address, in a header, behind their name. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${LEFT_OUT}@`],
  [/\b(ApiKey|Basic|Bearer)\s+[\w+/=.~-]{6,}/gi, `$1 ${LEFT_OUT}`],
  [
    /("\w*(?:password|secret|api_?key|registrationkey|badge|pin|token|authorization|cookie|setupcode)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    `$1"${LEFT_OUT}"`,
  ],
  [/(\b\w*(?:password|secret|api_?key|registrationkey|token|setupcode)=)[^\s&"']+/gi, `$1${LEFT_OUT}`],
];

/** Recognises secrets by their text, if it stands as a separate word, and by their shape. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const known = [...new Set(secrets)].filter((secret) => secret !== '').sort((one, other) => other.length - one.length);
  const patterns = known.flatMap((secret) => spellings(secret).map(asWord));
  const text = (given: string) => {
    const shaped = SHAPES.reduce((changed, [shape, instead]) => changed.replace(shape, instead), given);
    return patterns.reduce((changed, pattern) => changed.replace(pattern, LEFT_OUT), shaped);
  };
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const isSecret = typeof inner === 'string' && SECRET_NAME.test(key);
        return [text(key), isSecret ? LEFT_OUT : json(inner)];
      }),
    );
  };
  return { text, json };
}

/** The forms of the secret: plain, in JSON, and in an address. */
function spellings(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])];
}

/** A PIN of four digits is no secret in the middle of a number. */
function asWord(secret: string): RegExp {
  const isShort = secret.length < 8;
  const plain = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(isShort ? `(?<![\\w.])${plain}(?![\\w.])` : plain, 'g');
}
