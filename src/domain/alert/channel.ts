/** How a mail server is spoken to: TLS at once, TLS after a plain beginning, or never. */
export const MAIL_SECURITY = ['tls', 'starttls', 'none'] as const;
export const WEBHOOK_SHAPES = ['json', 'teams', 'slack', 'ntfy'] as const;

export interface MailChannel {
  readonly kind: 'mail';
  readonly channelId: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly security: (typeof MAIL_SECURITY)[number];
  /** Null: no login. */
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
}

export interface WebhookChannel {
  readonly kind: 'webhook';
  readonly channelId: string;
  readonly name: string;
  readonly shape: (typeof WEBHOOK_SHAPES)[number];
  /** Addresses of Teams and Slack are secrets: who knows one may write there. */
  readonly webhookUrl: string;
  /** The header `Authorization`; null without one. */
  readonly authorization: string | null;
}

/** A topic of the gateway's own broker. The address of a recipient, if any, is one more level. */
export interface TopicChannel {
  readonly kind: 'topic';
  readonly channelId: string;
  readonly name: string;
  readonly topic: string;
}

/** A way out of the gateway. */
export type Channel = MailChannel | WebhookChannel | TopicChannel;

type Opened<One extends Channel> = One extends MailChannel
  ? Omit<One, 'password'> & { readonly hasPassword: boolean }
  : One extends WebhookChannel
    ? Omit<One, 'webhookUrl' | 'authorization'> & { readonly server: string; readonly hasAuthorization: boolean }
    : One;

/** A channel without its secrets. */
export type ChannelView = Opened<MailChannel> | Opened<WebhookChannel> | TopicChannel;

export function channelView(channel: Channel): ChannelView {
  switch (channel.kind) {
    case 'mail': {
      const { password, ...view } = channel;
      return { ...view, hasPassword: password !== null };
    }
    case 'webhook': {
      const { webhookUrl, authorization, ...view } = channel;
      return { ...view, server: URL.parse(webhookUrl)?.origin ?? '', hasAuthorization: authorization !== null };
    }
    case 'topic':
      return channel;
  }
}

/** The texts of a channel that nobody may read in a log or an answer. */
export function secretsOf(channel: Channel): readonly string[] {
  switch (channel.kind) {
    case 'mail':
      return channel.password === null ? [] : [channel.password];
    case 'webhook': {
      const { pathname = '', search = '' } = URL.parse(channel.webhookUrl) ?? {};
      return [channel.webhookUrl, channel.authorization ?? '', pathname + search].filter((text) => text.length > 1);
    }
    case 'topic':
      return [];
  }
}

/** A sentence of another server without the channel's secrets. */
export function withoutSecrets(text: string, channel: Channel): string {
  return secretsOf(channel).reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

/** Topics of alerts begin with it, so that no alert can be taken for a message of a machine. */
export const TOPIC_ROOT = 'plantgate/alerts';
