/**
 * The kind of central server: records that only the batch extension carries are held for a server with the interface
 * alone.
 */
export type ServerKind = 'interface' | 'batch';

/**
 * The state of the connection to the central server. It is not a socket: it is the last answer of the server and the age
 * of that answer.
 *
 *                  started                    offered                       acknowledged
 *     disabled ──────────────▶ connecting ───────────────▶ connecting(trying) ────────────▶ online
 *         ▲ stopped (any)       ▲  │ asks what it is         │ sends what waits               │ │
 *         │                     │  │                         │                                │ │ due: silent too long,
 *                           due │  ├──failed─────────────────┴──failed────────▶ backingOff ◀──┘ │ or an hour has passed:
 *                               │  ├──unauthorized───────────┴──unauthorized──▶ refused    ◀────┤ asks again and sends on
 *                               │  └──otherVersion────────────────────────────▶ tooOld     ◀────┘
 *                               └── after 1 s, doubling to 15 s, times 0.5 to 1 ───┘
 *
 * If no record waits, the server has nothing to acknowledge. Then an empty queue counts as the first acknowledgement,
 * but not as a later one. Failures are forgotten when a record was acknowledged, not when a server merely answers.
 */
export type ConnectionState =
  | { readonly name: 'disabled' }
  /**
   * `server` is null while the server is asked for its kind; else the queue is being sent, and nothing was acknowledged
   * yet.
   */
  | { readonly name: 'connecting'; readonly failures: number; readonly server: ServerKind | null }
  | {
      readonly name: 'online';
      readonly server: ServerKind;
      /** The time of its last acknowledgement, and of the last request for its kind, on the monotonic clock. */
      readonly heardMs: number;
      readonly askedMs: number;
      readonly isAsking: boolean;
    }
  | { readonly name: 'backingOff' | 'refused' | 'tooOld'; readonly failures: number; readonly detail: string };

export type ConnectionEvent =
  | { readonly type: 'started' }
  /** The server told its kind, and that our key is good. */
  | { readonly type: 'offered'; readonly server: ServerKind }
  | { readonly type: 'acknowledged' }
  /** All records are sent, or none waited: there was no exchange. */
  | { readonly type: 'nothingWaits' }
  /** Another flow got no answer of the server, or one of another program, or one that refuses the key. */
  | { readonly type: 'doubted' }
  /** There was no answer, or the server answered that it cannot serve at present. */
  | { readonly type: 'failed'; readonly detail: string }
  | { readonly type: 'unauthorized'; readonly detail: string }
  | { readonly type: 'otherVersion'; readonly detail: string }
  | { readonly type: 'due' }
  | { readonly type: 'stopped' };

export type ConnectionEffect =
  /** Ask the server for its kind. */
  | { readonly type: 'ask' }
  /** Send `due` after this time; earlier waits end. */
  | { readonly type: 'wait'; readonly forMs: number }
  | { readonly type: 'forward'; readonly server: ServerKind }
  | { readonly type: 'pause' };

export interface ConnectionStep {
  readonly state: ConnectionState;
  readonly effects: readonly ConnectionEffect[];
}

/** Every time of a connection, in milliseconds. */
export const CONNECTION_TIMES = {
  firstRetryMs: 1_000,
  longestRetryMs: 15_000,
  /** After this long without an answer the server is asked whether it is still there. */
  silenceMs: 15_000,
  /** The server is asked for its kind again after this time, because it may have been updated. */
  rediscoveryMs: 3_600_000,
} as const;

export const DISABLED: ConnectionState = { name: 'disabled' };

/**
 * The connection after an event. `random` from 0 to 1: gateways that lost their server together come back one by one.
 */
export function connectionStep(
  state: ConnectionState,
  event: ConnectionEvent,
  monotonicMs: number,
  random: number,
): ConnectionStep {
  switch (event.type) {
    case 'started':
      return state.name === 'disabled' ? asking(0) : { state, effects: [] };
    case 'stopped':
      return { state: DISABLED, effects: [{ type: 'pause' }] };
    case 'offered':
      return offered(state, event.server, monotonicMs);
    case 'acknowledged':
      return acknowledged(state, monotonicMs);
    case 'nothingWaits':
      return state.name === 'connecting' ? acknowledged(state, monotonicMs) : { state, effects: [] };
    case 'doubted':
      return state.name === 'online' && !state.isAsking ? askingAgain(state, monotonicMs) : { state, effects: [] };
    case 'due':
      return due(state, monotonicMs);
    case 'failed':
      return fallen(state, 'backingOff', event.detail, random);
    case 'unauthorized':
      return fallen(state, 'refused', event.detail, random);
    case 'otherVersion':
      return fallen(state, 'tooOld', event.detail, random);
  }
}

function asking(failures: number): ConnectionStep {
  return { state: { name: 'connecting', failures, server: null }, effects: [{ type: 'ask' }] };
}

function offered(state: ConnectionState, server: ServerKind, monotonicMs: number): ConnectionStep {
  if (state.name === 'connecting' && state.server === null) {
    return { state: { ...state, server }, effects: [{ type: 'forward', server }] };
  }
  if (state.name !== 'online') return { state, effects: [] };
  const heard = { ...state, heardMs: monotonicMs, isAsking: false };
  if (state.server === server) return { state: heard, effects: [nextLook(heard, monotonicMs)] };
  return {
    state: { name: 'connecting', failures: 0, server },
    effects: [{ type: 'pause' }, { type: 'forward', server }],
  };
}

function acknowledged(state: ConnectionState, monotonicMs: number): ConnectionStep {
  if (state.name === 'online') return { state: { ...state, heardMs: monotonicMs }, effects: [] };
  if (state.name !== 'connecting' || state.server === null) return { state, effects: [] };
  const { server } = state;
  const online = { name: 'online', server, heardMs: monotonicMs, askedMs: monotonicMs, isAsking: false } as const;
  return { state: online, effects: [nextLook(online, monotonicMs)] };
}

type Online = Extract<ConnectionState, { name: 'online' }>;

function due(state: ConnectionState, monotonicMs: number): ConnectionStep {
  if (state.name === 'backingOff' || state.name === 'refused' || state.name === 'tooOld') return asking(state.failures);
  if (state.name !== 'online' || state.isAsking) return { state, effects: [] };
  const { silenceMs, rediscoveryMs } = CONNECTION_TIMES;
  const isDue = monotonicMs >= state.heardMs + silenceMs || monotonicMs >= state.askedMs + rediscoveryMs;
  if (!isDue) return { state, effects: [nextLook(state, monotonicMs)] };
  return askingAgain(state, monotonicMs);
}

function askingAgain(state: Online, monotonicMs: number): ConnectionStep {
  return { state: { ...state, askedMs: monotonicMs, isAsking: true }, effects: [{ type: 'ask' }] };
}

function nextLook({ heardMs, askedMs }: Online, monotonicMs: number): ConnectionEffect {
  const { silenceMs, rediscoveryMs } = CONNECTION_TIMES;
  return { type: 'wait', forMs: Math.max(0, Math.min(heardMs + silenceMs, askedMs + rediscoveryMs) - monotonicMs) };
}

/**
 * The connection after a failure. It waits before the next try. Only a connection that stands or is being tried can
 * fail: further failures meanwhile change nothing.
 */
function fallen(
  state: ConnectionState,
  name: 'backingOff' | 'refused' | 'tooOld',
  detail: string,
  random: number,
): ConnectionStep {
  if (state.name !== 'connecting' && state.name !== 'online') return { state, effects: [] };
  const failures = state.name === 'connecting' ? state.failures : 0;
  const { firstRetryMs, longestRetryMs } = CONNECTION_TIMES;
  const forMs = Math.min(longestRetryMs, firstRetryMs * 2 ** failures) * (0.5 + random / 2);
  const isForwarding = state.name === 'online' || state.server !== null;
  return {
    state: { name, failures: failures + 1, detail },
    effects: [...(isForwarding ? [{ type: 'pause' } as const] : []), { type: 'wait', forMs: Math.round(forMs) }],
  };
}

/** The status that people see (contract.md, `/sync`). While the gateway connects, the previous status holds. */
export type ConnectionStatus = 'disabled' | 'online' | 'offline' | 'refused';

/** Null while it is being tried and nothing is known yet. */
export function statusOf({ name }: ConnectionState): ConnectionStatus | null {
  switch (name) {
    case 'connecting':
      return null;
    case 'backingOff':
    case 'tooOld':
      return 'offline';
    default:
      return name;
  }
}
