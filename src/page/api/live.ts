import { signal } from '@preact/signals';
import { gatewayNowMs } from '../show/clock.ts';

/** Whether changes arrive, and since when they do not. */
export type Line = { readonly kind: 'live' } | { readonly kind: 'cut'; readonly sinceMs: number };

export const line = signal<Line>({ kind: 'live' });

type Listener = (data: unknown) => void;

const listeners = new Map<string, Listener[]>();
let source: EventSource | null = null;
let isWanted = false;

/** Every event of the gateway that the page hears. */
const EVENTS = ['machine', 'downtime', 'task', 'coil', 'sync', 'plant', 'diagnostics', 'reset'] as const;

/** Calls the listener with the changed record of each event of this name, until the returned function is called. */
export function onEvent(name: (typeof EVENTS)[number] | 'closed', listener: Listener): () => void {
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
}

export function stopListening(): void {
  isWanted = false;
  close();
}

export function followVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else if (isWanted) open();
  });
}

/** After events that were missed without a listener comes `reset`: everything is loaded again. */
function open(): void {
  if (source !== null) return;
  source = new EventSource('/api/local/events?fields=changed');
  source.addEventListener('open', () => {
    line.value = { kind: 'live' };
    tell('reset', {});
  });
  source.addEventListener('error', noteCut);
  for (const name of EVENTS) {
    source.addEventListener(name, (event: MessageEvent<string>) => tell(name, JSON.parse(event.data)));
  }
}

function close(): void {
  source?.close();
  source = null;
}

/** A browser gives up where the answer is no event stream: the session may have ended, as with a restart. */
function noteCut(): void {
  if (line.value.kind === 'live') line.value = { kind: 'cut', sinceMs: gatewayNowMs() };
  if (source?.readyState !== EventSource.CLOSED) return;
  close();
  tell('closed', {});
}

function tell(name: string, data: unknown): void {
  for (const listener of listeners.get(name) ?? []) listener(data);
}
