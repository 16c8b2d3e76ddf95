import { keyParts } from '../order/order-key.ts';
import type { ProfileContent } from '../profile/profile.ts';
import type { TaskOperation } from '../warehouse/task-operation.ts';
import type { Expected } from './expected.ts';
import type { Operation } from './operation.ts';
import { coilPath, profilePath, taskPath } from './operation-request.ts';

/**
 * Whether a write whose answer was lost was carried out, as the records there show now (D-30). Writes through the
 * interface alone have no numbers: reading settles them, or a person does.
 */
export type Settlement =
  | { readonly kind: 'done'; readonly upstreamProfileId?: string }
  /** Nothing came of it: it is sent again. */
  | { readonly kind: 'undone' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The reading that settles an act: an endpoint, profiles like one, or the summary of orders under one of its two names (D-21). */
export type Reading =
  | { readonly of: 'path'; readonly path: string; readonly expected: Expected }
  | { readonly of: 'profiles'; readonly content: ProfileContent }
  | { readonly of: 'orders'; readonly query: string; readonly expected: Expected };

/** `upstreamProfileId`: what the act's profile is called there; null: as far as is known, nothing. */
export function readingOf(act: Operation, upstreamProfileId: string | null): Reading {
  switch (act.type) {
    case 'taskOperation':
      return { of: 'path', path: taskPath(act.taskId), expected: { of: 'fields', fields: effectOf(act.operation) } };
    case 'coilMove':
      return { of: 'path', path: coilPath(act.coilId), expected: { of: 'fields', fields: { location: act.location } } };
    case 'orderPut':
    case 'orderRemoved':
      return {
        of: 'orders',
        query: orderQuery(act.orderKey),
        expected: { of: 'order', id: keyParts(act.orderKey).id },
      };
    case 'profilePut':
      if (upstreamProfileId === null) return { of: 'profiles', content: act.profile };
      return { of: 'path', path: profilePath(upstreamProfileId), expected: { of: 'profile', content: act.profile } };
    case 'profileArchived':
      return { of: 'path', path: profilePath(upstreamProfileId ?? act.profileId), expected: { of: 'archiving' } };
  }
}

/**
 * Whether an act was done, by whether the sought record is there. An order that is there was written by this act, unless
 * it existed before. Then its summary does not show whether the old or the new one is there. That does not matter: a Put
 * contains the whole order, so sending it again is right in both cases (D-20).
 */
export function settlement(act: Operation, isThere: boolean): Settlement {
  if (act.type === 'orderRemoved') return isThere ? UNDONE : DONE;
  if (act.type === 'orderPut') return isThere && act.isNew ? DONE : UNDONE;
  return isThere ? DONE : UNDONE;
}

/**
 * Whether the act changes nothing when it is done twice. Then a record that looks as if it had been done is no evidence:
 * the server may have had that state before, without the operator of this act. The act is sent again (D-30).
 */
export function isRepeatable(act: Operation): boolean {
  if (act.type === 'coilMove') return true;
  return act.type === 'taskOperation' && REPEATABLE.has(act.operation.type);
}

const REPEATABLE: ReadonlySet<TaskOperation['type']> = new Set(['inProcess', 'unattainable']);

/** By content and principal (D-30): two equal ones of ours cannot be told apart. `ids`: what those there are called. */
export function creationSettlement(ids: readonly (string | null)[]): Settlement {
  const [id] = ids;
  if (ids.length === 0) return UNDONE;
  if (ids.length === 1 && id !== undefined && id !== null) return { kind: 'done', upstreamProfileId: id };
  return { kind: 'unknown', reason: `the answer to it was lost, and ${ids.length} profiles there are equal to it` };
}

const DONE: Settlement = { kind: 'done' };
const UNDONE: Settlement = { kind: 'undone' };

/** The fields of a task after the operation was carried out; an operation repeated there changes nothing (D-14). */
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

function orderQuery(orderKey: string): string {
  const { by, id } = keyParts(orderKey);
  return by === 'orderCode' ? `?orderCode=${encodeURIComponent(id.toWellFormed())}` : '';
}
