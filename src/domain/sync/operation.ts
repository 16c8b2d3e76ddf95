import type { Profile } from '../profile/profile.ts';
import type { TaskOperation } from '../warehouse/task.ts';

/**
 * An operation of a person or an API client that is forwarded to the central server (UP-01). Operations name the operator who
 * was resolved here (D-31).
 */
export type Operation =
  | {
      readonly type: 'taskOperation';
      readonly taskId: string;
      readonly operation: TaskOperation;
      /** The operator of the task before it was released by this operation. */
      readonly operatorBefore?: string | null;
    }
  | { readonly type: 'coilMove'; readonly coilId: string; readonly location: string }
  /**
   * `isNew` tells that no order had the key before, so that an order with this key at the server is this one (D-30).
   */
  | { readonly type: 'orderPut'; readonly orderKey: string; readonly json: string; readonly isNew: boolean }
  /** `ordId` is the id by which the central server finds it: its documentID, or its orderCode if it has none. */
  | { readonly type: 'orderRemoved'; readonly orderKey: string; readonly ordId: string }
  | { readonly type: 'profilePut'; readonly profile: Profile }
  | { readonly type: 'profileArchived'; readonly profileId: string };

/** Only an operation that releases a task keeps the operator before: all others name one. */
export function taskAct(taskId: string, operation: TaskOperation, operatorBefore: string | null): Operation {
  const act = { type: 'taskOperation', taskId, operation } as const;
  return 'userName' in operation ? act : { ...act, operatorBefore };
}

/**
 * An act under way. `operationId` identifies its repetitions; `at` is the time of the act, in milliseconds since 1970.
 */
export interface QueuedOperation {
  readonly operationId: string;
  readonly at: number;
  readonly principal: string;
  readonly act: Operation;
}

/** The entity of an operation: operations of one entity reach the central server in their order (UP-02). */
export function entityOf(operation: Operation): string {
  switch (operation.type) {
    case 'taskOperation':
      return taskEntity(operation.taskId);
    case 'coilMove':
      return coilEntity(operation.coilId);
    case 'orderPut':
    case 'orderRemoved':
      return orderEntity(operation.orderKey);
    case 'profilePut':
      return profileEntity(operation.profile.profileId);
    case 'profileArchived':
      return profileEntity(operation.profileId);
  }
}

export function taskEntity(taskId: string): string {
  return `task:${taskId}`;
}

export function coilEntity(coilId: string): string {
  return `coil:${coilId}`;
}

export function orderEntity(orderKey: string): string {
  return `order:${orderKey}`;
}

export function profileEntity(profileId: string): string {
  return `profile:${profileId}`;
}

export function machineEntity(machineId: string): string {
  return `${MACHINE_PREFIX}${machineId}`;
}

/** Whether it is a machine, whose rows are statuses. */
export function isMachineEntity(entity: string): boolean {
  return entity.startsWith(MACHINE_PREFIX);
}

const MACHINE_PREFIX = 'machine:';

/** Queues an operation for the central server, in the transaction of the operation itself. */
export interface OperationRecord {
  readonly kind: 'act';
  readonly queued: QueuedOperation;
}
