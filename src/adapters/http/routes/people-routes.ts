import * as Type from 'typebox';
import type { KeyUse } from '../../../flows/people/key-use.ts';
import type { Panels } from '../../../flows/people/panels.ts';
import type { Sessions } from '../../../flows/people/sessions.ts';
import type { SignIns } from '../../../flows/people/sign-ins.ts';
import type { Clock } from '../../../flows/ports.ts';
import type { OpenLimit } from '../../../flows/shared-limits.ts';
import { panelOf, requirePanel } from '../guards/page-identity.ts';
import { panelCookie, sessionToken } from '../guards/session-cookie.ts';
import { type ApiRoute, described, empty, get, json, post, remove } from '../requests/api-route.ts';
import { isSecure, originOf } from '../requests/client.ts';
import { BADGE, ID, record } from './shapes.ts';

export interface PeopleRoutesOptions {
  readonly people: Sessions;
  readonly signIns: SignIns;
  readonly panels: Panels;
  readonly keyUse: KeyUse;
  readonly openLimit: OpenLimit;
  readonly clock: Clock;
}

const STRICT = { additionalProperties: false } as const;
/** Whether the server has them is checked with the key of the panel. */
const PLANTS = Type.Optional(Type.Array(ID, { minItems: 1, maxItems: 100, description: 'a list of 1 to 100 plants' }));

/** Panels, and people with their sessions (contract.md, Local API). */
export function peopleRoutes({ people, signIns, panels, keyUse }: PeopleRoutesOptions): readonly ApiRoute[] {
  return [
    post(
      '/panel',
      'admin',
      Type.Object({ name: ID, plants: PLANTS }, STRICT),
      described('Enrols this browser as a panel', record('Panel', 'a panel: id and name'), 201),
      async ({ request, body }) => {
        const { token, ...panel } = await panels.enrol(body.name, body.plants);
        // The next person at this browser is not an administrator.
        const own = sessionToken(request);
        const session = own === null ? null : people.session(own, originOf(request), true);
        if (session !== null) people.signOut(session.sessionId);
        return json(panel, 201, { 'Set-Cookie': panelCookie(token, isSecure(request)) });
      },
    ),
    get(
      '/panel',
      'known',
      described('Lists who may sign in at this panel', record('PanelPeople', 'names of people with a PIN')),
      async ({ request }) => {
        const panel = await panelOf(request, panels);
        return json({ name: panel?.name ?? null, people: panel === null ? [] : signIns.namesAtPanels(panel.plants) });
      },
    ),
    post(
      '/panel/badge',
      'known',
      Type.Object({ badge: BADGE }, STRICT),
      described('Says whose badge was scanned', record('BadgeOwner', 'the person’s name')),
      async ({ request, body }) => {
        const name = await signIns.holderOf(body.badge, requirePanel(await panelOf(request, panels)));
        return json({ name });
      },
    ),
    get(
      '/people',
      'admin',
      described(
        'Lists people with when they were seen last',
        record('PeopleSeen', '{people, keys}: when each was seen or used last'),
      ),
      () => json({ people: people.people(), keys: keyUse.list() }),
    ),
    get(
      '/people/:name/sessions',
      'admin',
      described('Lists the sessions of a person', Type.Array(record('Session', 'a session: where, since, last used'))),
      ({ param }) => json(people.sessionsOf(param('name'))),
    ),
    remove(
      '/people/:name/sessions',
      'admin',
      described('Ends every session of a person', null, 204),
      async ({ param }) => {
        await people.signOutEverywhere(param('name'));
        return empty(204);
      },
    ),
  ];
}
