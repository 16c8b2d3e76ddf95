import { keyParts } from '../order/order-key.ts';
import type { ProfileContent } from '../profile/profile.ts';
import { profileContent } from '../profile/profile-entry.ts';
import type { TaskOperation } from '../warehouse/task-operation.ts';
import type { Act } from './act.ts';
import { coilPath, profilePath, taskPath } from './act-request.ts';

/**
 * Whether a write whose answer was lost was carried out, by what can be read there now (D-30). What goes by the
 * interface alone has no numbers: reading settles it, or a person does.
 */
export type Settlement =
  | { readonly kind: 'done'; readonly upstreamProfileId?: string }
  /** Nothing came of it: it is sent again. */
  | { readonly kind: 'undone' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What is read to settle an act: an endpoint, profiles of a name, or the summary of orders under one of its two names (D-21). */
export type Reading =
  | { readonly of: 'path'; readonly path: string }
  | { readonly of: 'profiles'; readonly name: string }
  | { readonly of: 'orders'; readonly query: string };

/** `upstreamProfileId`: what the act's profile is called there; null: as far as is known, nothing. */
export function readingOf(act: Act, upstreamProfileId: string | null): Reading {
  switch (act.type) {
    case 'taskOperation':
      return { of: 'path', path: taskPath(act.taskId) };
    case 'coilMove':
      return { of: 'path', path: coilPath(act.coilId) };
    case 'orderPut':
    case 'orderRemoved':
      return { of: 'orders', query: orderQuery(act.orderKey) };
    case 'profilePut':
      if (upstreamProfileId === null) return { of: 'profiles', name: act.profile.profileName };
      return { of: 'path', path: profilePath(upstreamProfileId) };
    case 'profileArchived':
      return { of: 'path', path: profilePath(upstreamProfileId ?? act.profileId) };
  }
}

/** What was read. `status` 404: there is none of that id. */
export interface Read {
  readonly status: number;
  readonly text: string;
}

/** Who sent it, and when: what a profile there is told from others of the same content by. */
export interface Sender {
  /** Who we are there; null: not known yet. */
  readonly principal: string | null;
  readonly at: number;
  /** Whether the profile had a name there before. */
  readonly isKnownThere: boolean;
}

/** What reading says of an act that was sent. */
export function settlement(act: Act, read: Read, sender: Sender): Settlement {
  switch (act.type) {
    case 'orderPut':
      return orderSettlement(namesOrder(read, act.orderKey), act.isNew);
    case 'orderRemoved':
      return namesOrder(read, act.orderKey) ? UNDONE : DONE;
    case 'profileArchived':
      return read.status === 404 || fieldsOf(read.text)?.archived === true ? DONE : UNDONE;
    case 'profilePut':
      return sender.isKnownThere
        ? revisionSettlement(act.profile, read)
        : creationSettlement(act.profile, read, sender);
    case 'taskOperation':
      return shows(fieldsOf(read.text), effectOf(act.operation)) ? DONE : UNDONE;
    case 'coilMove':
      return fieldsOf(read.text)?.location === act.location ? DONE : UNDONE;
  }
}

const DONE: Settlement = { kind: 'done' };
const UNDONE: Settlement = { kind: 'undone' };

/** What a task shows once the operation was carried out; an operation repeated there changes nothing (D-14). */
function effectOf(operation: TaskOperation): Readonly<Record<string, unknown>> {
  switch (operation.type) {
    case 'ready':
      return { taskState: 'Ready' };
    case 'inProcess':
      return { taskState: 'InProcess', ...(operation.userName !== null && { userName: operation.userName }) };
    case 'inTransit':
      return { taskState: 'InTransit', selectedCoilId: operation.coilId };
    case 'complete':
      return { taskState: 'Complete' };
    case 'unattainable':
      return { unattainableReason: operation.unattainableCode };
    case 'cancel':
      return { taskState: 'Ready', selectedCoilId: null };
  }
}

/** Whether a record shows all of it; whether it shows a task's userName at all is the server's affair (interface.md, Task). */
function shows(record: Fields | null, effect: Fields): boolean {
  if (record === null) return false;
  return Object.entries(effect).every(
    ([name, value]) => (name === 'userName' && !(name in record)) || (record[name] ?? null) === value,
  );
}

/**
 * One that is there was written by this act, unless it stood there before. Then its summary does not tell which it is, and
 * need not: a Put says all of an order, so that saying it again makes of either what was meant (D-20).
 */
function orderSettlement(isThere: boolean, isNew: boolean): Settlement {
  return isThere && isNew ? DONE : UNDONE;
}

function revisionSettlement(content: ProfileContent, read: Read): Settlement {
  return isSameContent(content, fieldsOf(read.text)) ? DONE : UNDONE;
}

/** By content and principal (D-30): two equal ones of ours cannot be told apart. */
function creationSettlement(content: ProfileContent, { text }: Read, sender: Sender): Settlement {
  const listed = parsed(text);
  if (!Array.isArray(listed)) {
    return {
      kind: 'unknown',
      reason: 'the answer to it was lost, and the profiles there are listed in an unknown form',
    };
  }
  const ids = listed
    .map(recordOf)
    .filter((record) => isSameContent(content, record))
    .filter((record) => mayBeOf(sender, record))
    .map(profileIdIn);
  const [id] = ids;
  if (ids.length === 0) return UNDONE;
  if (ids.length === 1 && id !== undefined && id !== null) return { kind: 'done', upstreamProfileId: id };
  return { kind: 'unknown', reason: `the answer to it was lost, and ${ids.length} profiles there are equal to it` };
}

/** How far the clocks of the two may be apart. */
const CLOCK_TOLERANCE_MS = 600_000;

function mayBeOf({ principal, at }: Sender, record: Fields | null): boolean {
  const { createdBy, createdDate } = record ?? {};
  if (principal !== null && typeof createdBy === 'string' && createdBy !== principal) return false;
  const createdAt = typeof createdDate === 'string' ? Date.parse(createdDate) : Number.NaN;
  return Number.isNaN(createdAt) || createdAt >= at - CLOCK_TOLERANCE_MS;
}

type Fields = Readonly<Record<string, unknown>>;

/** The id in what a server says of a profile: how it calls that is not shown in the interface. */
export function profileIdIn(record: Fields | null): string | null {
  const id = record?.profileId ?? record?.id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

function isSameContent(content: ProfileContent, record: Fields | null): boolean {
  if (record === null) return false;
  const { features, ...plain } = profileContent({ ...SERVER_ASSIGNED, ...content });
  const isPlainSame = Object.entries(plain).every(([name, value]) => (record[name] ?? null) === value);
  const theirs = record.features;
  if (!isPlainSame || !Array.isArray(theirs) || theirs.length !== features.length) return false;
  return features.every((feature, place) => {
    const other = recordOf(theirs[place]);
    return Object.entries(feature).every(([name, value]) => name === 'hemHeight' || other?.[name] === value);
  });
}

const SERVER_ASSIGNED = {
  profileId: '',
  revision: 0,
  blankWidth: 0,
  archived: false,
  createdBy: '',
  createdDate: '',
  editedBy: '',
  editedDate: '',
} as const;

function orderQuery(orderKey: string): string {
  const { by, id } = keyParts(orderKey);
  return by === 'orderCode' ? `?orderCode=${encodeURIComponent(id.toWellFormed())}` : '';
}

/** Whether the YAML names the order. It is looked for as text: rows of a foreign server have a form of their own. */
function namesOrder({ status, text }: Read, orderKey: string): boolean {
  if (status === 404) return false;
  const { id } = keyParts(orderKey);
  return text.split('\n').some((line) => scalarsIn(line).includes(id));
}

/** The values in a line of YAML: what stands behind `- ` and `name: `, without quotes. */
function scalarsIn(line: string): readonly string[] {
  const bare = line
    .replace(/^[\s-]*/, '')
    .replace(/^[\w]+:\s*/, '')
    .trim();
  const items = bare.startsWith('[') ? bare.slice(1, -1).split(',') : [bare];
  return items.map((item) => unquoted(item.trim()));
}

function unquoted(text: string): string {
  if (text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  const value = parsed(text);
  return typeof value === 'string' ? value : text;
}

function fieldsOf(text: string): Fields | null {
  return recordOf(parsed(text));
}

/** What was read as an object; null: it is none. */
export function recordOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
