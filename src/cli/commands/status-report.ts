import { isJsonObject } from '../../domain/json/json.ts';
import { at, listOf, numberAt, textAt } from '../answer-values.ts';

/** One line of the machines table; null for unknown values. */
export interface MachineRow {
  readonly machineId: string;
  readonly name: string;
  readonly connection: string;
  readonly activity: string;
  readonly runEnabled: boolean | null;
  readonly message: string;
  readonly part: string;
  readonly goodParts: number | null;
  readonly badParts: number | null;
}

/** The content of `plantgate status`, read from the answers of the local API (contract.md, Local API). */
export interface StatusReport {
  readonly url: string;
  readonly version: string | null;
  readonly uptimeSeconds: number | null;
  readonly machines: readonly MachineRow[];
  readonly facts: readonly StatusFact[];
}

export interface StatusFact {
  readonly name: string;
  /** A sentence. */
  readonly text: string;
  readonly isBad: boolean;
}

export interface StatusAnswers {
  readonly url: string;
  readonly machines: unknown;
  /** Null if it was not answered. */
  readonly sync: unknown;
  readonly diagnostics: unknown;
  /** By machine id. */
  readonly production: ReadonlyMap<string, unknown>;
}

/** Puts the answers of the local API together; fields that a gateway does not have are left open. */
export function readReport({ url, machines, sync, diagnostics, production }: StatusAnswers): StatusReport {
  return {
    url,
    version: textAt(diagnostics, 'gateway', 'version'),
    uptimeSeconds: numberAt(diagnostics, 'gateway', 'uptimeSeconds'),
    machines: listOf(machines).map((machine) => readMachine(machine, production)),
    facts: [
      upstreamFact(sync),
      queueFact(sync),
      ...setAsideFacts(sync),
      storeFact(diagnostics),
      troubleFact(diagnostics),
    ],
  };
}

function readMachine(machine: unknown, production: ReadonlyMap<string, unknown>): MachineRow {
  const machineId = textAt(machine, 'machineId') ?? '?';
  const thisShift = listOf(at(production.get(machineId), 'shifts')).at(-1);
  const runEnabled = at(machine, 'decision', 'runEnabled');
  return {
    machineId,
    name: textAt(machine, 'name') ?? '',
    connection: textAt(machine, 'connection') ?? 'unknown',
    activity: activityOf(machine),
    runEnabled: typeof runEnabled === 'boolean' ? runEnabled : null,
    message: messageOf(machine),
    part: textAt(machine, 'part', 'partName') ?? textAt(machine, 'part', 'partId') ?? '',
    goodParts: numberAt(thisShift, 'goodParts'),
    badParts: numberAt(thisShift, 'badParts'),
  };
}

/** The message of the rule, with the cause if the message does not show it (D-35). */
function messageOf(machine: unknown): string {
  const message = textAt(machine, 'decision', 'message') ?? '';
  const cause = (name: string) => textAt(machine, 'decision', 'cause', name) ?? '';
  switch (cause('kind')) {
    case 'neverHeard':
      return `${message}: never heard`;
    case 'fieldMissing':
      return `${message}: ${cause('field')} is missing`;
    case 'messagesRefused': {
      const count = numberAt(machine, 'decision', 'cause', 'count') ?? 0;
      return `${message}: ${count} messages refused since ${cause('since')}, ${cause('reason')}`;
    }
    default:
      return message;
  }
}

/** A machine that has never sent a status may have a wrong topic or id. */
function activityOf(machine: unknown): string {
  return at(machine, 'lastStatusAt') === null ? 'never heard' : (textAt(machine, 'activity') ?? '');
}

function upstreamFact(sync: unknown) {
  const state = textAt(sync, 'upstream', 'state') ?? 'unknown';
  const lastContactAt = textAt(sync, 'upstream', 'lastContactAt');
  const detail = textAt(sync, 'upstream', 'detail');
  const contact = lastContactAt === null ? state : `${state}, last contact ${lastContactAt}`;
  const text = detail === null ? contact : `${contact}: ${detail}`;
  return { name: 'Upstream', text, isBad: state !== 'online' && state !== 'disabled' };
}

function queueFact(sync: unknown) {
  const depth = numberAt(sync, 'queue', 'depth');
  if (depth === null) return { name: 'Queue', text: 'unknown', isBad: true };
  const oldestAt = textAt(sync, 'queue', 'oldestAt');
  const thinned = numberAt(sync, 'queue', 'thinned') ?? 0;
  const parts = [
    `${depth} waiting`,
    sizeText(numberAt(sync, 'queue', 'bytes') ?? 0),
    ...(oldestAt === null ? [] : [`oldest ${oldestAt}`]),
    ...(thinned === 0 ? [] : [`${thinned} thinned`]),
  ];
  return { name: 'Queue', text: parts.join(', '), isBad: thinned > 0 };
}

function setAsideFacts(sync: unknown) {
  const { length } = listOf(at(sync, 'setAside'));
  return length === 0 ? [] : [{ name: 'Set aside', text: `${length} refused by the central server`, isBad: true }];
}

function storeFact(diagnostics: unknown) {
  const state = textAt(diagnostics, 'storage', 'health', 'state') ?? 'unknown';
  const detail = textAt(diagnostics, 'storage', 'health', 'detail');
  const bytes = numberAt(diagnostics, 'storage', 'databaseBytes');
  const pending = numberAt(diagnostics, 'storage', 'pendingRecords') ?? 0;
  const damaged = listOf(at(diagnostics, 'storage', 'damagedRecords')).length;
  const setAside = textAt(diagnostics, 'storage', 'setAside', 'file');
  const parts = [
    detail === null ? state : `${state}: ${detail}`,
    ...(bytes === null ? [] : [sizeText(bytes)]),
    ...(pending === 0 ? [] : [`${pending} records to write`]),
    ...(damaged === 0 ? [] : [`${damaged} damaged records`]),
    ...(setAside === null ? [] : [`a damaged database lies in ${setAside}`]),
  ];
  return { name: 'Store', text: parts.join(', '), isBad: state !== 'ok' || damaged > 0 || setAside !== null };
}

function troubleFact(diagnostics: unknown) {
  const counts = at(diagnostics, 'counts');
  if (!isJsonObject(counts)) return { name: 'Incidents', text: 'unknown', isBad: true };
  const seen = Object.entries(counts).filter(([, count]) => typeof count === 'number' && count > 0);
  const text = seen.map(([kind, count]) => `${kind} ${String(count)}`).join(', ');
  return { name: 'Incidents', text: text === '' ? 'none' : text, isBad: seen.length > 0 };
}

/** `1.2 MB` for bytes. */
function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const size = bytes / 1_000 ** power;
  return `${power === 0 ? size : size.toFixed(1)} ${units[power]}`;
}
