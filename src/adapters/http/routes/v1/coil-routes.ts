import type { Static } from 'typebox';
import * as Type from 'typebox';
import { invalidInput } from '../../../../domain/error.ts';
import { searchWords } from '../../../../domain/warehouse/task.ts';
import { COIL_SORT_FIELDS, type CoilSearch } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { WarehouseReadsFlow } from '../../../../flows/warehouse/warehouse-reads-flow.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, json, jsonText, route } from '../../requests/api-route.ts';
import { AMOUNT, COIL, ERRORS, page, TEXT } from './warehouse-shapes.ts';

const STRICT = { additionalProperties: false } as const;

const FILTERS = {
  materialCode: Type.Optional(TEXT),
  location: Type.Optional(TEXT),
  includeComplete: Type.Boolean({ default: false }),
  ...page,
};

const SORTS = COIL_SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);

const SEARCH_QUERY = Type.Object(
  {
    ...FILTERS,
    q: Type.Optional(TEXT),
    materialType: Type.Optional(TEXT),
    color: Type.Optional(TEXT),
    gauge: Type.Optional(Type.Integer({ minimum: 0 })),
    widthIn: Type.Optional(AMOUNT),
    minimumLengthFt: Type.Optional(AMOUNT),
    sort: Type.Unsafe<(typeof SORTS)[number]>({ type: 'string', enum: SORTS, default: 'coilId' }),
  },
  STRICT,
);

const FOUND_COILS = Type.Object({
  total: Type.Integer(),
  skip: Type.Integer(),
  take: Type.Integer(),
  items: Type.Array(COIL),
});

/** Coils as business clients read them (interface.md, Coils; COIL-01 to COIL-03, COIL-05). */
export function coilRoutes(warehouse: WarehouseReadsFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/',
      role: 'gateway',
      query: Type.Object(FILTERS, STRICT),
      description: { summary: 'Lists coils', answers: { 200: Type.Array(COIL), 400: ERRORS } },
      answer: async ({ query }) => {
        const { materialCode, location, ...rest } = query;
        const filter = { ...rest, materialCode: materialCode ?? null, location: location ?? null };
        return jsonText(await warehouse.coils(filter));
      },
    }),
    route({
      method: 'GET',
      path: '/search',
      role: 'business',
      query: SEARCH_QUERY,
      description: { summary: 'Searches coils', answers: { 200: FOUND_COILS, 400: ERRORS } },
      answer: async ({ query }) => jsonText(await warehouse.searchCoils(searchOf(query))),
    }),
    route({
      method: 'GET',
      path: '/:coilId',
      role: 'gateway',
      description: { summary: 'Reads a coil', answers: { 200: COIL, 400: ERRORS, 404: ERRORS } },
      answer: async ({ param }) => json(await warehouse.coil(param('coilId'))),
    }),
  ];
}

/** Each word is searched separately. */
function checkedWords(q: string): string {
  const count = searchWords(q).length;
  if (count <= LIMITS.searchWords) return q;
  throw invalidInput([{ path: 'q', found: `${count} words`, expected: `at most ${LIMITS.searchWords}` }]);
}

function searchOf(query: Static<typeof SEARCH_QUERY>): CoilSearch {
  const { materialCode, location, includeComplete, skip, take, sort } = query;
  const { q, materialType, color, gauge, widthIn, minimumLengthFt } = query;
  const field = COIL_SORT_FIELDS.find((name) => sort === name || sort === `-${name}`) ?? 'coilId';
  return {
    materialCode: materialCode ?? null,
    location: location ?? null,
    includeComplete,
    skip,
    take,
    q: q === undefined ? null : checkedWords(q),
    materialType: materialType ?? null,
    color: color ?? null,
    gauge: gauge ?? null,
    widthIn: widthIn ?? null,
    minimumLengthFt: minimumLengthFt ?? null,
    sort: { field, descending: sort.startsWith('-') },
  };
}
