import * as Type from 'typebox';
import { ROLL_OUT_STATES, UPDATE_STANDINGS } from '../../../../domain/fleet/update/roll-out.ts';
import { MAX_UPDATE_BYTES } from '../../../../domain/update/update-header.ts';
import type { FleetArchives } from '../../../../flows/fleet-update/fleet-archives.ts';
import type { RollOuts } from '../../../../flows/fleet-update/roll-outs.ts';
import type { Sights } from '../../../../flows/receive/sights.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, described, empty, get, json, post, route } from '../../requests/api-route.ts';
import { COUNT, choice, DATE_TIME, orNull, record, text } from '../shapes.ts';

const STRICT = { additionalProperties: false } as const;
const ARCHIVE = Type.Object(
  { archiveId: text('the SHA-256 of its program'), version: text(), arch: text(), bytes: COUNT },
  { title: 'FleetArchive' },
);
const BEGIN = Type.Object({ bytes: Type.Integer({ minimum: 1, maximum: MAX_UPDATE_BYTES }) }, STRICT);
const OFFSET = Type.Object({ offset: Type.Integer({ minimum: 0, maximum: MAX_UPDATE_BYTES }) }, STRICT);
const PIECE = Type.Unsafe<Uint8Array>(Type.String({ contentMediaType: 'application/octet-stream' }));
const NEW = Type.Object(
  {
    archiveId: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    canaries: Type.Array(Type.String({ maxLength: 128 }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'gateways that get it before all others',
    }),
    atOnce: Type.Integer({ minimum: 1, maximum: 500, description: 'gateways that get it at a time after them' }),
  },
  STRICT,
);
const ROLL_OUT = Type.Object(
  {
    version: text(),
    arch: text(),
    bytes: COUNT,
    canaries: Type.Array(Type.String()),
    atOnce: COUNT,
    at: DATE_TIME,
    who: text(),
    state: choice(ROLL_OUT_STATES),
    why: text('why it has stopped by itself; empty otherwise'),
    gateways: Type.Array(
      Type.Object({
        gatewayId: text(),
        version: orNull(text('the one that runs there')),
        standing: choice(UPDATE_STANDINGS),
        why: text('of failed'),
        receivedBytes: COUNT,
      }),
    ),
  },
  { title: 'RollOut' },
);

const ARCHIVES = '/fleet/archives';
const UPLOAD = `${ARCHIVES}/upload`;
const UPDATE = '/fleet/groups/:groupId/update';

/** Signed archives for gateways, and updates of groups in steps (D-107). */
export function fleetUpdateRoutes(archives: FleetArchives, rollOuts: RollOuts, sights: Sights): readonly ApiRoute[] {
  return [
    get(ARCHIVES, 'supervisor', described('Lists archives for gateways', Type.Array(ARCHIVE)), async () =>
      json(await archives.list()),
    ),
    post(
      UPLOAD,
      'admin',
      BEGIN,
      described(
        'Begins the upload of an archive for gateways; an earlier one ends',
        record('ArchiveUpload', 'uploadId'),
        201,
      ),
      async ({ body }) => json(await archives.begin(body.bytes, await rollOuts.needed()), 201),
    ),
    route({
      method: 'PUT',
      path: `${UPLOAD}/:uploadId`,
      role: 'admin',
      query: OFFSET,
      body: PIECE,
      isBodyBytes: true,
      maxBodyBytes: LIMITS.updatePieceBytes,
      description: described('Adds the next piece of an archive for gateways', null, 204),
      answer: async ({ param, query, body }) => {
        await archives.add(param('uploadId'), query.offset, body);
        return empty(204);
      },
    }),
    route({
      method: 'POST',
      path: `${UPLOAD}/:uploadId/finish`,
      role: 'admin',
      description: described('Verifies an archive that has come as a whole, and keeps it', ARCHIVE, 201),
      answer: async ({ param }) => json(await archives.finish(param('uploadId')), 201),
    }),
    ...rollOutRoutes(rollOuts, sights),
  ];
}

function rollOutRoutes(rollOuts: RollOuts, sights: Sights): readonly ApiRoute[] {
  return [
    get(
      UPDATE,
      'supervisor',
      described('Reads the last update of a group', Type.Object({ update: orNull(ROLL_OUT) })),
      async ({ param, identity }) => json({ update: await rollOuts.view(param('groupId'), sights.of(identity)) }),
    ),
    post(
      UPDATE,
      'admin',
      NEW,
      described('Begins an update of a group in steps', null, 204),
      async ({ param, body, identity }) => {
        await rollOuts.begin(param('groupId'), body, identity.principal);
        return empty(204);
      },
    ),
    route({
      method: 'POST',
      path: `${UPDATE}/stop`,
      role: 'admin',
      description: described('Stops the update of a group', null, 204),
      answer: async ({ param }) => {
        await rollOuts.stop(param('groupId'));
        return empty(204);
      },
    }),
    route({
      method: 'POST',
      path: `${UPDATE}/goOn`,
      role: 'admin',
      description: described('Goes on with a stopped update; gateways that failed are passed over', null, 204),
      answer: async ({ param }) => {
        await rollOuts.goOn(param('groupId'));
        return empty(204);
      },
    }),
  ];
}
