import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CodedError, tooMany } from '../../../domain/error.ts';
import { errorStack } from '../../../domain/error-text.ts';
import type { Sight } from '../../../domain/plant/sight.ts';
import type { LiveChanges } from '../../../flows/local-api/live-changes.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import type { LiveChange } from '../../../flows/local-api/local-api-ports.ts';
import type { Clock, Incidents } from '../../../flows/ports.ts';
import { Slice } from '../../../runtime/slice.ts';
import { LIMITS } from '../limits.ts';
import type { EventChoice } from '../requests/api-route.ts';
import { addressOf } from '../requests/client.ts';
import { ChangedFields, type RecordTexts } from './changed-fields.ts';
import { ChangedMachines } from './changed-machines.ts';
import { EventLog, type LoggedEvent, textOf } from './event-log.ts';
import { MessageFollowers } from './message-followers.ts';

export interface EventStreamsOptions {
  readonly api: Pick<LocalApiFlow, 'machine' | 'messageCount' | 'newMessages'>;
  readonly liveChanges: Pick<LiveChanges, 'watch'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** A client that listens, with its rights. */
interface Listener extends EventChoice {
  /** The session, panel or key; of a client without a sign-in the address. */
  readonly owner: string;
  readonly mayListen: () => boolean;
  /** False for a client without a sign-in. */
  readonly seesAll: boolean;
  /** The plants and gateways that the listener may know of. */
  readonly sight: Sight;
}

/**
 * The sign of life. It is an event, because scripts in a browser see no comments. It has no id, because it is never
 * sent again.
 */
const BEAT = 'event: beat\ndata: {}\n\n';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** A browser connects again this long after its stream has broken off. */
const RECONNECT_MS = 2_000;

const TOO_MANY_STREAMS =
  `more than ${LIMITS.eventStreamsOfOne} event streams of one session, panel or key, or of one address without a ` +
  'sign-in: the oldest was ended. Give each program its own key, and enrol each screen as a panel.';

/** Nothing to send. */
const NO_EVENTS: RecordTexts = { whole: '', changed: '' };

type OtherChange = Exclude<LiveChange, { readonly event: 'machine' }>;

/**
 * Server-sent events of `/api/local/events`: `machine`, `downtime`, `task`, `coil`, `order`, `sync`, `plant`,
 * `diagnostics`, each with the changed record, and `message` for listeners that follow the messages of a machine. A client that comes
 * back with Last-Event-ID gets the events it missed, or `reset`, which tells it to load everything again. `beat` is a
 * sign of life: a client that hears none for long has lost its connection. A listener may ask for the changed fields of
 * machines alone; missed events have whole records for it, too. Without listeners, and soon after the last one left, it
 * costs nothing.
 */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #log: EventLog;
  readonly #machines = new ChangedMachines();
  readonly #fields = new ChangedFields();
  readonly #others = new Map<string, OtherChange>();
  readonly #listeners = new Map<ServerResponse, Listener>();
  readonly #followers: MessageFollowers;
  #unwatch: (() => void) | null = null;
  #heartbeat: NodeJS.Timeout | null = null;
  #tick: NodeJS.Timeout | null = null;
  #leaving: NodeJS.Timeout | null = null;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#followers = new MessageFollowers(options.api, (response, bytes) => this.#write(response, bytes));
    this.#log = new EventLog(Math.round(options.clock.now().wallMs).toString(36));
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /**
   * Ends the oldest stream of an owner at the limit. A browser with a bad network leaves streams behind, and TCP ends
   * them only after a quarter of an hour. Throws `rate-limited` when too many listen already. Listeners without a
   * sign-in leave room for the others.
   */
  makeRoom({ owner, seesAll }: Pick<Listener, 'owner' | 'seesAll'>): void {
    const own = [...this.#listeners].filter(([, listener]) => listener.owner === owner);
    const [oldest] = own.length < LIMITS.eventStreamsOfOne ? [] : own;
    if (oldest !== undefined) this.#endOldest(oldest[0]);
    if (this.#listeners.size >= LIMITS.eventClients) throw tooMany('pages that follow events', LIMITS.eventClients);
    if (seesAll) return;
    const onlookers = [...this.#listeners.values()].filter((listener) => !listener.seesAll).length;
    if (onlookers < LIMITS.onlookerEventClients) return;
    throw tooMany('pages without a sign-in', LIMITS.onlookerEventClients);
  }

  /** Sends events until either side ends it, or until `mayListen` no longer holds. */
  open(response: ServerResponse, lastEventId: string | undefined, listener: Listener): void {
    this.#watch();
    response.writeHead(200, {
      'Content-Type': EVENT_STREAM,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    // The missed events include those that an onlooker may not see, so an onlooker loads everything again.
    const start = this.#startFrom(listener.seesAll ? lastEventId : undefined, listener.sight);
    response.write(`retry: ${RECONNECT_MS}\n${start}`);
    this.#listeners.set(response, listener);
    this.#followers.add(response, listener.seesAll ? listener.follows : []);
    response.on('close', () => this.#left(response));
  }

  /** Each missed event carries its own id, so a client that is cut off in between gets the rest at its next try. */
  #startFrom(lastEventId: string | undefined, sight: Sight): string {
    if (lastEventId === undefined) return `id: ${this.#log.lastId}\n\n`;
    const missed = this.#log.since(lastEventId, sight);
    return missed === null ? `\nid: ${this.#log.lastId}\nevent: reset\ndata: {}\n\n` : `\n${missed}`;
  }

  close(): void {
    for (const response of this.#listeners.keys()) response.end();
    this.#stopWatching();
  }

  #watch(): void {
    if (this.#leaving !== null) clearTimeout(this.#leaving);
    this.#leaving = null;
    this.#unwatch ??= this.#options.liveChanges.watch((change) => this.#onChange(change));
    this.#heartbeat ??= setInterval(() => this.#beat(), LIMITS.heartbeatMs).unref();
  }

  #left(response: ServerResponse): void {
    this.#followers.remove(response);
    this.#listeners.delete(response);
    if (this.#listeners.size > 0 || this.#unwatch === null) return;
    this.#leaving ??= setTimeout(() => this.#stopWatching(), LIMITS.resumeGraceMs).unref();
  }

  #stopWatching(): void {
    this.#unwatch?.();
    this.#unwatch = null;
    for (const timer of [this.#heartbeat, this.#tick, this.#leaving]) if (timer !== null) clearTimeout(timer);
    this.#heartbeat = null;
    this.#tick = null;
    this.#leaving = null;
    this.#machines.clear();
    this.#fields.clear();
    this.#others.clear();
    this.#log.interrupt();
  }

  #onChange(change: LiveChange): void {
    if (change.event === 'plant') this.#endUnauthorised();
    if (change.event === 'machine') this.#machines.mark(change.machineId, change.urgent);
    else this.#others.set(`${change.event} ${change.key}`, change);
    this.#tick ??= this.#tellSoon();
  }

  #tellSoon(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#tellAll().catch((error: unknown) => {
        this.#tick = null;
        const detail = errorStack(error);
        this.#options.incidents.report({ kind: 'internal', subject: 'events', detail });
      });
    }, LIMITS.eventTickMs);
  }

  async #tellAll(): Promise<void> {
    // A timer comes before what machines sent is read; the next turn comes after it.
    await nextTurn();
    const slice = new Slice(LIMITS.eventSliceMs);
    for (const { event, key, record, recordFor } of this.#takeOthers()) {
      await this.#sendOther(this.#log.append(event, key, JSON.stringify(record), recordFor));
      await slice.pause();
    }
    let events = NO_EVENTS;
    for (const machineId of this.#machines.due(this.#options.clock.now().monotonicMs)) {
      events = this.#withMachine(events, machineId);
      if (events.whole.length >= LIMITS.eventsAtOnceCharacters) {
        await this.#send(events);
        events = NO_EVENTS;
      }
      await slice.pause();
    }
    await this.#send(events);
    this.#tick = this.#machines.isEmpty && this.#others.size === 0 ? null : this.#tellSoon();
  }

  #withMachine({ whole, changed }: RecordTexts, machineId: string): RecordTexts {
    const record = this.#fields.take(machineId, this.#machineRecord(machineId));
    return {
      whole: whole + this.#log.append('machine', machineId, record.whole).text,
      changed: changed + this.#log.textOf('machine', record.changed),
    };
  }

  #takeOthers(): readonly OtherChange[] {
    const changes = [...this.#others.values()];
    this.#others.clear();
    return changes;
  }

  #machineRecord(machineId: string): Readonly<Record<string, unknown>> {
    try {
      return this.#options.api.machine(machineId);
    } catch (error) {
      if (error instanceof CodedError && error.code === 'not-found') return { machineId, removed: true };
      throw error;
    }
  }

  /**
   * Encodes a text once for all listeners that want it. The loop pauses after each slice of time, so that messages of
   * machines are handled in between. A listener that connects meanwhile starts after these events.
   */
  async #send(events: RecordTexts): Promise<void> {
    if (events.whole === '') return;
    const encoded: { whole?: Buffer; changed?: Buffer } = {};
    const slice = new Slice(LIMITS.eventSliceMs);
    for (const [response, { fields }] of [...this.#listeners]) {
      encoded[fields] ??= Buffer.from(events[fields]);
      this.#write(response, encoded[fields]);
      await slice.pause();
    }
    this.#boundBacklog();
  }

  /** Sends an event that is not about a machine to listeners that may know of it. */
  async #sendOther(event: LoggedEvent): Promise<void> {
    let whole: Buffer | null = null;
    const slice = new Slice(LIMITS.eventSliceMs);
    for (const [response, { seesAll, sight }] of [...this.#listeners]) {
      const text = seesAll ? textOf(event, sight) : '';
      if (text === '') continue;
      whole ??= Buffer.from(event.text);
      this.#write(response, text === event.text ? whole : Buffer.from(text));
      await slice.pause();
    }
    this.#boundBacklog();
  }

  /** A listener that has left, or was ended, meanwhile is skipped. */
  #write(response: ServerResponse, bytes: Buffer): void {
    if (response.destroyed || response.writableEnded) return;
    response.write(bytes);
    if (response.writableLength > LIMITS.eventClientBacklogBytes) this.#cutOff(response);
  }

  /** Many pages that read slowly must not take too much memory together. */
  #boundBacklog(): void {
    const responses = [...this.#listeners.keys()].filter(({ destroyed }) => !destroyed);
    let backlog = responses.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (backlog <= LIMITS.eventBacklogBytes) return;
    responses.sort((one, other) => other.writableLength - one.writableLength);
    for (const response of responses) {
      if (backlog <= LIMITS.eventBacklogBytes) return;
      backlog -= response.writableLength;
      this.#cutOff(response);
    }
  }

  #cutOff(response: ServerResponse): void {
    const subject = subjectOf(response);
    this.#options.incidents.report({ kind: 'slowReader', subject, detail: 'reads events too slowly: disconnected' });
    response.destroy();
  }

  #beat(): void {
    this.#endUnauthorised();
    for (const response of this.#listeners.keys()) response.write(BEAT);
  }

  /** Keys and people belong to the plant: when it changes, some may be gone. Sessions end by themselves. */
  #endUnauthorised(): void {
    for (const [response, { mayListen }] of this.#listeners) {
      if (mayListen()) continue;
      this.#end(response);
    }
  }

  #endOldest(oldest: ServerResponse): void {
    this.#options.incidents.report({ kind: 'limitReached', subject: subjectOf(oldest), detail: TOO_MANY_STREAMS });
    this.#end(oldest, `: ${TOO_MANY_STREAMS}\n\n`);
  }

  #end(response: ServerResponse, comment = ''): void {
    this.#left(response);
    response.end(comment);
  }
}

function subjectOf({ req }: ServerResponse): string {
  return `http ${addressOf(req)}`;
}
