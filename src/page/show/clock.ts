import { signal } from '@preact/signals';

/** The time, once a second, by the gateway's clock: the browser's may be wrong by a day. */
export const now = signal(Date.now());

let aheadMs = 0;

/** `Date` of an answer of the gateway. */
export function followGatewayClock(dateHeader: string | null): void {
  const atMs = Date.parse(dateHeader ?? '');
  if (Number.isNaN(atMs)) return;
  aheadMs = atMs - Date.now();
  now.value = gatewayNowMs();
}

/** The time by the gateway's clock, to about a second. */
export function gatewayNowMs(): number {
  return Date.now() + aheadMs;
}

export function startClock(): void {
  setInterval(() => {
    now.value = gatewayNowMs();
  }, 1_000);
}
