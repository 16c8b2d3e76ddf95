import { type Fault, foundText, invalidInput } from '../error.ts';
import { parseJsonObject } from '../json/json.ts';

/** A larger update archive is refused. The program has some 130 MiB. */
export const MAX_UPDATE_BYTES = 536_870_912;
/** A longer header of an update archive is refused. */
export const MAX_UPDATE_HEADER_BYTES = 4_096;

export const PRODUCT = 'plantgate';

/** The description of the program in an update archive. */
export interface UpdateHeader {
  readonly product: string;
  readonly version: string;
  /** Node's name of the architecture: `x64`, `arm64`. */
  readonly arch: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The newest schema of the database that the program knows. */
  readonly schema: number;
  readonly created: string;
}

/** The program that an update would replace, and the computer it runs on. */
export interface PresentProgram {
  readonly version: string;
  readonly arch: string;
  readonly schema: number;
}

type Check = readonly [field: keyof UpdateHeader, isRight: (value: unknown) => boolean, rule: string];

const isWhole = (value: unknown, most: number): boolean => Number.isSafeInteger(value) && inRange(Number(value), most);
const inRange = (number: number, most: number): boolean => number >= 1 && number <= most;
const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

const CHECKS: readonly Check[] = [
  ['product', (value) => value === PRODUCT, PRODUCT],
  ['version', (value) => typeof value === 'string' && isVersion(value), 'three numbers, as 1.4.0'],
  ['arch', (value) => isText(value, /^[a-z0-9]{1,16}$/), 'an architecture, as x64'],
  ['bytes', (value) => isWhole(value, MAX_UPDATE_BYTES), `1 to ${MAX_UPDATE_BYTES} bytes`],
  ['sha256', (value) => isText(value, /^[0-9a-f]{64}$/), '64 hexadecimal digits'],
  ['schema', (value) => isWhole(value, 1_000_000), 'the number of a schema'],
  ['created', (value) => isText(value, /^\d{4}-\d\d-\d\dT[\d:.]{5,16}Z$/), 'a time in UTC'],
];

/** Reads the header of an archive. Throws `invalid-input` with every fault. */
export function parseUpdateHeader(text: string): UpdateHeader {
  const body = parseJsonObject(text);
  if (body === null) throw invalidInput([{ path: 'header', found: foundText(text), expected: 'a JSON object' }]);
  const faults = CHECKS.flatMap(([path, isRight, expected]): readonly Fault[] =>
    isRight(body[path]) ? [] : [{ path, found: foundText(body[path]), expected }],
  );
  if (faults.length > 0) throw invalidInput(faults);
  return {
    product: String(body.product),
    version: String(body.version),
    arch: String(body.arch),
    bytes: Number(body.bytes),
    sha256: String(body.sha256),
    schema: Number(body.schema),
    created: String(body.created),
  };
}

/** The reason for which this program must not be installed over the present one; null if it may. */
export function updateRefusal(header: UpdateHeader, present: PresentProgram, allowDowngrade: boolean): string | null {
  const { version, arch, schema } = header;
  if (arch !== present.arch) return `it is for ${arch}, and this computer is ${present.arch}: take the archive for it`;
  if (schema < present.schema) return schemaRefusal(header, present.schema);
  const order = compareVersions(version, present.version);
  if (order === 0) return `version ${version} is installed already`;
  if (order < 0 && !allowDowngrade) {
    return `version ${version} is older than the installed ${present.version}: "plantgate update FILE --allow-downgrade" permits that`;
  }
  return null;
}

/** An older program cannot read a database that a newer one has changed. */
export function schemaRefusal({ version, schema }: UpdateHeader, presentSchema: number): string {
  return `version ${version} knows the database up to schema ${schema}, and it has schema ${presentSchema} already: to go back, restore a backup of that version`;
}

const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

/** Whether the text is a version of a release: three numbers, as `1.4.0`. */
function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Whether a version is older than another. A text that is no version of a release is neither. */
export function isOlderVersion(version: string, other: string): boolean {
  return isVersion(version) && isVersion(other) && compareVersions(version, other) < 0;
}

/** Below 0 if the first is older, 0 if they are equal. Both are versions. */
function compareVersions(one: string, other: string): number {
  const others = numbersOf(other);
  const differences = numbersOf(one).map((number, place) => number - (others[place] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
