import type { Channel, TopicChannel } from '../../domain/alert/channel.ts';
import type { CompleteMessage } from '../../domain/alert/outgoing-message.ts';
import type { AlertTransport, SendOutcome } from '../../flows/alert/alert-ports.ts';
import { LIMITS } from './limits.ts';
import { sendMail } from './send-mail.ts';
import { sendWebhook } from './send-webhook.ts';
import { webhookBody } from './webhook-request.ts';

/** Publishes on the gateway's own broker; false if the topic belongs to a machine. */
export type PublishAlert = (topic: string, payload: Buffer) => boolean;

const NO_MQTT = 'this central server opens no MQTT: name "mqtt" in its configuration, then restart it';

/** Mail, webhooks and topics. */
export class AlertChannels implements AlertTransport {
  readonly #publish: PublishAlert | null;

  readonly #timeoutMs: number;

  /** `publish`: null if no MQTT is opened here. */
  constructor(publish: PublishAlert | null, timeoutMs: number = LIMITS.sendTimeoutMs) {
    this.#publish = publish;
    this.#timeoutMs = timeoutMs;
  }

  async send(channel: Channel, message: CompleteMessage): Promise<SendOutcome> {
    switch (channel.kind) {
      case 'mail':
        return sendMail(channel, message, this.#timeoutMs);
      case 'webhook':
        return sendWebhook(channel, message, this.#timeoutMs);
      case 'topic':
        return this.#sendTopic(channel, message);
    }
  }

  #sendTopic({ topic }: TopicChannel, message: CompleteMessage): SendOutcome {
    if (this.#publish === null) return { kind: 'refused', detail: NO_MQTT };
    const full = message.address === null ? topic : `${topic}/${message.address}`;
    const body = webhookBody({ shape: 'json' }, message);
    if (this.#publish(full, Buffer.from(JSON.stringify(body)))) return { kind: 'sent' };
    return { kind: 'refused', detail: `${full} belongs to a machine: choose another topic` };
  }
}
