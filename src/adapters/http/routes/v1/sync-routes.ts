import * as Type from 'typebox';
import { onePlant } from '../../../../domain/plant/plant-scope.ts';
import { type BatchAnswer, SYNC_VERSION, type SyncOffer } from '../../../../domain/sync/batch.ts';
import type { BatchReceiver } from '../../../../flows/receive/batch-receiver.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, json, route } from '../../requests/api-route.ts';
import { ByteBudget, type PackedBody } from '../../requests/request-bodies.ts';
import { ERRORS_OBJECT } from '../../surface-router.ts';

const OFFER = Type.Object({
  version: Type.Integer({ description: 'Of the batches that are taken' }),
  maxBatchBytes: Type.Integer({ description: 'Of one batch, as it is sent' }),
});

const SENDER = Type.Object(
  {
    gatewayId: Type.Optional(
      Type.String({ maxLength: 128, description: 'The gateway that asks, to show that it is alive' }),
    ),
    stream: Type.Optional(Type.String({ maxLength: 128, description: 'And with which data directory' })),
  },
  { additionalProperties: false },
);

const BATCH = Type.Object(
  {
    version: Type.Literal(SYNC_VERSION),
    gatewayId: Type.String(),
    stream: Type.String({ description: 'Names one unbroken numbering of one data directory' }),
    directory: Type.Optional(Type.String({ description: 'Names the data directory, and every copy of it' })),
    previous: Type.String({
      description: 'SHA-256 of the batch before, in hexadecimal; empty for the first of a stream',
    }),
    records: Type.Array(Type.Object({ seq: Type.Integer(), kind: Type.String() })),
    points: Type.Array(Type.Object({ machineId: Type.String(), name: Type.String(), shiftDate: Type.String() })),
  },
  { description: 'May come with Content-Encoding gzip' },
);

const ANSWER = Type.Object({
  position: Type.String({
    description: 'SHA-256 of the batch before compression: what the next one names as previous',
  }),
  isRepeated: Type.Boolean({ description: 'It had been applied before' }),
  refused: Type.Array(Type.Object({ seq: Type.Integer(), reason: Type.String() })),
});

/** Published with its shape, and passed on unchanged, because the store thread reads it. */
const PACKED_BATCH = Type.Unsafe<PackedBody>(BATCH);

/** The batch extension, by which other gateways send their records (contract.md, Upstream; D-27). */
export function syncRoutes(receiver: BatchReceiver): readonly ApiRoute[] {
  const offer: SyncOffer = { version: SYNC_VERSION, maxBatchBytes: LIMITS.maxBatchBytes };
  return [
    route({
      method: 'GET',
      path: '/',
      role: 'gateway',
      query: SENDER,
      description: { summary: 'Says that batches are taken here', answers: { 200: OFFER } },
      answer: ({ query: { gatewayId, stream }, identity: { principal } }) => {
        if (gatewayId !== undefined && stream !== undefined) receiver.heard({ gatewayId, stream, principal });
        return json(offer);
      },
    }),
    route({
      method: 'POST',
      path: '/',
      role: 'gateway',
      body: PACKED_BATCH,
      packedBodyBudget: new ByteBudget(LIMITS.batchBytesAtOnce),
      maxBodyBytes: LIMITS.maxBatchBytes,
      description: {
        summary: 'Takes the next batch of a stream, exactly once in effect',
        answers: { 200: ANSWER, 403: ERRORS_OBJECT, 409: ERRORS_OBJECT, 503: ERRORS_OBJECT },
      },
      answer: async ({ body, identity }) => {
        const { principal, plants } = identity;
        const answer: BatchAnswer = await receiver.receive(body, { principal, plantId: onePlant(plants) });
        return json(answer);
      },
    }),
  ];
}
