import * as Type from 'typebox';
import type { SystemStatus } from '../../../../flows/local-api/system-status.ts';
import { type ApiRoute, described, get, json } from '../../requests/api-route.ts';
import { COUNT, choice, DATE_TIME, orNull, SECONDS, text } from '../shapes.ts';

const SET_ASIDE = Type.Object(
  {
    file: text('where it lies'),
    at: orNull(DATE_TIME),
    losses: Type.Array(Type.Object({ table: orNull(text('null: all of it')), reason: text() })),
  },
  { title: 'SetAsideDatabase', description: 'a damaged database, and what could not be saved out of it' },
);

const SYSTEM = Type.Object(
  {
    gatewayId: text(),
    version: text(),
    uptimeSeconds: SECONDS,
    disk: Type.Object({
      state: choice(['ok', 'full', 'failing', 'restarting']),
      freeBytes: orNull(COUNT),
      databaseBytes: COUNT,
      commitMs: orNull(SECONDS),
      setAside: orNull(SET_ASIDE),
      risks: Type.Array(text(), { description: 'what endangers records in a shared database, and what to do' }),
    }),
    clock: Type.Object({
      now: DATE_TIME,
      timeZone: text(),
      shifts: Type.Array(Type.Object({ name: text(), start: text('HH:MM') })),
    }),
    legacyAgent: Type.Object({ kind: text(), lastAnswerAt: orNull(DATE_TIME), answeredInMs: orNull(SECONDS) }),
    broker: Type.Object({
      connections: COUNT,
      devices: COUNT,
      retainedMessages: COUNT,
      sessions: COUNT,
      inputsPerSecond: SECONDS,
    }),
    certificates: Type.Array(
      Type.Object({ setting: text(), subject: text(), validUntil: DATE_TIME, daysLeft: Type.Integer() }),
    ),
  },
  { title: 'System' },
);

const QUEUE_SAMPLE = Type.Object({ at: DATE_TIME, depth: COUNT, oldestAgeSeconds: SECONDS }, { title: 'QueueSample' });

/**
 * The state of the computer and services under the gateway, and the growth of its queue (contract.md, `/system`,
 * `/sync/history`).
 */
export function systemRoutes(system: SystemStatus): readonly ApiRoute[] {
  return [
    get(
      '/system',
      'technician',
      described('Reads how disk, clock, agent, broker and certificates are', SYSTEM),
      async () => json(await system.view()),
    ),
    get(
      '/sync/history',
      'technician',
      described('Lists how much waited, minute by minute', Type.Array(QUEUE_SAMPLE)),
      () => json(system.queueHistory()),
    ),
  ];
}
