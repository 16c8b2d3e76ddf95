import { signal } from '@preact/signals';
import { addressOf } from './address.ts';

/**
 * Whether changes arrive, and since when they do not, by the browser's clock: no answer of the gateway corrects it.
 * `cut`: the gateway cannot be reached. `paused`: it answers, and waits for a person to sign in.
 */
export type Line = { readonly kind: 'live' } | { readonly kind: 'cut' | 'paused'; readonly sinceMs: number };

export const line = signal<Line>({ kind: 'live' });

/** A listener to `reset` gives the promise of its load. */
type Listener = (data: unknown) => unknown;

const listeners = new Map<string, Listener[]>();
let source: EventSource | null = null;
let isWanted = false;
/** The time of the last sign of life. */
let heardAtMs = Date.now();
/** A call got no answer since the last sign of life. */
let isDoubted = false;
/** The time by the browser's clock since which changes may be missing. Null: no change is missing. */
let closedSinceMs: number | null = null;

/** Every event of the gateway that the page hears. Each is a sign of life; `beat`, which comes every 15 s, means nothing else. */
const EVENTS = [
  'machine',
  'downtime',
  'task',
  'coil',
  'order',
  'lateWrite',
  'sync',
  'alert',
  'plant',
  'diagnostics',
  'reset',
  'beat',
] as const;

/** `closed`: the browser gave the stream up. */
export type EventName = (typeof EVENTS)[number] | 'closed';

/** Two beats are missing. */
const SILENCE_MS = 40_000;
/** One beat is missing: enough where a call got no answer either. */
const DOUBTED_SILENCE_MS = 18_000;
/** The gateway did not take the connection. A call is given up after the same time. */
const OPENING_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** Calls the listener with the changed record of each event of this name, until the returned function is called. */
export function onEvent(name: EventName, listener: Listener): () => void {
  listeners.set(name, [...(listeners.get(name) ?? []), listener]);
  return () => {
    listeners.set(
      name,
      (listeners.get(name) ?? []).filter((other) => other !== listener),
    );
  };
}

/** Listens from now on, while the tab is seen. A hidden tab costs the gateway nothing. */
export function listen(): void {
  isWanted = true;
  if (!document.hidden) open();
  else closedSinceMs ??= Date.now();
}

export function stopListening(): void {
  isWanted = false;
  close();
}

/** Stops listening until a person has signed in. The gateway has answered, so the line is not cut any more. */
export function pauseListening(): void {
  stopListening();
  line.value = { kind: 'paused', sinceMs: missingSinceMs() ?? Date.now() };
}

export function followVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else if (isWanted) open();
  });
}

/** Ends a line that is silent for too long. A pulled cable behind a switch, or a firewall, causes no error in the browser. */
export function followSilence(): void {
  setInterval(endSilence, LOOK_EVERY_MS);
}

/** A call got no answer: perhaps the line is broken. */
export function doubtLine(): void {
  isDoubted = true;
  endSilence();
}

/**
 * The time by the browser's clock since which changes may be missing: the line is cut, or it was closed and all is being
 * loaded again. Null: no change is missing.
 */
export function missingSinceMs(): number | null {
  return line.value.kind === 'live' ? closedSinceMs : line.value.sinceMs;
}

/** Clears the mark of missed changes after the view was unloaded. */
export function forgetBreak(): void {
  closedSinceMs = null;
  line.value = { kind: 'live' };
}

/** Closes a line that was silent for too long, and opens it again. */
function endSilence(): void {
  if (source === null || Date.now() - heardAtMs < longestSilence(source)) return;
  noteCutSince(heardAtMs);
  close();
  open();
}

function longestSilence({ readyState }: EventSource): number {
  if (readyState !== EventSource.OPEN) return OPENING_MS;
  return isDoubted ? DOUBTED_SILENCE_MS : SILENCE_MS;
}

function hear(): void {
  heardAtMs = Date.now();
  isDoubted = false;
}

/** Opens the line. Once it is open, the page tells `reset`: everything is loaded again, because events were missed. */
function open(): void {
  if (source !== null) return;
  hear();
  const opened = new EventSource(addressOf('/api/local/events?fields=changed'));
  source = opened;
  source.addEventListener('open', () => {
    hear();
    closedSinceMs = missingSinceMs();
    line.value = { kind: 'live' };
    void Promise.allSettled(tell('reset', {})).then(() => {
      if (source === opened) closedSinceMs = null;
    });
  });
  source.addEventListener('error', noteCut);
  for (const name of EVENTS) {
    source.addEventListener(name, (event: MessageEvent<string>) => {
      hear();
      tell(name, JSON.parse(event.data));
    });
  }
}

function close(): void {
  if (source === null) return;
  closedSinceMs = missingSinceMs() ?? Date.now();
  source.close();
  source = null;
}

/**
 * Notes that the line is cut. If the answer is no event stream, the browser does not try again, for example after the
 * session has ended; then listeners get `closed`.
 */
function noteCut(): void {
  noteCutSince(heardAtMs);
  // The browser has noticed the break itself and tries again, so the silence counts from now on.
  hear();
  if (source?.readyState !== EventSource.CLOSED) return;
  close();
  tell('closed', {});
}

function noteCutSince(sinceMs: number): void {
  if (line.value.kind !== 'cut') line.value = { kind: 'cut', sinceMs: missingSinceMs() ?? sinceMs };
}

/** Gives what the listeners gave. */
function tell(name: string, data: unknown): readonly unknown[] {
  return (listeners.get(name) ?? []).map((listener) => listener(data));
}
