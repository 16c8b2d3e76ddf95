import Type from 'typebox';
import { invalidInput } from '../../../domain/error.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, get } from '../requests/api-route.ts';

const EVENTS_QUERY = Type.Object(
  {
    messages: Type.Optional(
      Type.String({ maxLength: LIMITS.queryTextLength, description: 'machine ids with commas between them' }),
    ),
  },
  { additionalProperties: false },
);

/** Changes as they happen, and the messages of machines for those who ask for them (contract.md, Local API). */
export function eventRoutes(): readonly ApiRoute[] {
  return [
    get('/events', 'technician', EVENTS_QUERY, ({ query }) => ({ kind: 'events', follows: followed(query.messages) })),
  ];
}

function followed(machineIds = ''): readonly string[] {
  const ids = machineIds.split(',').filter((id) => id !== '');
  if (ids.length <= LIMITS.followedMachines) return ids;
  const expected = `at most ${LIMITS.followedMachines}`;
  throw invalidInput([{ path: 'messages', found: `${ids.length} machines`, expected }]);
}
