import Type from 'typebox';
import { LOCATION_CATEGORIES } from '../../../../domain/plant.ts';
import type { WarehouseApi } from '../../../../flows/warehouse-ports.ts';
import { type ApiRoute, json, route } from '../../api-route.ts';
import { choice, ERRORS, LOCATION, REASON_CODE } from './warehouse-shapes.ts';

const STRICT = { additionalProperties: false } as const;
/** Warehouse tasks as business clients read them (interface.md, Warehouse tasks; TASK-01 to TASK-05). */
export function taskRoutes(warehouse: WarehouseApi): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/reasonCodes',
      role: 'business',
      description: { summary: 'Lists reason codes', answers: { 200: Type.Array(REASON_CODE) } },
      answer: () => json(warehouse.reasonCodes()),
    }),
    route({
      method: 'GET',
      path: '/locations',
      role: 'business',
      query: Type.Object({ category: Type.Optional(choice(LOCATION_CATEGORIES)) }, STRICT),
      description: { summary: 'Lists locations', answers: { 200: Type.Array(LOCATION), 400: ERRORS } },
      answer: ({ query }) => json(warehouse.locations(query.category ?? null)),
    }),
  ];
}
