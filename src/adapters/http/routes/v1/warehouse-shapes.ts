import * as Type from 'typebox';
import { CODE_SETS, LOCATION_CATEGORIES, TASK_STATES, TASK_TYPES } from '../../../../domain/plant/plant.ts';
import { LIMITS } from '../../limits.ts';
import { choice, DATE_TIME, orNull } from '../shapes.ts';

/** Shapes of the warehouse routes' requests and answers (interface.md, Warehouse tasks, Coils). */

/** Text to search for. */
export const TEXT = Type.String({ maxLength: LIMITS.queryTextLength });
export const AMOUNT = Type.Number({ minimum: 0 });

/** The page of a list, within the interface's Limits. */
export const page = {
  skip: Type.Integer({ minimum: 0, default: 0 }),
  take: Type.Integer({ minimum: 1, maximum: LIMITS.takenRecords, default: LIMITS.takenByDefault }),
} as const;

export { ERRORS_OBJECT as ERRORS } from '../../surface-router.ts';

const COIL_TYPE = Type.Object(
  {
    coilTypeCode: Type.String(),
    materialType: Type.String(),
    color: Type.String(),
    gauge: Type.Integer(),
    widthIn: Type.Number(),
    lbsPerFt: Type.Number(),
  },
  { title: 'CoilType' },
);

export const TASK = Type.Object(
  {
    taskId: Type.String(),
    taskType: choice(TASK_TYPES),
    taskState: choice(TASK_STATES),
    coilType: COIL_TYPE,
    requiredFt: Type.Number(),
    sourceLocation: Type.String(),
    destinationLocation: Type.String(),
    requiredDate: DATE_TIME,
    availableDate: orNull(DATE_TIME),
    startedDate: orNull(DATE_TIME),
    completedDate: orNull(DATE_TIME),
    selectedCoilId: orNull(Type.String()),
    preferredCoilIds: Type.Array(Type.String()),
    userName: orNull(Type.String()),
    overrideReason: orNull(Type.String()),
    unattainableReason: orNull(Type.String()),
  },
  { title: 'Task' },
);

export const REASON_CODE = Type.Object(
  { id: Type.String(), codeSet: choice(CODE_SETS), reason: Type.String() },
  { title: 'ReasonCode' },
);

export const LOCATION = Type.Object(
  {
    code: Type.String(),
    name: Type.String(),
    category: choice(LOCATION_CATEGORIES),
  },
  { title: 'Location' },
);

export const COIL = Type.Object(
  {
    coilId: Type.String(),
    materialCode: orNull(Type.String()),
    description: orNull(Type.String()),
    materialType: orNull(Type.String()),
    color: orNull(Type.String()),
    gauge: orNull(Type.Integer()),
    widthIn: orNull(Type.Number()),
    lengthStartFt: orNull(Type.Number()),
    lengthRemainingFt: orNull(Type.Number()),
    currentWeightLbs: orNull(Type.Number()),
    isComplete: Type.Boolean(),
    isStarted: Type.Boolean(),
    location: Type.String(),
    dateIn: orNull(Type.String({ description: 'ISO 8601 without a zone' })),
    vendorName: orNull(Type.String()),
    heatNumber: orNull(Type.String()),
    purchaseOrder: orNull(Type.String()),
  },
  { title: 'Coil' },
);
