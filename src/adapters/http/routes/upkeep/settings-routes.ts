import * as Type from 'typebox';
import { WEEKDAYS } from '../../../../domain/shift/work-plan.ts';
import type { ChangeSettings } from '../../../../flows/settings/change-settings.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiRoute, described, get, json, post, put } from '../../requests/api-route.ts';
import { COUNT, choice, ID, orNull, text } from '../shapes.ts';

/** The weekdays, breaks and days off of a plan (D-77). */
const DAYS = Type.Optional(Type.Array(choice(WEEKDAYS), { description: 'the weekdays of the shift; absent: all' }));
const BREAKS = Type.Optional(
  Type.Array(Type.Object({ start: text('HH:MM'), minutes: Type.Integer() }), { description: 'its breaks' }),
);
const DAYS_OFF = Type.Optional(
  Type.Array(Type.Object({ date: text(), name: text() }), { description: 'dates on which nothing is planned' }),
);

const SHIFT_SETTINGS = {
  timeZone: text('an IANA time zone'),
  shifts: Type.Array(Type.Object({ name: text(), start: text('HH:MM'), days: DAYS, breaks: BREAKS })),
  daysOff: DAYS_OFF,
};

const SETTINGS = Type.Object(
  {
    ...SHIFT_SETTINGS,
    upstream: orNull(Type.Object({ url: text() })),
    fixed: Type.Array(choice(['shifts', 'upstream']), { description: 'set by file or environment, and changed there' }),
    chosen: Type.Array(choice(['shifts', 'upstream']), {
      description: 'chosen at the page; a section that is neither fixed nor chosen has its default',
    }),
    restartNeeded: Type.Boolean({ description: 'what was chosen counts from the next start on' }),
    restart: Type.Object(
      { by: choice(['service', 'terminal', 'other']), command: orNull(text('the command of a service')) },
      { description: 'how this gateway is started again: other is as it was started' },
    ),
  },
  { title: 'Settings' },
);

const SERVER_TRIAL = Type.Object(
  {
    outcome: choice(['answers', 'keyRefused', 'wrongCertificate', 'otherVersion', 'unreachable']),
    answeredInMs: COUNT,
    speaks: orNull(choice(['batch', 'interface'])),
    detail: orNull(text()),
    code: orNull(text('of a fault of network or certificate, such as ECONNREFUSED')),
  },
  { title: 'ServerTrial' },
);

const STRICT = { additionalProperties: false } as const;
const SOME = Type.Optional(Type.Array(Type.Any(), { maxItems: LIMITS.chosenDaysOff }));
const SHIFTS = Type.Object(
  {
    timeZone: ID,
    // Their contents are judged like those of the configuration.
    shifts: Type.Array(Type.Object({ name: ID, start: ID, days: SOME, breaks: SOME }, STRICT), {
      maxItems: LIMITS.chosenShifts,
    }),
    daysOff: SOME,
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
    get('/settings', 'admin', described('Reads what can be chosen at the page', SETTINGS), () => json(settings.view())),
    put(
      '/settings',
      'admin',
      CHANGE,
      described('Chooses shifts and central server, from the next start on', SETTINGS),
      async ({ body }) => json(await settings.change(body)),
    ),
    post(
      '/settings/server',
      'admin',
      SERVER,
      described('Tries to reach a central server, which changes nothing there', SERVER_TRIAL),
      async ({ body }) => json(await settings.tryServer(body)),
    ),
  ];
}
