import * as Type from 'typebox';
import type { ProfileFlow } from '../../../../flows/library/profile-flow.ts';
import { type ApiAnswer, type ApiRoute, empty, json, jsonText, route } from '../../requests/api-route.ts';
import { parseBody } from '../../requests/request-bodies.ts';
import { ERRORS_ARRAY } from '../../surface-router.ts';
import { CATALOG, PROFILE, PROFILE_BODY } from './profile-shapes.ts';
import { page, TEXT } from './warehouse-shapes.ts';

const LIST_QUERY = Type.Object(
  {
    category: Type.Optional(TEXT),
    subCategory: Type.Optional(TEXT),
    owningCatalogId: Type.Optional(Type.Integer()),
    name: Type.Optional(TEXT),
    ...page,
  },
  { additionalProperties: false },
);

/** The profile library (interface.md, Profiles; D-22). */
export function profileRoutes(profiles: ProfileFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/',
      role: 'business',
      body: PROFILE_BODY,
      isBodyText: true,
      description: {
        summary: 'Creates a profile',
        answers: { 200: PROFILE, 400: ERRORS_ARRAY, 500: ERRORS_ARRAY },
      },
      answer: async ({ body, identity, receipt }) =>
        json(await profiles.create(bodyOf(body), identity.principal, receipt)),
      repeat,
    }),
    route({
      method: 'GET',
      path: '/',
      role: 'gateway',
      query: LIST_QUERY,
      description: {
        summary: 'Lists profiles that are not archived',
        answers: { 200: Type.Array(PROFILE), 400: ERRORS_ARRAY, 413: ERRORS_ARRAY },
      },
      answer: async ({ query }) => {
        const { category = null, subCategory = null, owningCatalogId = null, name = null, skip, take } = query;
        return jsonText(await profiles.list({ category, subCategory, owningCatalogId, name, skip, take }));
      },
    }),
    route({
      method: 'GET',
      path: '/:profileId',
      role: 'gateway',
      description: { summary: 'Reads a profile, also an archived one', answers: { 200: PROFILE, 404: ERRORS_ARRAY } },
      answer: async ({ param }) => jsonText(await profiles.text(param('profileId'))),
    }),
    route({
      method: 'PUT',
      path: '/:profileId',
      role: 'business',
      body: PROFILE_BODY,
      isBodyText: true,
      description: {
        summary: 'Replaces the content of a profile; another owningCatalogId moves it',
        answers: { 200: PROFILE, 400: ERRORS_ARRAY, 404: ERRORS_ARRAY, 409: ERRORS_ARRAY, 500: ERRORS_ARRAY },
      },
      answer: async ({ param, body, identity, receipt }) =>
        json(await profiles.update(param('profileId'), bodyOf(body), identity.principal, receipt)),
      repeat,
    }),
    route({
      method: 'DELETE',
      path: '/:profileId',
      role: 'business',
      description: { summary: 'Archives a profile', answers: { 204: null, 404: ERRORS_ARRAY } },
      answer: async ({ param, identity, receipt }) => {
        await profiles.archive(param('profileId'), identity.principal, receipt);
        return empty(204);
      },
      repeat: () => empty(204),
    }),
  ];
}

function repeat(answer: Uint8Array<ArrayBuffer> | null): ApiAnswer {
  return jsonText({ bytes: answer ?? new Uint8Array() });
}

/** Taken as text: the profile rules check it, with the interface's sentences. */
function bodyOf(text: unknown): unknown {
  return parseBody(String(text));
}

/** The catalogs that a profile may be in (D-22). */
export function catalogRoutes(profiles: ProfileFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/',
      role: 'gateway',
      description: { summary: 'Lists catalogs', answers: { 200: Type.Array(CATALOG) } },
      answer: () => json(profiles.catalogs()),
    }),
  ];
}
