import * as Type from 'typebox';
import { MAX_UPDATE_BYTES } from '../../../../domain/update/update-header.ts';
import { UPDATE_RESULTS } from '../../../../domain/update/update-outcome.ts';
import type { RequestUpdate } from '../../../../flows/update/request-update.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, described, empty, get, json, post, remove, route } from '../../requests/api-route.ts';
import { COUNT, choice, DATE_TIME, ID, orNull, record, text } from '../shapes.ts';

const UPDATE = Type.Object(
  {
    version: text('the one that runs'),
    obstacle: orNull(choice(['package', 'noService'])),
    upload: Type.Object({
      state: choice(['none', 'receiving', 'verifying', 'ready', 'requested', 'untaken']),
      bytes: COUNT,
      receivedBytes: COUNT,
      version: orNull(text('null until the archive is verified')),
    }),
    outcome: orNull(
      Type.Object({
        result: choice(UPDATE_RESULTS),
        from: text(),
        to: orNull(text()),
        reason: text('empty unless something went wrong'),
        at: DATE_TIME,
      }),
    ),
  },
  { title: 'Update' },
);

const STRICT = { additionalProperties: false } as const;
const UPLOAD = '/update/upload';
const BEGIN = Type.Object({ bytes: Type.Integer({ minimum: 1, maximum: MAX_UPDATE_BYTES }) }, STRICT);
const OFFSET = Type.Object({ offset: Type.Integer({ minimum: 0, maximum: MAX_UPDATE_BYTES }) }, STRICT);
const PIECE = Type.Unsafe<Uint8Array>(Type.String({ contentMediaType: 'application/octet-stream' }));
const INSTALL = Type.Object({ version: ID }, STRICT);

/** Updates from the page (contract.md, `/update`). */
export function updateRoutes(updates: RequestUpdate): readonly ApiRoute[] {
  return [
    get(
      '/update',
      'admin',
      described('Reads the version, the upload of another one, and the outcome of the last update', UPDATE),
      async () => json(await updates.view()),
    ),
    post(
      UPLOAD,
      'admin',
      BEGIN,
      described('Begins the upload of an update; an earlier one ends', record('Upload', 'uploadId'), 201),
      async ({ body }) => json(await updates.begin(body.bytes), 201),
    ),
    route({
      method: 'PUT',
      path: `${UPLOAD}/:uploadId`,
      role: 'admin',
      query: OFFSET,
      body: PIECE,
      isBodyBytes: true,
      maxBodyBytes: LIMITS.updatePieceBytes,
      description: described('Adds the next piece of an update, at most 256 KiB', null, 204),
      answer: async ({ param, query, body }) => {
        await updates.add(param('uploadId'), query.offset, body);
        return empty(204);
      },
    }),
    route({
      method: 'POST',
      path: `${UPLOAD}/:uploadId/verify`,
      role: 'admin',
      description: described('Verifies an update that has come as a whole', UPDATE),
      answer: async ({ param }) => json(await updates.verify(param('uploadId'))),
    }),
    remove(UPLOAD, 'admin', described('Gives an update up', null, 204), async () => {
      await updates.discard();
      return empty(204);
    }),
    post(
      '/update/install',
      'admin',
      INSTALL,
      described('Asks for the installation of the verified update', UPDATE, 202),
      async ({ body }) => json(await updates.install(body.version), 202),
    ),
  ];
}
