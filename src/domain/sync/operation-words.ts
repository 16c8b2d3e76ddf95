import type { TaskOperation } from '../warehouse/task.ts';
import type { Operation } from './operation.ts';

/** An operation as people read it: what was done, and the operator if it names one, else the owner of the key. */
export interface OperationWords {
  readonly what: string;
  readonly operator: string;
}

/** The part of a queued operation that names it: without an order's text and a profile's features. */
export interface NamedOperation {
  readonly principal: string;
  readonly act:
    | Exclude<Operation, { readonly type: 'orderPut' | 'profilePut' }>
    | { readonly type: 'orderPut'; readonly orderKey: string }
    | { readonly type: 'profilePut'; readonly profile: { readonly profileName: string } };
}

export function operationWords({ principal, act }: NamedOperation): OperationWords {
  return { what: operationText(act), operator: operatorOf(act) ?? principal };
}

function operationText(operation: NamedOperation['act']): string {
  switch (operation.type) {
    case 'taskOperation':
      return `${operation.operation.type} of task ${operation.taskId}`;
    case 'coilMove':
      return `move of coil ${operation.coilId} to ${operation.location}`;
    case 'orderPut':
      return `order ${operation.orderKey}`;
    case 'orderRemoved':
      return `removal of order ${operation.ordId}`;
    case 'profilePut':
      return `profile ${operation.profile.profileName}`;
    case 'profileArchived':
      return `archiving of profile ${operation.profileId}`;
  }
}

function operatorOf(operation: NamedOperation['act']): string | null {
  if (operation.type !== 'taskOperation') return null;
  const step: TaskOperation = operation.operation;
  return 'userName' in step ? step.userName : null;
}
