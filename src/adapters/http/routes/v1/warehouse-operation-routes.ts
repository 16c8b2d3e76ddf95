import type { Static, TObject } from 'typebox';
import * as Type from 'typebox';
import type { TaskOperation, TaskOperationType } from '../../../../domain/warehouse/task.ts';
import type { WarehouseOperationsFlow } from '../../../../flows/warehouse/warehouse-operations-flow.ts';
import { type ApiRoute, empty, route } from '../../requests/api-route.ts';
import { ID } from '../shapes.ts';
import { ERRORS } from './warehouse-shapes.ts';

const STRICT = { additionalProperties: false } as const;
/** May be left out or null: many clients send null. */
const OPTIONAL = Type.Optional(Type.Unsafe<string | null>({ ...ID, type: ['string', 'null'] }));
/** The name becomes part of the task, so it must be a name that a plant file can hold. */
const USER_NAME = Type.Optional(
  Type.Unsafe<string | null>({
    ...ID,
    type: ['string', 'null'],
    pattern: '^(?=.*\\S)\\P{Cc}*$',
    description: 'text on one line that is not blank',
  }),
);

const NO_FIELDS = Type.Object({}, STRICT);
const OPERATOR = Type.Object({ userName: USER_NAME }, STRICT);
const TRANSIT = Type.Object({ coilId: ID, overrideReason: OPTIONAL, userName: USER_NAME }, STRICT);
const COMPLETION = Type.Object({ location: ID, userName: USER_NAME }, STRICT);
const UNATTAINABLE = Type.Object({ unattainableCode: ID, userName: USER_NAME }, STRICT);
const CANCELLATION = Type.Object({ coilId: ID, location: ID }, STRICT);
const MOVE = Type.Object({ location: ID }, STRICT);

const NOT_WRITTEN = { 400: ERRORS, 401: ERRORS, 404: ERRORS, 503: ERRORS };

/** The transitions of a task (interface.md, Warehouse tasks; TASK-06 to TASK-14). Each answers 202 once it is on disk. */
export function taskOperationRoutes(warehouse: WarehouseOperationsFlow): readonly ApiRoute[] {
  const transition = <Body extends TObject>(
    type: TaskOperationType,
    summary: string,
    body: Body,
    operationOf: (body: Static<Body>) => TaskOperation,
  ) =>
    route({
      method: 'POST',
      path: `/:taskId/${type}`,
      // A gateway below this one passes on operations that go to the legacy system first.
      role: type === 'complete' || type === 'cancel' ? 'gateway' : 'business',
      body,
      isBodyOptional: type === 'ready' || type === 'inProcess',
      description: { summary, answers: { 202: null, 403: ERRORS, ...NOT_WRITTEN } },
      repeat: () => empty(202),
      answer: async ({ param, body, identity, receipt }) => {
        await warehouse.operate(param('taskId'), operationOf(body), identity.principal, receipt);
        return empty(202);
      },
    });
  return [
    transition('ready', 'Releases a task: Ready', NO_FIELDS, () => ({ type: 'ready' })),
    transition('inProcess', 'Takes a task: InProcess', OPERATOR, ({ userName = null }) => ({
      type: 'inProcess',
      userName,
    })),
    transition(
      'inTransit',
      'Picks up the coil: InTransit',
      TRANSIT,
      ({ coilId, overrideReason = null, userName = null }) => ({ type: 'inTransit', coilId, overrideReason, userName }),
    ),
    transition(
      'complete',
      'Puts the coil down: Complete, after the legacy system',
      COMPLETION,
      ({ location, userName = null }) => ({ type: 'complete', location, userName }),
    ),
    transition(
      'unattainable',
      'Says why a task cannot be done; its state stays',
      UNATTAINABLE,
      ({ unattainableCode, userName = null }) => ({ type: 'unattainable', unattainableCode, userName }),
    ),
    transition(
      'cancel',
      'Puts the coil back: Ready, after the legacy system',
      CANCELLATION,
      ({ coilId, location }) => ({ type: 'cancel', coilId, location }),
    ),
  ];
}

/** Moving a coil (interface.md, Coils; COIL-04): 200 once both systems have it. */
export function coilOperationRoutes(warehouse: WarehouseOperationsFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/:coilId/location',
      role: 'gateway',
      body: MOVE,
      description: { summary: 'Moves a coil, in the legacy system first', answers: { 200: null, ...NOT_WRITTEN } },
      repeat: () => empty(200),
      answer: async ({ param, body, identity, receipt }) => {
        await warehouse.moveCoil(param('coilId'), body.location, identity.principal, receipt);
        return empty(200);
      },
    }),
  ];
}
