import * as Type from 'typebox';
import { REPORT_PERIODS } from '../../../domain/production/report-periods.ts';
import type { AlertSettings } from '../../../flows/alert/alert-settings.ts';
import type { Alerts } from '../../../flows/alert/alerts.ts';
import type { ChannelsFlow } from '../../../flows/alert/channels-flow.ts';
import type { ReportFlow } from '../../../flows/production/report-flow.ts';
import type { Sights } from '../../../flows/receive/sights.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, empty, get, getBy, json, post, put, remove } from '../requests/api-route.ts';
import { readTime } from '../requests/query-times.ts';
import {
  ALERT,
  ALERT_RECIPIENT,
  ALERT_RULE,
  CHANNEL,
  CHANNEL_CHANGE,
  CHANNEL_TEST,
  RECIPIENT_CHANGE,
  RULE_CHANGE,
  RULE_TEST_ANSWER,
} from './alert-shapes.ts';
import { COUNT, choice, DATE, ID, limitOf, orNull, TIME } from './shapes.ts';

/** Alerts as the local API serves them. */
export interface AlertApis {
  readonly alerts: Alerts;
  readonly settings: AlertSettings;
  readonly channels: ChannelsFlow;
  readonly reports: ReportFlow;
}

const STRICT = { additionalProperties: false } as const;
const LIST = Type.Object({ state: Type.Optional(choice(['open', 'over'])), before: TIME, limit: limitOf(100) }, STRICT);
const TAKE = Type.Object({ note: Type.Optional(orNull(Type.String({ maxLength: LIMITS.alertNoteLength }))) }, STRICT);
const LANGUAGE = { language: Type.Optional(choice(['en', 'de'])) };
const RULE_TEST = Type.Object(LANGUAGE, STRICT);
const REPORT = Type.Object(
  { period: choice(REPORT_PERIODS), from: DATE, to: DATE, shift: Type.Optional(orNull(ID)) },
  STRICT,
);
const TEST = Type.Object(
  {
    address: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: LIMITS.addressLength }))),
    ...LANGUAGE,
  },
  STRICT,
);

/** Alerts, their rules, and who is told by which channel (contract.md, `/alerts`). */
export function alertRoutes({ alerts, settings, channels, reports }: AlertApis, sights: Sights): readonly ApiRoute[] {
  return [
    getBy(
      '/alerts',
      'technician',
      LIST,
      described('Lists alerts that are open, or over in the last 7 days', Type.Array(ALERT)),
      async ({ query: { state = 'open', before, limit }, identity }) => {
        const sight = sights.of(identity);
        if (state === 'open') return json(alerts.open(sight));
        return json(await alerts.past(before === undefined ? null : readTime('before', before), limit, sight));
      },
    ),
    post(
      '/alerts/:alertId/take',
      'technician',
      TAKE,
      described('Takes an open alert, which ends its escalation', ALERT),
      async ({ param, body: { note = null }, identity }) =>
        json(await alerts.take(param('alertId'), { name: identity.principal, note }, sights.of(identity))),
    ),
    ...ruleRoutes(alerts, settings, channels, sights),
    ...channelRoutes(channels),
    ...recipientRoutes(settings),
    sendReport(reports),
  ];
}

function sendReport(reports: ReportFlow): ApiRoute {
  return post(
    '/alerts/reports',
    'supervisor',
    REPORT,
    described(
      'Sends the report of a shift, day or week now to everybody who gets it',
      Type.Object({ messages: COUNT }),
    ),
    async ({ body: { period, from, to, shift = null } }) =>
      json({ messages: await reports.send({ period, from, to, shiftName: shift }) }),
  );
}

function ruleRoutes(
  alerts: Alerts,
  settings: AlertSettings,
  channels: ChannelsFlow,
  sights: Sights,
): readonly ApiRoute[] {
  return [
    get(
      '/alerts/rules',
      'technician',
      described('Lists the rules of alerts', Type.Array(ALERT_RULE)),
      async ({ identity }) => json(await alerts.rules(sights.of(identity))),
    ),
    post('/alerts/rules', 'supervisor', RULE_CHANGE, described('Adds a rule', ALERT_RULE), async ({ body, identity }) =>
      json(await alerts.ruleView(await settings.putRule(null, body), sights.of(identity))),
    ),
    put(
      '/alerts/rules/:ruleId',
      'supervisor',
      RULE_CHANGE,
      described('Changes a rule', ALERT_RULE),
      async ({ param, body, identity }) =>
        json(await alerts.ruleView(await settings.putRule(param('ruleId'), body), sights.of(identity))),
    ),
    remove(
      '/alerts/rules/:ruleId',
      'supervisor',
      described('Removes a rule; a default gets its first values back', null, 204),
      async ({ param }) => {
        await settings.removeRule(param('ruleId'));
        return empty(204);
      },
    ),
    post(
      '/alerts/rules/:ruleId/test',
      'supervisor',
      RULE_TEST,
      described('Sends a test to everybody whom a rule tells', Type.Array(RULE_TEST_ANSWER)),
      async ({ param, body: { language = 'en' } }) => json(await channels.testRule(param('ruleId'), language)),
    ),
  ];
}

function channelRoutes(channels: ChannelsFlow): readonly ApiRoute[] {
  return [
    get('/alerts/channels', 'technician', described('Lists channels and whether they work', Type.Array(CHANNEL)), () =>
      json(channels.list()),
    ),
    post('/alerts/channels', 'admin', CHANNEL_CHANGE, described('Adds a channel', CHANNEL), async ({ body }) =>
      json(await channels.put(null, body)),
    ),
    put(
      '/alerts/channels/:channelId',
      'admin',
      CHANNEL_CHANGE,
      described('Changes a channel; a secret that is left out stays', CHANNEL),
      async ({ param, body }) => json(await channels.put(param('channelId'), body)),
    ),
    remove(
      '/alerts/channels/:channelId',
      'admin',
      described('Removes a channel with the messages that wait for it', null, 204),
      async ({ param }) => {
        await channels.remove(param('channelId'));
        return empty(204);
      },
    ),
    post(
      '/alerts/channels/:channelId/test',
      'supervisor',
      TEST,
      described('Sends a test and gives the answer of the channel', CHANNEL_TEST),
      async ({ param, body: { address = null, language = 'en' } }) =>
        json(await channels.test(param('channelId'), address, language)),
    ),
  ];
}

function recipientRoutes(settings: AlertSettings): readonly ApiRoute[] {
  return [
    get('/alerts/recipients', 'technician', described('Lists who is told', Type.Array(ALERT_RECIPIENT)), () =>
      json(settings.recipients()),
    ),
    post(
      '/alerts/recipients',
      'supervisor',
      RECIPIENT_CHANGE,
      described('Adds a person or a group', ALERT_RECIPIENT),
      async ({ body }) => json(await settings.putRecipient(null, body)),
    ),
    put(
      '/alerts/recipients/:recipientId',
      'supervisor',
      RECIPIENT_CHANGE,
      described('Changes who is told, when and how', ALERT_RECIPIENT),
      async ({ param, body }) => json(await settings.putRecipient(param('recipientId'), body)),
    ),
    remove(
      '/alerts/recipients/:recipientId',
      'supervisor',
      described('Removes a person or a group', null, 204),
      async ({ param }) => {
        await settings.removeRecipient(param('recipientId'));
        return empty(204);
      },
    ),
  ];
}
