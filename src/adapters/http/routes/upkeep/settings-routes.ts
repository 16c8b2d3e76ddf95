import * as Type from 'typebox';
import type { ChangeSettings } from '../../../../flows/settings/change-settings.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, get, json, NO_QUERY, post, put } from '../../requests/api-route.ts';
import { ID } from '../shapes.ts';

const STRICT = { additionalProperties: false } as const;
const SHIFTS = Type.Object(
  {
    timeZone: ID,
    shifts: Type.Array(Type.Object({ name: ID, start: ID }, STRICT), { maxItems: LIMITS.chosenShifts }),
  },
  STRICT,
);
const ADDRESS = Type.String({ minLength: 1, maxLength: LIMITS.addressLength });
const SERVER = Type.Object({ url: ADDRESS, apiKey: ADDRESS }, STRICT);
const CHANGE = Type.Object(
  { shifts: Type.Optional(SHIFTS), upstream: Type.Optional(Type.Union([SERVER, Type.Null()])) },
  STRICT,
);

/** Settings that are chosen at the page (contract.md, `/settings`). */
export function settingsRoutes(settings: ChangeSettings): readonly ApiRoute[] {
  return [
    get('/settings', 'admin', NO_QUERY, () => json(settings.view())),
    put('/settings', 'admin', CHANGE, async ({ body }) => json(await settings.change(body))),
    post('/settings/server', 'admin', SERVER, async ({ body }) => json(await settings.tryServer(body))),
  ];
}
