import { keyParts } from '../order/order-key.ts';
import type { ProfileContent } from '../profile/profile.ts';
import type { TaskOperation } from '../warehouse/task.ts';
import type { Expected } from './expected.ts';
import type { Operation } from './operation.ts';
import { coilPath, given, profilePath, taskPath } from './operation-request.ts';

/**
 * Whether a write whose answer was lost was carried out, according to the present records there (D-30). Writes through
 * the interface alone have no numbers: reading settles them, or a person does.
 */
export type Settlement =
  | { readonly kind: 'done'; readonly upstreamProfileId?: string }
  /** It had no effect: it is sent again. */
  | { readonly kind: 'undone' }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The reading that settles an operation: an endpoint, profiles like one, or the summary of orders under one of its two
 * names (D-21).
 */
export type Reading =
  | { readonly of: 'path'; readonly path: string; readonly expected: Expected }
  | { readonly of: 'profiles'; readonly content: ProfileContent }
  | { readonly of: 'orders'; readonly query: string; readonly expected: Expected };

/** `upstreamProfileId` is the id of the operation's profile there, or null if none is known. */
export function readingOf(operation: Operation, upstreamProfileId: string | null): Reading {
  switch (operation.type) {
    case 'taskOperation':
      return { of: 'path', path: taskPath(operation.taskId), expected: taskExpected(operation) };
    case 'coilMove':
      return {
        of: 'path',
        path: coilPath(operation.coilId),
        expected: { of: 'fields', fields: { location: operation.location } },
      };
    case 'orderPut':
    case 'orderRemoved':
      return {
        of: 'orders',
        query: orderQuery(operation.orderKey),
        expected: { of: 'order', order: keyParts(operation.orderKey) },
      };
    case 'profilePut':
      if (upstreamProfileId === null) return { of: 'profiles', content: operation.profile };
      return {
        of: 'path',
        path: profilePath(upstreamProfileId),
        expected: { of: 'profile', content: operation.profile },
      };
    case 'profileArchived':
      return { of: 'path', path: profilePath(upstreamProfileId ?? operation.profileId), expected: { of: 'archiving' } };
  }
}

/**
 * Whether an operation was done, concluded from the presence of the sought record; null: the answer does not show it.
 * An order that is there was written by this operation if no such order existed before. If one existed, its summary
 * does not show whether it is the old or the new one. Then the order is sent again, which is right in both cases,
 * because a Put contains the whole order and replaces the one with its documentID (D-20). The release of a task on which
 * another person works now may have been done before: a repetition would undo the work of that person.
 */
export function settlement(operation: Operation, isThere: boolean | null): Settlement {
  if (operation.type === 'orderPut') return putSettlement(operation, isThere);
  if (isThere === null) return operation.type === 'taskOperation' ? TAKEN_BY_ANOTHER : UNSHOWN_ORDER;
  if (operation.type === 'orderRemoved') return isThere ? UNDONE : DONE;
  return isThere ? DONE : UNDONE;
}

function putSettlement({ orderKey, isNew }: Extract<Operation, { type: 'orderPut' }>, isThere: boolean | null) {
  if (!isNew || isThere === false) return UNDONE;
  if (isThere) return DONE;
  // Without a documentID the server may take a repetition for another order.
  return keyParts(orderKey).by === 'documentID' ? UNDONE : UNSHOWN_ORDER;
}

/**
 * Whether the operation changes nothing when it is done twice. Such an operation is simply sent again (D-30). The
 * present record would be no evidence: the server may have had that state before, without the operator of this
 * operation.
 */
export function isRepeatable(operation: Operation): boolean {
  if (operation.type === 'coilMove') return true;
  return operation.type === 'taskOperation' && REPEATABLE.has(operation.operation.type);
}

const REPEATABLE: ReadonlySet<TaskOperation['type']> = new Set(['inProcess', 'unattainable']);

/**
 * Settles a creation by content and principal (D-30): two equal profiles of ours cannot be told apart. `ids` are the
 * ids of the profiles there.
 */
export function creationSettlement(ids: readonly (string | null)[]): Settlement {
  const [id] = ids;
  if (ids.length === 0) return UNDONE;
  if (ids.length === 1 && id !== undefined && id !== null) return { kind: 'done', upstreamProfileId: id };
  return {
    kind: 'unknown',
    reason: `the answer to this operation was lost, and ${ids.length} profiles there are equal to it`,
  };
}

const DONE: Settlement = { kind: 'done' };
const UNDONE: Settlement = { kind: 'undone' };
const UNSHOWN_ORDER: Settlement = {
  kind: 'unknown',
  reason:
    'the answer to this operation was lost, and the summary of orders there does not show whether it has the order',
};

const TAKEN_BY_ANOTHER: Settlement = {
  kind: 'unknown',
  reason: 'the answer to this operation was lost, and another person works on the task there now',
};

function taskExpected({ operation, operatorBefore = null }: Extract<Operation, { type: 'taskOperation' }>): Expected {
  const fields = effectOf(operation);
  const isRelease = operation.type === 'ready' || operation.type === 'cancel';
  return isRelease ? { of: 'release', fields, operatorBefore } : { of: 'fields', fields };
}

/**
 * The fields of a task after the operation; a repeated operation changes nothing there (D-14). The task may have been in
 * that state before, so the operator and the reason count too.
 */
function effectOf(operation: TaskOperation): Readonly<Record<string, unknown>> {
  switch (operation.type) {
    case 'ready':
      return { taskState: 'Ready', userName: null };
    case 'inProcess':
      return { taskState: 'InProcess', ...given({ userName: operation.userName }) };
    case 'inTransit': {
      const { coilId: selectedCoilId, overrideReason, userName } = operation;
      return { taskState: 'InTransit', selectedCoilId, ...given({ overrideReason, userName }) };
    }
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
