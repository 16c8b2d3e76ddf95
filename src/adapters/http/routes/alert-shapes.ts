import * as Type from 'typebox';
import { RULE_KINDS, TOLD_ROLES } from '../../../domain/alert/alert-rule.ts';
import { MAIL_SECURITY, WEBHOOK_SHAPES } from '../../../domain/alert/channel.ts';
import { REPORT_PERIODS } from '../../../domain/production/report-periods.ts';
import { LIMITS } from '../limits.ts';
import { COUNT, choice, DATE_TIME, ID, orNull, text } from './shapes.ts';

/** The shapes of alerts, their rules, channels and recipients (contract.md, `/alerts`). */

const STRICT = { additionalProperties: false } as const;
const NUMBER_OR_NULL = orNull(Type.Number());
const IDS = Type.Array(ID, { maxItems: LIMITS.alertNames });
const ADDRESS = Type.String({ minLength: 1, maxLength: LIMITS.addressLength });

const TOLD = Type.Object({
  name: text(),
  by: Type.Array(text('the name of a channel')),
  telling: choice(['opened', 'escalated', 'taken', 'over']),
  at: DATE_TIME,
});

export const ALERT = Type.Object(
  {
    alertId: text(),
    ruleId: text(),
    kind: choice(RULE_KINDS),
    severity: choice(['red', 'amber']),
    subject: text('the id of the machine, task, certificate or channel; empty for the gateway'),
    name: text('its name for people'),
    machineId: orNull(text()),
    area: orNull(text()),
    detail: orNull(text('the name of the variable, or of the machine of a task')),
    value: NUMBER_OR_NULL,
    limit: Type.Number(),
    side: orNull(choice(['under', 'over'])),
    beganAt: DATE_TIME,
    openedAt: DATE_TIME,
    endedAt: orNull(DATE_TIME),
    takenBy: orNull(text()),
    takenAt: orNull(DATE_TIME),
    note: orNull(text()),
    told: Type.Array(TOLD),
    next: orNull(Type.Object({ at: DATE_TIME, names: Type.Array(text()) })),
  },
  { title: 'Alert' },
);

const RULE = {
  kind: choice(RULE_KINDS),
  isOn: Type.Boolean(),
  limit: Type.Number(),
  machineIds: IDS,
  areas: IDS,
  shifts: IDS,
  isPlanOnly: Type.Boolean(),
  variable: orNull(Type.Object({ name: ID, low: NUMBER_OR_NULL, high: NUMBER_OR_NULL }, STRICT)),
  steps: Type.Array(Type.Object({ afterMinutes: Type.Integer({ minimum: 0, maximum: 1_440 }), to: IDS }, STRICT), {
    maxItems: LIMITS.alertSteps,
  }),
};

export const RULE_CHANGE = Type.Object(RULE, STRICT);

export const ALERT_RULE = Type.Object(
  {
    ruleId: text(),
    ...RULE,
    unit: choice(['seconds', 'minutes', 'hours', 'days', 'percent', 'none']),
    least: Type.Number(),
    most: Type.Number(),
    isDefault: Type.Boolean({ description: 'every gateway has it; removing it brings its first values back' }),
    raised: Type.Integer({ minimum: 0, description: 'alerts of the last 7 days' }),
  },
  { title: 'AlertRule' },
);

const MAIL = {
  kind: choice(['mail']),
  name: ID,
  host: ADDRESS,
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: choice(MAIL_SECURITY),
  user: orNull(ID),
  from: ADDRESS,
};
const WEBHOOK = { kind: choice(['webhook']), name: ID, shape: choice(WEBHOOK_SHAPES) };
const TOPIC = { kind: choice(['topic']), name: ID, topic: ADDRESS };
const SECRET = Type.String({ minLength: 1, maxLength: LIMITS.addressLength });

export const CHANNEL_CHANGE = Type.Union([
  Type.Object({ ...MAIL, password: Type.Optional(orNull(SECRET)) }, STRICT),
  Type.Object({ ...WEBHOOK, webhookUrl: Type.Optional(SECRET), authorization: Type.Optional(orNull(SECRET)) }, STRICT),
  Type.Object(TOPIC, STRICT),
]);

const CHANNEL_STATE = Type.Object({
  waiting: COUNT,
  lastSentAt: orNull(DATE_TIME),
  failingSince: orNull(DATE_TIME),
  detail: orNull(text('why the last try failed')),
  nextTryAt: orNull(DATE_TIME),
});
const OPENED = { channelId: text(), state: CHANNEL_STATE };

export const CHANNEL = Type.Union(
  [
    Type.Object({ ...OPENED, ...MAIL, hasPassword: Type.Boolean() }),
    Type.Object({
      ...OPENED,
      ...WEBHOOK,
      server: text('the beginning of its address'),
      hasAuthorization: Type.Boolean(),
    }),
    Type.Object({ ...OPENED, ...TOPIC }),
  ],
  { title: 'AlertChannel', description: 'without its secrets' },
);

const OUTCOME = { outcome: choice(['sent', 'later', 'refused']), detail: orNull(text()), tookMs: COUNT };
export const CHANNEL_TEST = Type.Object(OUTCOME, { title: 'ChannelTest' });
export const RULE_TEST_ANSWER = Type.Object({ name: text(), by: text(), ...OUTCOME }, { title: 'RuleTest' });

const MINUTE_OF_DAY = Type.Integer({ minimum: 0, maximum: 1_439 });
const RECIPIENT = {
  name: ID,
  role: orNull(choice(TOLD_ROLES)),
  areas: IDS,
  shifts: IDS,
  quiet: orNull(
    Type.Object(
      {
        fromMinute: MINUTE_OF_DAY,
        toMinute: MINUTE_OF_DAY,
        weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { maxItems: 7, description: '1 is Monday' }),
        redComes: Type.Boolean(),
      },
      STRICT,
    ),
  ),
  language: choice(['en', 'de']),
  ways: Type.Array(Type.Object({ channelId: ID, address: orNull(ADDRESS) }, STRICT), { maxItems: LIMITS.alertSteps }),
  reports: Type.Optional(Type.Array(choice(REPORT_PERIODS), { uniqueItems: true })),
};

export const RECIPIENT_CHANGE = Type.Object(RECIPIENT, STRICT);
export const ALERT_RECIPIENT = Type.Object({ recipientId: text(), ...RECIPIENT }, { title: 'AlertRecipient' });
