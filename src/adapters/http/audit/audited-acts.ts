import { isFleetRule } from '../../../domain/alert/alert-rule.ts';
import { PLANT_CODECS } from '../../../domain/plant/plant-codecs.ts';
import { PLANT_KINDS, type PlantKind } from '../../../domain/plant/plant-entry.ts';
import { WHOLE_SIGHT } from '../../../domain/plant/sight.ts';
import type { AlertSettings } from '../../../flows/alert/alert-settings.ts';
import type { Alerts } from '../../../flows/alert/alerts.ts';
import type { ChannelsFlow } from '../../../flows/alert/channels-flow.ts';
import type { GatewayGroups } from '../../../flows/fleet-plan/gateway-groups.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import type { Plant } from '../../../flows/plant/plant.ts';
import type { LeveledLog } from '../../../flows/ports.ts';
import type { WarehouseReadsFlow } from '../../../flows/warehouse/warehouse-reads-flow.ts';
import { LIMITS } from '../limits.ts';
import type { ApiAnswer } from '../requests/api-route.ts';

/** The sources from which the state before an act is read. */
export interface AuditSources {
  readonly api: Pick<LocalApiFlow, 'machine' | 'downtimeById'>;
  readonly plant: Pick<Plant, 'get'>;
  readonly warehouse: Pick<WarehouseReadsFlow, 'task' | 'coil'>;
  readonly log: Pick<LeveledLog, 'level'>;
  readonly gateways: { readonly nameOf: (gatewayId: string) => string | null };
  readonly plantNames: readonly unknown[];
  readonly groups: Pick<GatewayGroups, 'nameOf'>;
  readonly alerts: {
    readonly alerts: Pick<Alerts, 'open'>;
    readonly settings: Pick<AlertSettings, 'rule' | 'recipients'>;
    readonly channels: Pick<ChannelsFlow, 'list'>;
  };
}

/** A call of a route that changes data. */
export interface AuditedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface AuditedAct<Sources = AuditSources> {
  /** The name of the act, which the page shows in the person's language. */
  readonly act: string;
  /** Read before the act, which may remove the record. */
  readonly subject: (call: AuditedCall, sources: Sources) => string | Promise<string>;
  /** The state before the act. */
  readonly before?: (call: AuditedCall, sources: Sources) => unknown;
  /** The record after the call, if the body of the call is not that record. */
  readonly after?: (call: AuditedCall, sources: Sources) => unknown;
  /** The gateway that sends here that it is about. The act is kept in the audit of its plant (D-109). */
  readonly gateway?: (call: AuditedCall, sources: Sources) => string;
  /** The person, for a call without a sign-in before it. */
  readonly who?: (call: AuditedCall, answer: ApiAnswer) => string;
  /** False if this call only reads. */
  readonly isAct?: (call: AuditedCall) => boolean;
}

const param = (name: string) => (call: AuditedCall) => call.params[name] ?? '';
/** The schema of the route has not judged the body yet. */
function fieldOf(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? body[name as keyof typeof body] : '';
  return typeof value === 'object' ? '' : String(value ?? '');
}
const field = (name: string) => (call: AuditedCall) => fieldOf(call.body, name);

/** The owner of a badge is only known from the answer. */
const nameIn = (answer: ApiAnswer): string => (answer.kind === 'json' ? fieldOf(answer.body, 'name') : '');

const PART: Pick<AuditedAct, 'subject' | 'before'> = {
  subject: param('machineId'),
  before: ({ params }, { api }) => ({ partId: api.machine(params.machineId ?? '').part?.partId ?? null }),
};
const TASK: Pick<AuditedAct, 'subject' | 'before'> = {
  subject: param('taskId'),
  before: async ({ params }, { warehouse }) => {
    const { taskState, userName, selectedCoilId } = await warehouse.task(params.taskId ?? '');
    return { taskState, userName, selectedCoilId };
  },
};

const alertIn = ({ params }: AuditedCall, { alerts }: AuditSources) =>
  alerts.alerts.open(WHOLE_SIGHT).find(({ alertId }) => alertId === params.alertId);

/** The kind of an alert and its subject. */
function alertOf(call: AuditedCall, sources: AuditSources): string {
  const alert = alertIn(call, sources);
  return alert === undefined ? '' : `${alert.kind} ${alert.subject}`.trim();
}

/** The gateway of an alert about one; empty for any other. */
function gatewayOfAlert(call: AuditedCall, sources: AuditSources): string {
  const alert = alertIn(call, sources);
  return alert !== undefined && isFleetRule(alert) ? alert.subject : '';
}

const RULE: Pick<AuditedAct, 'subject' | 'before'> = {
  subject: ({ params }, { alerts }) => alerts.settings.rule(params.ruleId ?? '').kind,
  before: ({ params }, { alerts }) => alerts.settings.rule(params.ruleId ?? ''),
};

/** Its secrets are not in the view. */
const channelIn = ({ params }: AuditedCall, { alerts }: AuditSources) =>
  alerts.channels.list().find(({ channelId }) => channelId === params.channelId);
const CHANNEL: Pick<AuditedAct, 'subject' | 'before'> = {
  subject: (call, sources) => channelIn(call, sources)?.name ?? '',
  before: channelIn,
};

const recipientIn = ({ params }: AuditedCall, { alerts }: AuditSources) =>
  alerts.settings.recipients().find(({ recipientId }) => recipientId === params.recipientId);
const RECIPIENT: Pick<AuditedAct, 'subject' | 'before'> = {
  subject: (call, sources) => recipientIn(call, sources)?.name ?? '',
  before: recipientIn,
};

/** The name of a group of gateways. */
const GROUP: Pick<AuditedAct, 'subject'> = {
  subject: ({ params }, { groups }) => groups.nameOf(params.groupId ?? ''),
};
/** `Dayton-2 in North` */
const GROUPED: Pick<AuditedAct, 'subject' | 'gateway'> = {
  gateway: param('gatewayId'),
  subject: async ({ params }, { groups }) =>
    `${params.gatewayId ?? ''} in ${await groups.nameOf(params.groupId ?? '')}`,
};

/** A server with several plants counts the canaries: the reader of this audit may not know of their plants. */
function withoutNames({ body }: AuditedCall, { plantNames }: AuditSources): unknown {
  if (plantNames.length === 1 || typeof body !== 'object' || body === null || !('canaries' in body)) return body;
  return { ...body, canaries: Array.isArray(body.canaries) ? body.canaries.length : 0 };
}

/** The machine of the first downtime, and how many more there are. */
async function downtimesIn({ params, body }: AuditedCall, { api }: AuditSources): Promise<string> {
  const ids = params.downtimeId === undefined ? downtimeIdsIn(body) : [params.downtimeId];
  const [first, ...others] = ids;
  if (first === undefined) return '';
  const { machineId, startedAt } = await api.downtimeById(first);
  return `${machineId} ${startedAt}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

async function reasonBefore({ params, body }: AuditedCall, { api }: AuditSources): Promise<object> {
  const { reasonId, note } = await api.downtimeById(params.downtimeId ?? downtimeIdsIn(body)[0] ?? '');
  return { reasonId, note };
}

/** The downtimes that a body names. Their routes refuse more than the limit, so no more of them are looked at. */
export function downtimeIdsIn(body: unknown): readonly string[] {
  const list: unknown = typeof body === 'object' && body !== null && 'downtimeIds' in body ? body.downtimeIds : [];
  return Array.isArray(list) ? list.slice(0, LIMITS.editedDowntimes).filter((id) => typeof id === 'string') : [];
}

/**
 * The name of an order, and of a new profile, which has no id yet. An order may be megabytes, which the main thread does
 * not parse: its name stands near its beginning.
 */
const ORDER_NAME = /"(?:documentID|orderCode)"\s*:\s*"([^"\\]{1,200})"/;
const PROFILE_NAME = /"profileName"\s*:\s*"([^"\\]{1,200})"/;
const LOOKED_THROUGH = 10_000;

/** The name in a body that is passed on as text. */
function nameInText(name: RegExp) {
  return ({ body }: AuditedCall) => name.exec(String(body).slice(0, LOOKED_THROUGH))?.[1] ?? '';
}

/** The id of a new plant record. An API key without an id is named by its principal. */
function idOf(kind: PlantKind, body: unknown): string {
  return fieldOf(body, PLANT_CODECS[kind].idField) || fieldOf(body, 'principal');
}

const TASK_STEPS = ['ready', 'inProcess', 'inTransit', 'complete', 'unattainable', 'cancel'];

/** The acts that the audit log keeps: every route that changes data, by method and path. */
export const AUDITED_ACTS: ReadonlyMap<string, AuditedAct> = new Map<string, AuditedAct>([
  ['POST /api/local/session', { act: 'signIn', subject: () => '', who: field('name') }],
  ['POST /api/local/session/panel', { act: 'signInAtPanel', subject: () => '', who: (_, answer) => nameIn(answer) }],
  ['POST /api/local/panel', { act: 'enrolPanel', subject: field('name') }],
  ['DELETE /api/local/people/:name/sessions', { act: 'endSessions', subject: param('name') }],
  ['POST /api/local/setup', { act: 'setUp', subject: () => '', who: field('name') }],
  ['DELETE /api/local/session', { act: 'signOut', subject: () => '' }],
  ['PUT /api/local/machines/:machineId/part', { act: 'selectPart', ...PART }],
  ['DELETE /api/local/machines/:machineId/part', { act: 'clearPart', ...PART }],
  ['PUT /api/local/downtimes/:downtimeId/category', { act: 'categorize', subject: downtimesIn, before: reasonBefore }],
  ['POST /api/local/downtimes/category', { act: 'categorize', subject: downtimesIn, before: reasonBefore }],
  ['POST /api/local/downtimes/:downtimeId/split', { act: 'splitDowntime', subject: downtimesIn }],
  ['POST /api/local/downtimes/merge', { act: 'mergeDowntimes', subject: downtimesIn }],
  ['POST /api/local/sync/setAside/:id/retry', { act: 'retryRecord', subject: param('id') }],
  ['DELETE /api/local/sync/setAside/:id', { act: 'discardRecord', subject: param('id') }],
  ['POST /api/local/alerts/:alertId/take', { act: 'takeAlert', subject: alertOf, gateway: gatewayOfAlert }],
  ['POST /api/local/alerts/rules', { act: 'addAlertRule', subject: field('kind') }],
  ['PUT /api/local/alerts/rules/:ruleId', { act: 'changeAlertRule', ...RULE }],
  ['DELETE /api/local/alerts/rules/:ruleId', { act: 'removeAlertRule', ...RULE }],
  ['POST /api/local/alerts/channels', { act: 'addAlertChannel', subject: field('name') }],
  ['PUT /api/local/alerts/channels/:channelId', { act: 'changeAlertChannel', ...CHANNEL }],
  ['DELETE /api/local/alerts/channels/:channelId', { act: 'removeAlertChannel', ...CHANNEL }],
  ['POST /api/local/alerts/recipients', { act: 'addAlertRecipient', subject: field('name') }],
  ['PUT /api/local/alerts/recipients/:recipientId', { act: 'changeAlertRecipient', ...RECIPIENT }],
  ['DELETE /api/local/alerts/recipients/:recipientId', { act: 'removeAlertRecipient', ...RECIPIENT }],
  ['POST /api/local/alerts/reports', { act: 'sendReport', subject: field('from') }],
  ['PUT /api/local/settings', { act: 'changeSettings', subject: () => '' }],
  ['POST /api/local/support-bundle', { act: 'takeSupportBundle', subject: () => '' }],
  ['POST /api/local/diagnostics/dismissals', { act: 'dismissReport', subject: field('subject') }],
  [
    'PUT /api/local/log-level',
    { act: 'chooseLogLevel', subject: field('level'), before: (_, { log }) => ({ level: log.level }) },
  ],
  ['POST /api/local/backups', { act: 'takeBackup', subject: () => '' }],
  ['POST /api/local/update/install', { act: 'installUpdate', subject: field('version') }],
  [
    'PUT /api/local/gateways/:gatewayId',
    {
      act: 'renameGateway',
      subject: param('gatewayId'),
      gateway: param('gatewayId'),
      before: ({ params }, { gateways }) => ({ name: gateways.nameOf(params.gatewayId ?? '') }),
    },
  ],
  [
    'DELETE /api/local/gateways/:gatewayId',
    { act: 'retireGateway', subject: param('gatewayId'), gateway: param('gatewayId') },
  ],
  ['POST /api/local/gateways/grant', { act: 'grantName', subject: field('gatewayId'), gateway: field('gatewayId') }],
  ['POST /api/local/fleet/groups', { act: 'addGroup', subject: field('name') }],
  ['PUT /api/local/fleet/groups/:groupId', { act: 'renameGroup', ...GROUP }],
  ['DELETE /api/local/fleet/groups/:groupId', { act: 'removeGroup', ...GROUP }],
  ['PUT /api/local/fleet/groups/:groupId/gateways/:gatewayId', { act: 'joinGroup', ...GROUPED }],
  ['DELETE /api/local/fleet/groups/:groupId/gateways/:gatewayId', { act: 'leaveGroup', ...GROUPED }],
  ['POST /api/local/fleet/groups/:groupId/versions', { act: 'addPlanVersion', ...GROUP }],
  ['POST /api/local/fleet/archives/upload/:uploadId/finish', { act: 'addArchive', subject: () => '' }],
  ['POST /api/local/fleet/groups/:groupId/update', { act: 'beginGroupUpdate', ...GROUP, after: withoutNames }],
  ['POST /api/local/fleet/groups/:groupId/update/stop', { act: 'stopGroupUpdate', ...GROUP }],
  ['POST /api/local/fleet/groups/:groupId/update/goOn', { act: 'goOnWithUpdate', ...GROUP }],
  ['PUT /api/local/fleet/groups/:groupId/preview', { act: 'previewPlan', ...GROUP }],
  ['PUT /api/local/fleet/groups/:groupId/rollOut', { act: 'rollOutPlan', ...GROUP }],
  [
    'POST /api/local/plant/loads/:loadId/finish',
    { act: 'applyPlantFile', subject: param('loadId'), isAct: ({ body }) => fieldOf(body, 'dryRun') !== 'true' },
  ],
  ...PLANT_KINDS.flatMap((kind): [string, AuditedAct][] => {
    const before = ({ params }: AuditedCall, { plant }: AuditSources) => plant.get(kind, params.id ?? '');
    const one = `/api/local/plant/${kind}/:id`;
    return [
      [`POST /api/local/plant/${kind}`, { act: `add ${kind}`, subject: ({ body }) => idOf(kind, body) }],
      [`PUT ${one}`, { act: `change ${kind}`, subject: param('id'), before }],
      [`DELETE ${one}`, { act: `remove ${kind}`, subject: param('id'), before }],
    ];
  }),
  ...TASK_STEPS.map((step): [string, AuditedAct] => [
    `POST /api/v1/warehouseTasks/:taskId/${step}`,
    { act: `task ${step}`, ...TASK },
  ]),
  [
    'POST /api/v1/coils/:coilId/location',
    {
      act: 'moveCoil',
      subject: param('coilId'),
      before: async ({ params }, { warehouse }) => ({ location: (await warehouse.coil(params.coilId ?? '')).location }),
    },
  ],
  ['POST /api/v1/orders/add', { act: 'addOrder', subject: nameInText(ORDER_NAME) }],
  ['DELETE /api/v1/orders/:ordId', { act: 'removeOrder', subject: param('ordId') }],
  ['POST /api/v1/profiles', { act: 'addProfile', subject: nameInText(PROFILE_NAME) }],
  ['PUT /api/v1/profiles/:profileId', { act: 'changeProfile', subject: param('profileId') }],
  ['DELETE /api/v1/profiles/:profileId', { act: 'archiveProfile', subject: param('profileId') }],
  ['POST /api/local/profiles/:profileId/restore', { act: 'restoreProfile', subject: param('profileId') }],
]);

/**
 * Calls without an effect that people need in the audit: pieces of a plant file and of an update, batches of gateways,
 * touches of panels, tries of a server and of a channel.
 */
export const NOT_AUDITED: readonly RegExp[] = [
  /^\w+ \/api\/local\/plant\/loads(?!.*\/finish)/,
  /^\w+ \/api\/local\/update\/upload/,
  /^\w+ \/api\/local\/fleet\/archives\/upload(?!.*\/finish)/,
  /^\w+ \/api\/v1\/sync/,
  /^PUT \/api\/local\/session$/,
  /\/panel\/badge$/,
  /\/settings\/server$/,
  /\/alerts\/(?:channels|rules)\/:\w+\/test$/,
];
