import { type AlertRule, isDefault, UNITS, withDefaults } from '../../domain/alert/alert-rule.ts';
import { type Channel, TOPIC_ROOT } from '../../domain/alert/channel.ts';
import type { OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import type { Recipient, Way } from '../../domain/alert/recipient.ts';
import { CodedError, type Fault, foundText, invalidInput, noSuch } from '../../domain/error.ts';
import type { AlertMemory, AlertRecord, AlertSettingKind } from './alert-ports.ts';

/** Rules, channels and recipients of each kind. */
export const MAX_SETTINGS = 200;

const REPORTED = 'upTo';

export interface AlertSettingsOptions {
  readonly write: (records: readonly AlertRecord[]) => Promise<void>;
  readonly newId: () => string;
}

/** Rules, channels and recipients, in memory and in the store. A change shows once it is on disk. */
export class AlertSettings {
  readonly #options: AlertSettingsOptions;
  readonly #rules = new Map<string, AlertRule>();
  readonly #channels = new Map<string, Channel>();
  readonly #recipients = new Map<string, Recipient>();
  readonly #reported = new Map<string, { readonly upToMs: number }>();

  constructor(options: AlertSettingsOptions) {
    this.#options = options;
  }

  /** Takes up what was stored. Gives the ids that cannot be read. */
  restore(settings: AlertMemory['settings']): readonly AlertMemory['settings'][number][] {
    return settings.filter(({ kind, id, json }) => {
      const record = parsed(json);
      if (record === null) return true;
      this.#mapOf(kind).set(id, record);
      return false;
    });
  }

  /** Takes up what another node of a central server has written. */
  follow({ of, id, json }: Extract<AlertRecord, { kind: 'alertSetting' }>): void {
    if (json === null) this.#mapOf(of).delete(id);
    else this.restore([{ kind: of, id, json }]);
  }

  rules(): readonly AlertRule[] {
    return withDefaults([...this.#rules.values()]);
  }

  channels(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  recipients(): readonly Recipient[] {
    return [...this.#recipients.values()];
  }

  readonly channel = (channelId: string): Channel | undefined => this.#channels.get(channelId);

  /** Throws `not-found`. */
  knownChannel(channelId: string): Channel {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) throw noSuch('channel', channelId);
    return channel;
  }

  /** Throws `invalid-input` if the channel has no such address. */
  checkAddress(channelId: string, address: string | null): void {
    refuse(wayFaults({ channelId, address }, '', this.#channels));
  }

  /** Throws `not-found`. */
  rule(ruleId: string): AlertRule {
    const rule = this.rules().find((one) => one.ruleId === ruleId);
    if (rule === undefined) throw noSuch('rule', ruleId);
    return rule;
  }

  /** `ruleId` null adds a rule. */
  async putRule(ruleId: string | null, change: Omit<AlertRule, 'ruleId'>): Promise<AlertRule> {
    const id = ruleId ?? this.#options.newId();
    if (ruleId !== null && this.rule(ruleId).kind !== change.kind) {
      throw invalidInput([{ path: 'kind', found: change.kind, expected: this.rule(ruleId).kind }]);
    }
    const rule = { ...change, ruleId: id };
    refuse(ruleFaults(rule));
    await this.#put('rule', id, rule);
    return rule;
  }

  /** A default goes back to what it was. */
  async removeRule(ruleId: string): Promise<void> {
    this.rule(ruleId);
    await this.#remove('rule', ruleId);
  }

  async putChannel(channelId: string | null, change: ChannelChange): Promise<Channel> {
    const id = channelId ?? this.#options.newId();
    const before = channelId === null ? undefined : this.knownChannel(channelId);
    const channel = withKeptSecrets({ ...change, channelId: id }, before);
    refuse(channelFaults(channel));
    await this.#put('channel', id, channel);
    return channel;
  }

  async removeChannel(channelId: string): Promise<void> {
    this.knownChannel(channelId);
    await this.#remove('channel', channelId);
  }

  async putRecipient(recipientId: string | null, change: Omit<Recipient, 'recipientId'>): Promise<Recipient> {
    const id = recipientId ?? this.#options.newId();
    if (recipientId !== null && !this.#recipients.has(recipientId)) throw noSuch('recipient', recipientId);
    const recipient = { ...change, recipientId: id };
    refuse(recipientFaults(recipient, this.#channels));
    await this.#put('recipient', id, recipient);
    return recipient;
  }

  async removeRecipient(recipientId: string): Promise<void> {
    if (!this.#recipients.has(recipientId)) throw noSuch('recipient', recipientId);
    await this.#remove('recipient', recipientId);
  }

  /** Up to when the reports of ended periods were sent, as wall-clock time; null before the first look. */
  reportedUpTo(): number | null {
    return this.#reported.get(REPORTED)?.upToMs ?? null;
  }

  /** They are on disk before the first one goes out. */
  async writeMessages(messages: readonly OutgoingMessage[]): Promise<void> {
    await this.#options.write(messages.map(messageRecord));
  }

  /** Commits it together with the messages: a kill between the two would send them twice, or never. */
  async putReportedUpTo(upToMs: number, messages: readonly OutgoingMessage[]): Promise<void> {
    const reported = { upToMs };
    await this.#options.write([
      ...messages.map(messageRecord),
      { kind: 'alertSetting', of: 'report', id: REPORTED, json: JSON.stringify(reported) },
    ]);
    this.#reported.set(REPORTED, reported);
  }

  async #put(kind: AlertSettingKind, id: string, record: AlertRule | Channel | Recipient): Promise<void> {
    const map = this.#mapOf(kind);
    if (!map.has(id) && map.size >= MAX_SETTINGS) {
      throw new CodedError('conflict', `there are ${MAX_SETTINGS} already: remove one that is not needed any more`);
    }
    await this.#options.write([{ kind: 'alertSetting', of: kind, id, json: JSON.stringify(record) }]);
    map.set(id, record);
  }

  async #remove(kind: AlertSettingKind, id: string): Promise<void> {
    await this.#options.write([{ kind: 'alertSetting', of: kind, id, json: null }]);
    this.#mapOf(kind).delete(id);
  }

  // Each kind is written by its own method alone, with records of its type.
  #mapOf(kind: AlertSettingKind): Map<string, unknown> {
    return {
      rule: this.#rules,
      channel: this.#channels,
      recipient: this.#recipients,
      report: this.#reported,
    }[kind] as Map<string, unknown>;
  }
}

/** A message that waits for its channel. */
export function messageRecord(message: OutgoingMessage): AlertRecord {
  return { kind: 'alertMessage', messageId: message.messageId, json: JSON.stringify(message) };
}

type Changed<One extends Channel> = One extends { kind: 'mail' }
  ? Omit<One, 'channelId' | 'password'> & { readonly password?: string | null | undefined }
  : One extends { kind: 'webhook' }
    ? Omit<One, 'channelId' | 'webhookUrl' | 'authorization'> & {
        readonly webhookUrl?: string | undefined;
        readonly authorization?: string | null | undefined;
      }
    : Omit<One, 'channelId'>;

/** A channel as a person gives it: a secret that is left out stays as it is. */
export type ChannelChange = Changed<Channel>;

function withKeptSecrets(change: ChannelChange & { readonly channelId: string }, before: Channel | undefined): Channel {
  switch (change.kind) {
    case 'mail': {
      const kept = before?.kind === 'mail' && isSameServer(before, change) ? before.password : null;
      return { ...change, password: change.password === undefined ? kept : change.password };
    }
    case 'webhook': {
      const { webhookUrl, authorization, ...rest } = change;
      const kept = before?.kind === 'webhook' ? before : null;
      // A key goes to the server that it was given for, never to another.
      const keptKey =
        webhookUrl === undefined || webhookUrl === kept?.webhookUrl ? (kept?.authorization ?? null) : null;
      return {
        ...rest,
        webhookUrl: webhookUrl ?? kept?.webhookUrl ?? '',
        authorization: authorization === undefined ? keptKey : authorization,
      };
    }
    case 'topic':
      return change;
  }
}

/** A password goes to the server that it was given for, never to another. */
function isSameServer(before: Extract<Channel, { kind: 'mail' }>, change: Extract<ChannelChange, { kind: 'mail' }>) {
  return before.host === change.host && before.port === change.port && before.user === change.user;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalidInput(faults);
}

function ruleFaults({ kind, limit, variable, machineIds, ruleId }: AlertRule): readonly Fault[] {
  const { least, most } = UNITS[kind];
  const faults: Fault[] = [];
  if (limit < least || limit > most) {
    faults.push({ path: 'limit', found: String(limit), expected: `a number from ${least} to ${most}` });
  }
  if (kind !== 'variable') return faults;
  if (variable === null || (variable.low === null && variable.high === null)) {
    faults.push({ path: 'variable', found: foundText(variable), expected: 'a name, and low or high' });
  } else if (variable.low !== null && variable.high !== null && variable.low >= variable.high) {
    faults.push({ path: 'variable.high', found: String(variable.high), expected: `more than low, ${variable.low}` });
  }
  if (machineIds.length === 0 && !isDefault(ruleId)) {
    faults.push({ path: 'machineIds', found: 'no machine', expected: 'the machines that have the variable' });
  }
  return faults;
}

function channelFaults(channel: Channel): readonly Fault[] {
  if (channel.kind === 'topic') {
    const { topic } = channel;
    const isOurs = topic === TOPIC_ROOT || topic.startsWith(`${TOPIC_ROOT}/`);
    if (isOurs && !/[+#\0]/.test(topic)) return [];
    return [{ path: 'topic', found: foundText(topic), expected: `${TOPIC_ROOT}, or a topic below it without + and #` }];
  }
  if (channel.kind === 'webhook') {
    const { protocol = '' } = URL.parse(channel.webhookUrl) ?? {};
    if (protocol === 'http:' || protocol === 'https:') return [];
    return [
      {
        path: 'webhookUrl',
        found: channel.webhookUrl === '' ? 'nothing' : 'another text',
        expected: 'an http:// or https:// address',
      },
    ];
  }
  if (channel.security === 'none' && channel.password !== null) {
    return [
      {
        path: 'security',
        found: '"none"',
        expected: 'tls or starttls, because a password would be readable on the way',
      },
    ];
  }
  return [];
}

function recipientFaults({ ways }: Recipient, channels: ReadonlyMap<string, Channel>): readonly Fault[] {
  return ways.flatMap((way, place) => wayFaults(way, `ways[${place}].`, channels));
}

function wayFaults(
  { channelId, address }: Way,
  path: string,
  channels: ReadonlyMap<string, Channel>,
): readonly Fault[] {
  const channel = channels.get(channelId);
  if (channel === undefined) return [{ path: `${path}channelId`, found: foundText(channelId), expected: 'a channel' }];
  const rule = addressRule(channel);
  const mayBeLeftOut = rule === null || channel.kind === 'topic';
  const isFit = address === null ? mayBeLeftOut : rule?.pattern.test(address) === true;
  if (isFit) return [];
  return [{ path: `${path}address`, found: foundText(address ?? undefined), expected: rule?.words ?? 'no address' }];
}

/** Addresses come into headers and topics, so nothing may stand in them that has a meaning there. */
function addressRule(channel: Channel): { readonly pattern: RegExp; readonly words: string } | null {
  if (channel.kind === 'mail') return { pattern: /^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/, words: 'a mail address' };
  if (channel.kind === 'webhook' && channel.shape === 'ntfy') {
    return { pattern: /^[\w-]{1,64}$/, words: 'a topic of ntfy: letters, digits, - and _' };
  }
  if (channel.kind === 'topic') return { pattern: /^[^+#/\0]{1,64}$/, words: 'one level of a topic, or nothing' };
  return null;
}
