import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import type { ApiRoute, RouteDescription } from '../requests/api-route.ts';
import {
  ARCHIVE,
  AUDIT_PAGE,
  BACKUP,
  CLIENT,
  CSV,
  DIAGNOSTICS,
  DOWNTIME,
  HOURS,
  LATE_WRITE,
  LOG_LEVEL,
  MACHINE,
  MESSAGE,
  OVERRIDE,
  PERSON,
  PRODUCTION,
  QUEUE_SAMPLE,
  REASON_COUNT,
  RECEIVED_MACHINE,
  RECENT_PART,
  RECORD,
  record,
  SCANNED,
  SENDING_GATEWAY,
  SERVER_TRIAL,
  SETTINGS,
  SHIFT_PRODUCTION,
  SPAN,
  SYNC,
  SYSTEM,
  TROUBLE,
  UPDATE,
  VARIABLE,
} from './local-shapes.ts';

/** Summary and answer of each operation of `/api/local`, by method and path without the prefix (contract.md, Local API). */
const OPERATIONS: Readonly<Record<string, readonly [summary: string, answer: TSchema | null, status?: number]>> = {
  'POST /session': ['Signs a person in', PERSON],
  'GET /session': ['Says who is signed in', PERSON],
  'PUT /session': ['Prolongs the session by a touch', record('Nothing', 'an empty object')],
  'DELETE /session': ['Signs out', record('Nothing', 'an empty object')],
  'GET /session/all': ['Lists one’s own sessions', Type.Array(record('Session', 'a session: where, since, last used'))],
  'POST /session/panel': ['Signs a person in at an enrolled panel, by badge or PIN', PERSON],
  'POST /panel': ['Enrols this browser as a panel', record('Panel', 'a panel: id and name'), 201],
  'GET /panel': ['Lists who may sign in at this panel', record('PanelPeople', 'names of people with a PIN')],
  'POST /panel/badge': ['Says whose badge was scanned', record('BadgeOwner', 'the person’s name')],
  'GET /people': [
    'Lists people with when they were seen last',
    record('PeopleSeen', '{people, keys}: when each was seen or used last'),
  ],
  'GET /people/:name/sessions': [
    'Lists the sessions of a person',
    Type.Array(record('Session', 'a session: where, since, last used')),
  ],
  'DELETE /people/:name/sessions': ['Ends every session of a person', null, 204],
  'GET /setup': [
    'Says whether the first administrator is still to be made',
    record('SetUpState', 'isNeeded, openAndon'),
  ],
  'POST /setup': ['Makes the first administrator', PERSON],
  'GET /machines': ['Lists machines with their status and decision', Type.Array(MACHINE)],
  'GET /machines/:machineId': ['Reads a machine with its status and decision', MACHINE],
  'GET /machines/:machineId/message': [
    'Reads the last message of a machine as it came',
    record('LastMessage', '{message} or null'),
  ],
  'GET /machines/:machineId/troubles': [
    'Lists what went wrong with a machine, and what may have',
    Type.Object({ troubles: Type.Array(TROUBLE) }),
  ],
  'GET /machines/:machineId/messages': [
    'Lists the last 50 messages of a machine',
    Type.Object({ messages: Type.Array(MESSAGE) }),
  ],
  'PUT /machines/:machineId/part': ['Selects a part', MACHINE],
  'DELETE /machines/:machineId/part': ['Takes the part away', MACHINE],
  'GET /machines/:machineId/recentParts': [
    'Lists parts that a machine made or was set to lately, the newest first',
    Type.Array(RECENT_PART),
  ],
  'GET /machines/:machineId/workSessions': [
    'Lists work sessions, the newest first',
    Type.Array(record('WorkSession', 'job, part, operator, times, counts (D-10)')),
  ],
  'GET /machines/:machineId/anomalies': [
    'Lists counters that fell without a reboot',
    Type.Array(record('Anomaly', 'a counter that fell without a restart of the controller: counter, from, to, at')),
  ],
  'GET /machines/:machineId/delivery': [
    'Explains why a profile is on a machine or not',
    record('DeliveryChecks', 'the five checks of the interface'),
  ],
  'GET /machines/:machineId/downtimes': ['Lists downtimes of a machine', Type.Array(DOWNTIME)],
  'GET /downtimes': ['Lists downtimes of all machines', Type.Array(DOWNTIME)],
  'GET /machines/:machineId/reasonCounts': ['Counts the reasons of the last 30 days', Type.Array(REASON_COUNT)],
  'GET /downtimes.csv': ['Exports downtimes of all machines', CSV],
  'PUT /downtimes/:downtimeId/category': ['Gives a downtime its reason', DOWNTIME],
  'POST /downtimes/category': ['Gives several downtimes one reason', Type.Array(DOWNTIME)],
  'POST /downtimes/:downtimeId/split': ['Splits a downtime in two', Type.Array(DOWNTIME)],
  'POST /downtimes/merge': ['Merges two downtimes that follow each other', DOWNTIME],
  'GET /machines/:machineId/production': ['Reads the production of a day', PRODUCTION],
  'GET /machines/:machineId/production/hours': ['Reads what was made by the hour of a shift', HOURS],
  'GET /machines/:machineId/production/shifts': ['Reads what was made by shift', Type.Array(SHIFT_PRODUCTION)],
  'GET /machines/:machineId/overrides': ['Lists when the machine ran past the rules', Type.Array(OVERRIDE)],
  'GET /machines/:machineId/variables': ['Lists process variables with their newest value', Type.Array(VARIABLE)],
  'GET /machines/:machineId/variables/:name': [
    'Reads a process variable',
    record('Variable', '{name, points} or {name, buckets}'),
  ],
  'GET /machines/:machineId/timeline': ['Lists the spans of the timeline', Type.Array(SPAN)],
  'GET /production.csv': ['Exports production by shift', CSV],
  'GET /gateways': ['Lists gateways that send here', Type.Array(SENDING_GATEWAY)],
  'POST /gateways/grant': ['Says which data directory may use a gatewayId', null, 204],
  'GET /gateways/:gatewayId/machines': ['Lists machines of another gateway', Type.Array(RECEIVED_MACHINE)],
  'GET /gateways/:gatewayId/machines/:machineId/status': [
    'Reads the last status of a machine of another gateway',
    record('ReceivedStatus', 'the last status'),
  ],
  'GET /gateways/:gatewayId/machines/:machineId/downtimes': [
    'Lists downtimes of a machine of another gateway',
    Type.Array(record('ReceivedDowntime', 'a downtime with its gateway')),
  ],
  'GET /gateways/:gatewayId/machines/:machineId/workSessions': [
    'Lists work sessions of a machine of another gateway',
    Type.Array(record('ReceivedWorkSession', 'a work session with its gateway')),
  ],
  'GET /gateways/:gatewayId/machines/:machineId/anomalies': [
    'Lists anomalies of a machine of another gateway',
    Type.Array(record('ReceivedAnomaly', 'an anomaly with its gateway')),
  ],
  'GET /gateways/:gatewayId/machines/:machineId/production': [
    'Reads the production of a machine of another gateway',
    record('ReceivedProduction', 'a day’s production with its gateway'),
  ],
  'GET /gateways/:gatewayId/machines/:machineId/variables/:name': [
    'Reads a variable of a machine of another gateway',
    record('ReceivedVariable', 'points or buckets with their gateway'),
  ],
  'GET /gateways/:gatewayId/machines/:machineId/timeline': [
    'Lists spans of a machine of another gateway',
    Type.Array(record('ReceivedSpan', 'a span with its gateway')),
  ],
  'GET /clients': ['Lists MQTT clients that are connected', Type.Array(CLIENT)],
  'GET /sync': ['Reads how the gateway stands with its central server', SYNC],
  'GET /sync/queue': ['Lists records that wait', Type.Array(record('QueuedRecord', 'a record that waits'))],
  'GET /sync/setAside': [
    'Lists records that the central server refused',
    Type.Array(record('SetAsideRecord', 'id, what, reason, at')),
  ],
  'GET /sync/history': ['Lists how much waited, minute by minute', Type.Array(QUEUE_SAMPLE)],
  'POST /sync/setAside/:id/retry': ['Sends a refused record again', null, 204],
  'DELETE /sync/setAside/:id': ['Gives a refused record up', null, 204],
  'GET /system': ['Reads how disk, clock, agent, broker and certificates are', SYSTEM],
  'GET /backups': ['Lists backups', Type.Array(BACKUP)],
  'POST /backups': ['Takes a backup and verifies it', BACKUP, 201],
  'POST /support-bundle': ['Makes a file for support from elsewhere, without secrets', ARCHIVE],
  'GET /update': ['Reads the version, the upload of another one, and the outcome of the last update', UPDATE],
  'POST /update/upload': ['Begins the upload of an update; an earlier one ends', record('Upload', 'uploadId'), 201],
  'PUT /update/upload/:uploadId': ['Adds the next piece of an update, at most 256 KiB', null, 204],
  'POST /update/upload/:uploadId/verify': ['Verifies an update that has come as a whole', UPDATE],
  'DELETE /update/upload': ['Gives an update up', null, 204],
  'POST /update/install': ['Asks for the installation of the verified update', UPDATE, 202],
  'GET /settings': ['Reads what can be chosen at the page', SETTINGS],
  'PUT /settings': ['Chooses shifts and central server, from the next start on', SETTINGS],
  'POST /settings/server': ['Tries to reach a central server, which changes nothing there', SERVER_TRIAL],
  'GET /log-level': ['Reads how much is logged', LOG_LEVEL],
  'PUT /log-level': ['Chooses how much is logged, until the next start or SIGHUP', LOG_LEVEL],
  'GET /scan': ['Says what a scanned code names', SCANNED],
  'GET /lateWrites': ['Lists writes to the legacy system whose outcome is unknown', Type.Array(LATE_WRITE)],
  'GET /audit': ['Lists who did what, the newest first', AUDIT_PAGE],
  'GET /audit.csv': ['Exports who did what', CSV],
  'GET /orders': ['Finds orders that hold a text', record('FoundOrders', '{rows, more}')],
  'GET /diagnostics': ['Lists what went wrong, by kind', DIAGNOSTICS],
  'POST /diagnostics/dismissals': ['Dismisses a report of a device, until it is heard with something new', null, 204],
  'GET /events': ['Streams changes as server-sent events', Type.String({ contentMediaType: 'text/event-stream' })],
  'POST /plant/loads': ['Begins a load of plant records', record('PlantLoad', 'loadId'), 201],
  'POST /plant/loads/:loadId/records/orders': ['Adds orders to a load', null, 204],
  'POST /plant/loads/:loadId/records/:kind': ['Adds records of a kind to a load', null, 204],
  'POST /plant/loads/:loadId/finish': [
    'Applies a load, all or nothing, or says what it would change',
    record('PlantDifference', 'what it added and changed'),
  ],
  'DELETE /plant/loads/:loadId': ['Gives a load up', null, 204],
};

const VERBS = { GET: 'Reads', POST: 'Adds', PUT: 'Changes', DELETE: 'Removes' } as const;

/** The description of a route of the local API; null if it has none. */
export function localDescription({ method, path }: Pick<ApiRoute, 'method' | 'path'>): RouteDescription | null {
  const own = OPERATIONS[`${method} ${path}`];
  if (own !== undefined) {
    const [summary, answer, status = 200] = own;
    return { summary, answers: { [status]: answer } };
  }
  const [, kind, id] = /^\/plant\/(\w+)(\/:id)?$/.exec(path) ?? [];
  if (kind === undefined) return null;
  if (method === 'GET' && id === undefined)
    return { summary: `Lists ${kind} of the plant`, answers: { 200: Type.Array(RECORD) } };
  if (method === 'DELETE') return { summary: `Removes one of ${kind} of the plant`, answers: { 204: null } };
  return {
    summary: `${VERBS[method]} one of ${kind} of the plant`,
    answers: { [method === 'POST' ? 201 : 200]: RECORD },
  };
}
