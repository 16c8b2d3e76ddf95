import * as Type from 'typebox';
import { MACHINE_PROFILES_PATH } from '../machine-delivery/machine-delivery-routes.ts';
import { PROFILE } from '../routes/v1/profile-shapes.ts';
import { ERRORS_OBJECT } from '../surface-router.ts';
import type { Paths } from './open-api-document.ts';
import { RETRY_AFTER } from './open-api-headers.ts';

const { profileId, revision, description, category, subCategory, paintedSide, blankWidth, features } =
  PROFILE.properties;

const UPSERT = Type.Object(
  {
    change: Type.Literal('upsert'),
    ...{
      profileId,
      revision,
      name: Type.String(),
      description,
      category,
      subCategory,
      paintedSide,
      blankWidth,
      features,
    },
    thumbnail: Type.String({ description: 'data:image/png;base64,…' }),
  },
  { title: 'ProfileUpsert' },
);

const REMOVAL = Type.Object({ change: Type.Literal('remove'), profileId }, { title: 'ProfileRemoval' });

const CHANGES = Type.Object({
  cursor: Type.String({
    description: 'Store it together with the changes, and send it with the next request',
  }),
  more: Type.Boolean({ description: 'Whether to ask again at once' }),
  reset: Type.Optional(Type.Literal(true, { description: 'Forget everything that was held before first' })),
  changes: Type.Array(Type.Union([UPSERT, REMOVAL])),
});

function refusal(text: string) {
  return { description: text, content: { 'application/json': { schema: ERRORS_OBJECT } } };
}

/** The paths at which machines fetch profiles (contract.md, Machine delivery). */
export const MACHINE_PATHS: Paths = {
  [MACHINE_PROFILES_PATH]: {
    get: {
      operationId: 'get_machine_profiles',
      summary: 'Lists the changes in the catalogs that a machine subscribes to',
      description: 'For a machine with its serial number and registration key.',
      tags: ['machine'],
      security: [{ machine: [] }],
      parameters: [
        {
          name: 'since',
          in: 'query',
          required: false,
          description: 'The cursor of the answer before; left out: everything',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: { description: 'The changes', content: { 'application/json': { schema: CHANGES } } },
        400: refusal('The query is wrong'),
        401: refusal('No machine’s serial number and registration key'),
        429: { ...refusal('Too many requests: wait as long as Retry-After says'), headers: RETRY_AFTER },
        500: refusal('A fault of the gateway'),
        503: refusal('The disk cannot be written at the moment'),
      },
    },
  },
};
