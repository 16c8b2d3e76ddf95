import { type Channel, withoutSecrets } from '../../domain/alert/channel.ts';
import type { CompleteMessage, OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { ReportKey, ReportSheet } from '../../domain/production/report-sheet.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { AlertRecord, AlertTransport, SendOutcome } from './alert-ports.ts';

/** Messages that wait, over all channels. Beyond it the oldest report, else the oldest alert, is given up and told as an incident. */
export const MAX_WAITING_MESSAGES = 1_000;
/** A message that nobody took in this time is given up: it would tell of yesterday. */
export const MESSAGE_LIFE_MS = DAY_MS;
/** Pauses between the tries of a channel: from the first, doubling, to the longest, times 0.5 to 1. */
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 5 * MINUTE_MS;
/** A server may ask for a longer pause, up to this one. */
const LONGEST_ASKED_MS = 60 * MINUTE_MS;

export interface AlertSenderOptions {
  readonly transport: AlertTransport;
  readonly channel: (channelId: string) => Channel | undefined;
  /** The figures of a report; null: nothing was made. */
  readonly sheet: (report: ReportKey) => Promise<ReportSheet | null>;
  readonly record: (records: readonly AlertRecord[]) => void;
  readonly incidents: Incidents;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The state of a channel. Times are wall-clock milliseconds since 1970. */
export interface ChannelState {
  readonly waiting: number;
  readonly lastSentAt: number | null;
  readonly failingSince: number | null;
  /** Why the last try failed; null if it did not. */
  readonly detail: string | null;
  readonly nextTryAt: number | null;
}

interface Lane {
  readonly queue: OutgoingMessage[];
  timer: NodeJS.Timeout | null;
  isSending: boolean;
  failures: number;
  state: Omit<ChannelState, 'waiting'>;
}

const UNUSED = { lastSentAt: null, failingSince: null, detail: null, nextTryAt: null } as const;

/** Sends messages, one at a time in each channel, and tries again with longer and longer pauses. Nobody waits for it. */
export class AlertSender {
  readonly #options: AlertSenderOptions;
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;
  #isClosed = false;

  constructor(options: AlertSenderOptions) {
    this.#options = options;
  }

  /** Takes messages that are on disk already. */
  add(messages: readonly OutgoingMessage[]): void {
    for (const message of messages) {
      const lane = this.#laneOf(message.channelId);
      lane.queue.push(message);
      this.#waiting += 1;
      if (this.#waiting > MAX_WAITING_MESSAGES) this.#giveUpOldest();
      this.#wake(message.channelId, lane, 0);
    }
  }

  state(channelId: string): ChannelState {
    const lane = this.#lanes.get(channelId);
    return { ...(lane?.state ?? UNUSED), waiting: lane?.queue.length ?? 0 };
  }

  /** Sends one message at once, beside the queue, for a person who waits for the answer. */
  async test(channel: Channel, message: OutgoingMessage): Promise<SendOutcome> {
    const outcome = clean(await this.#options.transport.send(channel, message), channel);
    const lane = this.#laneOf(channel.channelId);
    if (outcome.kind === 'sent') this.#noteSent(lane);
    // A changed channel works again: what waits goes out now.
    if (outcome.kind === 'sent' && lane.queue.length > 0) this.#wake(channel.channelId, lane, 0);
    return outcome;
  }

  /** The channel was removed: its messages go nowhere. */
  forget(channelId: string): void {
    const lane = this.#lanes.get(channelId);
    if (lane === undefined) return;
    clearTimeout(lane.timer ?? undefined);
    this.#lanes.delete(channelId);
    this.#waiting -= lane.queue.length;
    this.#options.record(lane.queue.map(({ messageId }) => gone(messageId)));
  }

  /** Another node of the central server sends what waits here. */
  dropAll(): void {
    for (const { timer } of this.#lanes.values()) clearTimeout(timer ?? undefined);
    this.#lanes.clear();
    this.#waiting = 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#lanes.values()) clearTimeout(timer ?? undefined);
  }

  #laneOf(channelId: string): Lane {
    const known = this.#lanes.get(channelId);
    if (known !== undefined) return known;
    const lane: Lane = { queue: [], timer: null, isSending: false, failures: 0, state: UNUSED };
    this.#lanes.set(channelId, lane);
    return lane;
  }

  #wake(channelId: string, lane: Lane, afterMs: number): void {
    if (this.#isClosed || lane.isSending) return;
    if (lane.timer !== null) {
      // A pause after a failure lasts, also if more messages come.
      if (afterMs === 0 && lane.failures > 0) return;
      clearTimeout(lane.timer);
    }
    lane.timer = setTimeout(() => void this.#send(channelId, lane), afterMs).unref();
  }

  async #send(channelId: string, lane: Lane): Promise<void> {
    lane.timer = null;
    const { clock } = this.#options;
    const channel = this.#options.channel(channelId);
    const [message] = lane.queue;
    if (message === undefined || this.#lanes.get(channelId) !== lane) return;
    if (channel === undefined) {
      this.forget(channelId);
      return;
    }
    lane.isSending = true;
    const isTooOld = clock.now().wallMs - message.at > MESSAGE_LIFE_MS;
    const outcome: SendOutcome = isTooOld
      ? { kind: 'refused', detail: 'it could not be sent for a day' }
      : clean(await this.#deliver(channel, message), channel);
    lane.isSending = false;
    if (!this.#isClosed && this.#lanes.get(channelId) === lane) this.#settle(channel, lane, message, outcome);
  }

  async #deliver(channel: Channel, message: OutgoingMessage): Promise<SendOutcome> {
    const { transport, sheet } = this.#options;
    const { report } = message;
    if (report === undefined) return transport.send(channel, message);
    let complete: CompleteMessage = message;
    try {
      const figures = await sheet(report);
      if (figures !== null) complete = { ...message, sheet: figures };
    } catch (error) {
      return { kind: 'later', detail: `the report cannot be made: ${errorMessage(error)}`, afterMs: null };
    }
    return transport.send(channel, complete);
  }

  #settle(channel: Channel, lane: Lane, message: OutgoingMessage, outcome: SendOutcome): void {
    const { channelId } = channel;
    const at = lane.queue.indexOf(message);
    if (at >= 0 && outcome.kind !== 'later') {
      lane.queue.splice(at, 1);
      this.#waiting -= 1;
      this.#options.record([gone(message.messageId)]);
    }
    switch (outcome.kind) {
      case 'sent':
        this.#noteSent(lane);
        break;
      case 'refused':
        this.#report(channel.name, message, outcome.detail);
        break;
      case 'later':
        this.#noteFailed(lane, outcome);
        // A message that alone cannot be sent must not hold up the others.
        if (at >= 0) lane.queue.push(...lane.queue.splice(at, 1));
    }
    if (lane.queue.length > 0) this.#wake(channelId, lane, outcome.kind === 'later' ? pauseOf(lane, this.#options) : 0);
  }

  #noteSent(lane: Lane): void {
    lane.failures = 0;
    lane.state = { ...UNUSED, lastSentAt: this.#options.clock.now().wallMs };
  }

  #noteFailed(lane: Lane, { detail, afterMs }: Extract<SendOutcome, { kind: 'later' }>): void {
    const { wallMs } = this.#options.clock.now();
    lane.failures += 1;
    const backOffMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (lane.failures - 1));
    const pauseMs = Math.max(backOffMs * (0.5 + this.#options.random() / 2), Math.min(afterMs ?? 0, LONGEST_ASKED_MS));
    const failingSince = lane.state.failingSince ?? wallMs;
    lane.state = { ...lane.state, failingSince, detail, nextTryAt: wallMs + pauseMs };
  }

  #giveUpOldest(): void {
    const oldest = this.#oldest(({ report }) => report !== undefined) ?? this.#oldest(() => true);
    if (oldest === null) return;
    const { channelId, lane, message } = oldest;
    lane.queue.splice(lane.queue.indexOf(message), 1);
    this.#waiting -= 1;
    this.#options.record([gone(message.messageId)]);
    const name = this.#options.channel(channelId)?.name ?? channelId;
    this.#report(name, message, `more than ${MAX_WAITING_MESSAGES} messages wait`);
  }

  #oldest(isMeant: (message: OutgoingMessage) => boolean) {
    const found = [...this.#lanes].flatMap(([channelId, lane]) => {
      const message = lane.queue.find(isMeant);
      return message === undefined ? [] : [{ channelId, lane, message }];
    });
    return found.sort((one, other) => one.message.at - other.message.at)[0] ?? null;
  }

  /** A dead letter: somebody should have been told, and was not. */
  #report(name: string, { title, recipientId }: OutgoingMessage, reason: string): void {
    const detail = `the message "${title}" to ${recipientId} was given up: ${reason}`;
    this.#options.incidents.report({ kind: 'alertChannel', subject: name, detail });
  }
}

function pauseOf({ state }: Lane, { clock }: AlertSenderOptions): number {
  return Math.max(0, (state.nextTryAt ?? 0) - clock.now().wallMs);
}

function gone(messageId: string): AlertRecord {
  return { kind: 'alertMessage', messageId, json: null };
}

function clean(outcome: SendOutcome, channel: Channel): SendOutcome {
  return outcome.kind === 'sent' ? outcome : { ...outcome, detail: withoutSecrets(outcome.detail, channel) };
}
