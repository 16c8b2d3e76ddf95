import * as Type from 'typebox';
import type { ChangesFlow } from '../../../../flows/changes/changes-flow.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, json, route } from '../../requests/api-route.ts';
import { choice } from '../shapes.ts';
import { ERRORS } from './warehouse-shapes.ts';

const QUERY = Type.Object(
  {
    after: Type.Optional(Type.String({ maxLength: 64, description: 'The cursor of the answer before; left out: now' })),
    take: Type.Integer({ minimum: 1, maximum: LIMITS.takenRecords, default: LIMITS.takenRecords }),
  },
  { additionalProperties: false },
);

const CHANGES = Type.Object(
  {
    cursor: Type.String({ description: 'Send it as `after` with the next request' }),
    more: Type.Boolean({ description: 'Whether to ask again at once' }),
    reset: Type.Optional(
      Type.Literal(true, {
        description: 'Read all lists anew, then go on from the cursor: the one that came is unknown',
      }),
    ),
    changes: Type.Array(
      Type.Object({
        kind: choice(['task', 'coil', 'order', 'profile']),
        id: Type.Union([Type.String(), Type.Null()], {
          description: 'null: many of this kind changed at once, read their list anew',
        }),
        change: choice(['upsert', 'remove']),
        at: Type.String({ format: 'date-time' }),
      }),
    ),
  },
  { title: 'Changes' },
);

/** The feed of changes, for programs that would poll lists otherwise. */
export function changeRoutes(changes: ChangesFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/',
      role: 'business',
      query: QUERY,
      description: {
        summary: 'Lists tasks, coils, orders and profiles that changed since a cursor',
        answers: { 200: CHANGES, 400: ERRORS },
      },
      answer: async ({ query: { after = null, take } }) => json(await changes.read(after, take)),
    }),
  ];
}
