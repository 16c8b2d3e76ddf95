import { MAIL_SECURITY, TOPIC_ROOT } from '../../../domain/alert/channel.ts';
import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import { words } from '../../words/words.ts';
import { type FormField, RecordForm, type Typed } from '../admin/record-form.tsx';
import { RemoveSetting } from './remove-setting.tsx';

export type ChannelKind = ChannelStateView['kind'];

/** The programs behind webhooks, the usual ones first. */
const SHAPES = ['teams', 'slack', 'ntfy', 'json'] as const;

interface ChannelFormProps {
  readonly kind: ChannelKind;
  /** Null: a new one. */
  readonly channel: ChannelStateView | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A mail server, a webhook or a topic. Secrets that are left empty stay as they are. */
export function ChannelForm({ kind, channel, onClose, onDone }: ChannelFormProps) {
  const { alerts: texts } = words.value;
  const path = channel === null ? '/alerts/channels' : `/alerts/channels/${encodeURIComponent(channel.channelId)}`;
  return (
    <RecordForm
      title={channel?.name ?? texts.channelKinds[kind]}
      path={path}
      method={channel === null ? 'POST' : 'PUT'}
      submit={texts.save}
      fields={FIELDS[kind](channel)}
      bodyOf={(typed) => BODIES[kind](typed)}
      onClose={onClose}
      onDone={onDone}
    >
      {channel !== null && (
        <RemoveSetting
          path={path}
          title={texts.removeChannel(channel.name)}
          meaning={texts.removeMeans}
          onRemoved={onDone}
        />
      )}
    </RecordForm>
  );
}

const FIELDS: Readonly<Record<ChannelKind, (channel: ChannelStateView | null) => readonly FormField[]>> = {
  mail: mailFields,
  webhook: webhookFields,
  topic: topicFields,
};

function mailFields(channel: ChannelStateView | null): readonly FormField[] {
  const { alerts: texts } = words.value;
  const mail = channel?.kind === 'mail' ? channel : null;
  return [
    { name: 'name', label: texts.name, value: mail?.name ?? texts.channelKinds.mail },
    { name: 'host', label: texts.host, value: mail?.host ?? '', hint: 'smtp.example.com' },
    { name: 'port', label: texts.port, value: String(mail?.port ?? 587) },
    {
      name: 'security',
      label: texts.security,
      value: mail?.security ?? 'starttls',
      choices: [...MAIL_SECURITY].reverse().map((value) => ({ value, label: texts.securities[value] })),
    },
    { name: 'user', label: words.value.admin.optional(texts.user), value: mail?.user ?? '' },
    {
      name: 'password',
      label: words.value.admin.optional(texts.password),
      type: 'password',
      ...(mail?.hasPassword === true && { hint: texts.kept }),
    },
    { name: 'from', label: texts.from, value: mail?.from ?? '', hint: 'plantgate@example.com' },
  ];
}

function webhookFields(channel: ChannelStateView | null): readonly FormField[] {
  const { alerts: texts } = words.value;
  const hook = channel?.kind === 'webhook' ? channel : null;
  return [
    { name: 'name', label: texts.name, value: hook?.name ?? '' },
    {
      name: 'shape',
      label: texts.shape,
      value: hook?.shape ?? 'teams',
      choices: SHAPES.map((value) => ({ value, label: texts.shapes[value] })),
    },
    { name: 'webhookUrl', label: texts.webhookUrl, ...(hook !== null && { hint: texts.kept }) },
    {
      name: 'authorization',
      label: words.value.admin.optional(texts.authorization),
      type: 'password',
      hint: hook?.hasAuthorization === true ? texts.kept : texts.authorizationHint,
    },
  ];
}

function topicFields(channel: ChannelStateView | null): readonly FormField[] {
  const { alerts: texts } = words.value;
  const topic = channel?.kind === 'topic' ? channel : null;
  return [
    { name: 'name', label: texts.name, value: topic?.name ?? '' },
    { name: 'topic', label: texts.topic, value: topic?.topic ?? TOPIC_ROOT, hint: texts.topicHint },
  ];
}

/** What was typed as the record that the gateway takes. What is left empty is not sent, and stays. */
const BODIES: Readonly<Record<ChannelKind, (typed: Typed) => object>> = {
  mail: ({ port, user = null, password, ...typed }) => ({
    ...{ kind: 'mail', ...typed, port: Number(port), user },
    ...(password !== undefined && password !== '' && { password }),
  }),
  webhook: ({ authorization, ...typed }) => ({
    ...{ kind: 'webhook', ...typed },
    ...(authorization !== undefined && authorization !== '' && { authorization }),
  }),
  topic: (typed) => ({ kind: 'topic', ...typed }),
};
