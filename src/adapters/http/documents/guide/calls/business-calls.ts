import type { BusinessTopic } from './business-call.ts';
import { CHANGE_CALLS } from './change-calls.ts';
import { COIL_CALLS } from './coil-calls.ts';
import { ORDER_CALLS } from './order-calls.ts';
import { PROFILE_CALLS } from './profile-calls.ts';
import { TASK_CALLS } from './task-calls.ts';

/** Every call of the business interface. A test makes all of them, and compares the answers. */
export const BUSINESS_CALLS: readonly BusinessTopic[] = [
  TASK_CALLS,
  COIL_CALLS,
  ORDER_CALLS,
  PROFILE_CALLS,
  CHANGE_CALLS,
];
