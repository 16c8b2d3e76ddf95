import * as Type from 'typebox';
import type { ProfileFlow } from '../../../flows/library/profile-flow.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, getBy, json, jsonText, post } from '../requests/api-route.ts';
import { COUNT, limitOf } from './shapes.ts';
import { PROFILE } from './v1/profile-shapes.ts';
import { page } from './v1/warehouse-shapes.ts';

const QUERY = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: LIMITS.queryTextLength })),
    catalogId: Type.Optional(Type.Integer()),
    archived: Type.Boolean({ default: false }),
    skip: page.skip,
    take: limitOf(100),
  },
  { additionalProperties: false },
);

const FOUND = Type.Object({ total: COUNT, items: Type.Array(PROFILE) }, { title: 'FoundProfiles' });

/** The search for profiles by a part of their name, note or category, and the way back from the archive (contract.md, Local API). */
export function profileSearchRoutes(profiles: Pick<ProfileFlow, 'find' | 'restore'>): readonly ApiRoute[] {
  return [
    getBy(
      '/profiles',
      'technician',
      QUERY,
      described('Finds profiles that hold a text', FOUND),
      async ({ query: { q, catalogId, archived, skip, take } }) =>
        jsonText(await profiles.find({ text: q ?? null, archived, catalogId: catalogId ?? null, skip, take })),
    ),
    post(
      '/profiles/:profileId/restore',
      'technician',
      Type.Object({}),
      described('Takes an archived profile into use again', PROFILE),
      async ({ param, identity }) => json(await profiles.restore(param('profileId'), identity.principal)),
    ),
  ];
}
