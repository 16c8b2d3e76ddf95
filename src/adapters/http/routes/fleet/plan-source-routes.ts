import * as Type from 'typebox';
import { CodedError } from '../../../../domain/error.ts';
import { MAX_UPDATE_BYTES } from '../../../../domain/update/update-header.ts';
import type { PlanSource } from '../../../../flows/fleet-plan/plan-source.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, empty, route } from '../../requests/api-route.ts';
import { ERRORS_OBJECT } from '../../surface-router.ts';
import { orNull, record } from '../shapes.ts';

const SENDER = Type.Object(
  {
    gatewayId: Type.String({ minLength: 1, maxLength: 128 }),
    stream: Type.String({ minLength: 1, maxLength: 128 }),
  },
  { additionalProperties: false },
);

const PLAN = orNull(
  Type.Object({
    version: Type.Integer(),
    overwrite: Type.Boolean({ description: 'Records that were edited at the gateway are overwritten' }),
    plan: record('SealedPlan', 'lists of records by their kind; each secret is a hash'),
  }),
);

const TARGET = Type.Object({
  groupId: orNull(Type.String({ description: 'null: the gateway is in no group' })),
  rollOut: PLAN,
  preview: PLAN,
  update: orNull(
    Type.Object(
      { updateId: Type.String(), version: Type.String(), bytes: Type.Integer() },
      { description: 'The update that it is given' },
    ),
  ),
});

const PIECE_OF = Type.Object(
  { ...SENDER.properties, from: Type.Integer({ minimum: 0, maximum: MAX_UPDATE_BYTES, default: 0 }) },
  { additionalProperties: false },
);

/** Gateways fetch the plan of their group here (contract.md, Upstream; D-106). */
export function planSourceRoutes(source: PlanSource): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/plan',
      role: 'gateway',
      query: SENDER,
      description: {
        summary: 'Gives the plan of the group in which a gateway is; nothing new is 304 (ETag)',
        answers: { 200: TARGET, 304: null },
      },
      answer: async ({ query: { gatewayId, stream }, identity: { principal }, request }) => {
        const { target, tag } = await source.target({ gatewayId, stream, principal });
        if (request.headers['if-none-match'] === tag) return empty(304);
        return { kind: 'jsonText', bytes: await source.bytes(target), tag };
      },
    }),
    route({
      method: 'GET',
      path: '/update/:updateId',
      role: 'gateway',
      query: PIECE_OF,
      description: {
        summary: 'Gives a piece of the archive of an update, at most 64 KiB',
        answers: { 200: Type.String({ contentMediaType: 'application/octet-stream' }), 404: ERRORS_OBJECT },
      },
      answer: async ({ param, query: { gatewayId, stream, from }, identity: { principal } }) => {
        const bytes = await source.piece(
          { gatewayId, stream, principal },
          param('updateId'),
          from,
          LIMITS.givenPieceBytes,
        );
        if (bytes === null) throw new CodedError('not-found', 'this update is not given to this gateway, or not here');
        return { kind: 'octets', bytes };
      },
    }),
  ];
}
