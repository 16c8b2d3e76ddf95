import { useSignal } from '@preact/signals';
import { MAIL_SECURITY, TOPIC_ROOT } from '../../../domain/alert/channel.ts';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import { Sheet } from '../../app/sheet.tsx';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { type FormField, RecordForm, type Typed } from '../admin/record-form.tsx';
import { failingText } from './failing-text.ts';
import { RemoveSetting } from './remove-setting.tsx';
import { TestChannel } from './test-channel.tsx';

const KINDS = [
  { kind: 'mail', icon: 'mail' },
  { kind: 'webhook', icon: 'chat' },
  { kind: 'topic', icon: 'broker' },
] as const satisfies readonly { kind: ChannelKind; icon: string }[];

interface ChannelsProps {
  readonly channels: readonly ChannelStateView[];
  readonly recipients: readonly Recipient[];
  /** False: the person is not for all plants. */
  readonly mayChange: boolean;
  readonly onChanged: () => void;
}

type Shown =
  | { readonly sheet: 'choose' }
  | { readonly sheet: 'form'; readonly kind: ChannelKind; readonly channel: ChannelStateView | null }
  | { readonly sheet: 'test'; readonly channel: ChannelStateView };

/** The ways out of the gateway, whether each works, and a test of each. */
export function Channels({ channels, recipients, mayChange, onChanged }: ChannelsProps) {
  const shown = useSignal<Shown | null>(null);
  const { alerts: texts } = words.value;
  const close = () => {
    shown.value = null;
  };
  const { value } = shown;
  return (
    <section class="pane flush" aria-label={texts.channels}>
      {channels.map((channel) => (
        <ChannelRow
          key={channel.channelId}
          channel={channel}
          mayChange={mayChange}
          show={(next) => (shown.value = next)}
        />
      ))}
      {mayChange && (
        <div class="alarm">
          <button type="button" class="btn btn-start" onClick={() => (shown.value = { sheet: 'choose' })}>
            <Icon name="plus" />
            {texts.addChannel}
          </button>
        </div>
      )}
      {value?.sheet === 'choose' && (
        <ChooseKind onClose={close} onChoose={(kind) => (shown.value = { sheet: 'form', kind, channel: null })} />
      )}
      {value?.sheet === 'form' && (
        <ChannelForm
          kind={value.kind}
          channel={value.channel}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
      {value?.sheet === 'test' && (
        <TestChannel channel={value.channel} recipients={recipients} onClose={close} onTested={onChanged} />
      )}
    </section>
  );
}

interface ChannelRowProps extends Pick<ChannelsProps, 'mayChange'> {
  readonly channel: ChannelStateView;
  readonly show: (next: Shown) => void;
}

function ChannelRow({ channel, mayChange, show }: ChannelRowProps) {
  const { alerts: texts } = words.value;
  const { name, kind, state } = channel;
  const isFailing = state.failingSince !== null;
  const works = state.lastSentAt === null ? texts.unused : texts.works(timeOrDate(state.lastSentAt));
  return (
    <article class={isFailing ? 'alarm alarm-amber' : 'alarm'}>
      <Icon name={KINDS.find((one) => one.kind === kind)?.icon ?? 'globe'} />
      <div>
        <p class="name">{name}</p>
        <p class="small dim">{addressOf(channel)}</p>
        <p class={isFailing ? 'mark mark-amber' : 'mark'}>
          <Icon name={isFailing ? 'warn' : 'check-ring'} />
          <span>{isFailing ? failingText(channel) : works}</span>
        </p>
      </div>
      {mayChange && (
        <div class="row">
          <button type="button" class="btn" onClick={() => show({ sheet: 'test', channel })}>
            <Icon name="send" />
            {texts.sendTest}
            <span class="sr"> {name}</span>
          </button>
          <button type="button" class="btn" onClick={() => show({ sheet: 'form', kind, channel })}>
            {texts.change}
            <span class="sr"> {name}</span>
          </button>
        </div>
      )}
    </article>
  );
}

function addressOf(channel: ChannelStateView): string {
  const { alerts: texts } = words.value;
  switch (channel.kind) {
    case 'mail':
      return texts.mailAs(channel.host, channel.from);
    case 'webhook':
      return `${texts.shapes[channel.shape]}, ${channel.server}`;
    case 'topic':
      return channel.topic;
  }
}

interface ChooseKindProps {
  readonly onChoose: (kind: ChannelKind) => void;
  readonly onClose: () => void;
}

function ChooseKind({ onChoose, onClose }: ChooseKindProps) {
  const { alerts: texts } = words.value;
  return (
    <Sheet title={texts.addChannel} onClose={onClose}>
      <div class="found">
        {KINDS.map(({ kind, icon }) => (
          <button key={kind} type="button" class="opt lead" onClick={() => onChoose(kind)}>
            <Icon name={icon} />
            <span class="name">{texts.channelKinds[kind]}</span>
            <Icon name="right" />
          </button>
        ))}
      </div>
    </Sheet>
  );
}

type ChannelKind = ChannelStateView['kind'];

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
function ChannelForm({ kind, channel, onClose, onDone }: ChannelFormProps) {
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

/** The typed values as the record that the gateway takes. An empty field is not sent, and stays. */
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
