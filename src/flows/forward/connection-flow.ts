import { errorMessage } from '../../domain/error-text.ts';
import {
  type ConnectionEvent,
  type ConnectionState,
  type ConnectionStatus,
  connectionStep,
  DISABLED,
  type ServerKind,
  statusOf,
} from '../../domain/sync/connection-states.ts';
import type { Clock } from '../ports.ts';
import type { After } from './forward-loop.ts';

export interface ConnectionOptions {
  /** Finds out the kind of server. A rejection counts as a failed try. */
  readonly discover: () => Promise<ConnectionEvent>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly after: After;
  readonly onForward: (server: ServerKind) => void;
  readonly onPause: () => void;
  /** Called when the status that people see changes, not for each try. */
  readonly onStatus: (status: ConnectionStatus, detail: string | null) => void;
}

/** The events that only an answer of the server itself can cause: they count as a contact. */
const CONTACTS: ReadonlySet<ConnectionEvent['type']> = new Set([
  'offered',
  'acknowledged',
  'unauthorized',
  'otherVersion',
]);

/** The state of the connection, for people. Times are wall-clock milliseconds since 1970. */
export interface ConnectionView {
  readonly status: ConnectionStatus;
  readonly state: ConnectionState['name'];
  /** The reason for which there is no connection; null if there is one, or if nothing is known yet. */
  readonly detail: string | null;
  readonly server: ServerKind | null;
  readonly since: number | null;
  readonly lastContactAt: number | null;
  readonly lastAcknowledgedAt: number | null;
  /** The time of the next try; null while no try waits. */
  readonly nextTryAt: number | null;
}

/** Keeps the connection to the central server in the states of connection-states.ts. */
export class ConnectionFlow {
  readonly #options: ConnectionOptions;
  #state: ConnectionState = DISABLED;
  #status: ConnectionStatus = 'disabled';
  #since: number | null = null;
  #lastContactAt: number | null = null;
  #lastAcknowledgedAt: number | null = null;
  #lastServer: ServerKind | null = null;
  #nextTryAt: number | null = null;
  #cancelWait: () => void = () => undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The kind of server now, or at the last contact: it decides which records wait and which are held. */
  get server(): ServerKind {
    return this.#lastServer ?? 'batch';
  }

  get isOnline(): boolean {
    return this.#state.name === 'online';
  }

  /** Whether rows may be sent: the connection stands, or is being tried. */
  get isForwarding(): boolean {
    const state = this.#state;
    return state.name === 'online' || (state.name === 'connecting' && state.server !== null);
  }

  /** `lastContactAt` is known from the run before. */
  start(lastContactAt: number | null = null): void {
    this.#lastContactAt = lastContactAt;
    this.happened({ type: 'started' });
  }

  stop(): void {
    this.#cancelWait();
    this.happened({ type: 'stopped' });
  }

  /** Takes an event about the server from forwarding, the mirror or another flow. */
  happened(event: ConnectionEvent): void {
    const { clock, random } = this.#options;
    const { monotonicMs, wallMs } = clock.now();
    this.#noteContact(event, wallMs);
    const { state, effects } = connectionStep(this.#state, event, monotonicMs, random());
    this.#state = state;
    for (const effect of effects) {
      if (effect.type === 'ask') this.#ask();
      else if (effect.type === 'wait') this.#wait(effect.forMs);
      else if (effect.type === 'pause') this.#options.onPause();
      else this.#forward(effect.server);
    }
    this.#tell(wallMs);
  }

  view(): ConnectionView {
    const state = this.#state;
    return {
      status: this.#status === 'disabled' && state.name !== 'disabled' ? 'offline' : this.#status,
      state: state.name,
      detail: 'detail' in state ? state.detail : null,
      server: this.#lastServer,
      since: this.#since,
      lastContactAt: this.#lastContactAt,
      lastAcknowledgedAt: this.#lastAcknowledgedAt,
      nextTryAt: state.name === 'online' ? null : this.#nextTryAt,
    };
  }

  #noteContact({ type }: ConnectionEvent, wallMs: number): void {
    if (type === 'acknowledged') this.#lastAcknowledgedAt = wallMs;
    if (CONTACTS.has(type)) this.#lastContactAt = wallMs;
  }

  #ask(): void {
    void this.#options
      .discover()
      .catch((error: unknown): ConnectionEvent => ({ type: 'failed', detail: errorMessage(error) }))
      .then((event) => this.happened(event));
  }

  #wait(forMs: number): void {
    this.#cancelWait();
    this.#nextTryAt = this.#options.clock.now().wallMs + forMs;
    this.#cancelWait = this.#options.after(forMs, () => {
      this.#nextTryAt = null;
      this.happened({ type: 'due' });
    });
  }

  #forward(server: ServerKind): void {
    this.#lastServer = server;
    this.#options.onForward(server);
  }

  #tell(wallMs: number): void {
    const status = statusOf(this.#state);
    if (status === null || status === this.#status) return;
    this.#status = status;
    this.#since = wallMs;
    this.#options.onStatus(status, 'detail' in this.#state ? this.#state.detail : null);
  }
}
