import * as Type from 'typebox';
import { MAX_UPDATE_BYTES } from '../../../../domain/update/update-header.ts';
import type { RequestUpdate } from '../../../../flows/update/request-update.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, empty, get, json, NO_QUERY, post, remove, route } from '../../requests/api-route.ts';
import { ID } from '../shapes.ts';

const STRICT = { additionalProperties: false } as const;
const UPLOAD = '/update/upload';
const BEGIN = Type.Object({ bytes: Type.Integer({ minimum: 1, maximum: MAX_UPDATE_BYTES }) }, STRICT);
const OFFSET = Type.Object({ offset: Type.Integer({ minimum: 0, maximum: MAX_UPDATE_BYTES }) }, STRICT);
const PIECE = Type.Unsafe<Uint8Array>(Type.String({ contentMediaType: 'application/octet-stream' }));
const INSTALL = Type.Object({ version: ID }, STRICT);

/** Updates from the page (contract.md, `/update`). */
export function updateRoutes(updates: RequestUpdate): readonly ApiRoute[] {
  return [
    get('/update', 'admin', NO_QUERY, async () => json(await updates.view())),
    post(UPLOAD, 'admin', BEGIN, async ({ body }) => json(await updates.begin(body.bytes), 201)),
    route({
      method: 'PUT',
      path: `${UPLOAD}/:uploadId`,
      role: 'admin',
      query: OFFSET,
      body: PIECE,
      isBodyBytes: true,
      maxBodyBytes: LIMITS.updatePieceBytes,
      answer: async ({ param, query, body }) => {
        await updates.add(param('uploadId'), query.offset, body);
        return empty(204);
      },
    }),
    route({
      method: 'POST',
      path: `${UPLOAD}/:uploadId/verify`,
      role: 'admin',
      answer: async ({ param }) => json(await updates.verify(param('uploadId'))),
    }),
    remove(UPLOAD, 'admin', async () => {
      await updates.discard();
      return empty(204);
    }),
    post('/update/install', 'admin', INSTALL, async ({ body }) => json(await updates.install(body.version), 202)),
  ];
}
