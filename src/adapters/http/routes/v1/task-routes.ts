import type { Static } from 'typebox';
import * as Type from 'typebox';
import { LOCATION_CATEGORIES, TASK_STATES, TASK_TYPES } from '../../../../domain/plant/plant.ts';
import type { WarehouseReadsFlow } from '../../../../flows/warehouse/warehouse-reads-flow.ts';
import { type ApiRoute, json, jsonText, route } from '../../requests/api-route.ts';
import { readTime } from '../../requests/query-times.ts';
import { choice } from '../shapes.ts';
import { ERRORS, LOCATION, page, REASON_CODE, TASK, TEXT } from './warehouse-shapes.ts';

const STRICT = { additionalProperties: false } as const;
const TIME = Type.String({ format: 'date-time', description: 'ISO 8601 with Z or an offset' });

const LIST_QUERY = Type.Object(
  {
    onlyIncomplete: Type.Boolean({ default: false }),
    taskState: Type.Optional(choice(TASK_STATES)),
    taskType: Type.Optional(choice(TASK_TYPES)),
    destinationLocation: Type.Optional(TEXT),
    requiredAfter: Type.Optional(TIME),
    requiredBefore: Type.Optional(TIME),
    ...page,
  },
  STRICT,
);

/** Warehouse tasks as business clients read them (interface.md, Warehouse tasks; TASK-01 to TASK-05). */
export function taskRoutes(warehouse: WarehouseReadsFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/',
      role: 'gateway',
      query: LIST_QUERY,
      description: { summary: 'Lists warehouse tasks', answers: { 200: Type.Array(TASK), 400: ERRORS } },
      answer: async ({ query }) => jsonText(await warehouse.tasks(filterOf(query))),
    }),
    route({
      method: 'GET',
      path: '/reasonCodes',
      role: 'gateway',
      description: { summary: 'Lists reason codes', answers: { 200: Type.Array(REASON_CODE), 400: ERRORS } },
      answer: () => json(warehouse.reasonCodes()),
    }),
    route({
      method: 'GET',
      path: '/locations',
      role: 'gateway',
      query: Type.Object({ category: Type.Optional(choice(LOCATION_CATEGORIES)) }, STRICT),
      description: { summary: 'Lists locations', answers: { 200: Type.Array(LOCATION), 400: ERRORS } },
      answer: ({ query }) => json(warehouse.locations(query.category ?? null)),
    }),
    route({
      method: 'GET',
      path: '/:taskId',
      role: 'gateway',
      description: { summary: 'Reads a warehouse task', answers: { 200: TASK, 400: ERRORS, 403: ERRORS, 404: ERRORS } },
      answer: async ({ param }) => json(await warehouse.task(param('taskId'))),
    }),
  ];
}

function filterOf(query: Static<typeof LIST_QUERY>) {
  const { onlyIncomplete, taskState, taskType, destinationLocation, requiredAfter, requiredBefore, skip, take } = query;
  return {
    onlyIncomplete,
    taskState: taskState ?? null,
    taskType: taskType ?? null,
    destinationLocation: destinationLocation ?? null,
    requiredAfter: requiredAfter === undefined ? null : readTime('requiredAfter', requiredAfter),
    requiredBefore: requiredBefore === undefined ? null : readTime('requiredBefore', requiredBefore),
    skip,
    take,
  };
}
