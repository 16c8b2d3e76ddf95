import { signal } from '@preact/signals';

/** The time, once a second, by the gateway's clock: the browser's may be wrong by a day. */
export const now = signal(Date.now());

/** `Date` of an answer has whole seconds. */
const DATE_STEP_MS = 1_000;

let aheadMs = 0;

/**
 * Follows `Date` of an answer to a request that was sent at a time of the browser's clock. The gateway wrote it between
 * then and now, so the estimate moves only if it cannot be right: the time that people see does not jump to and fro.
 */
export function followGatewayClock(dateHeader: string | null, sentAtMs: number): void {
  const dateMs = Date.parse(dateHeader ?? '');
  if (Number.isNaN(dateMs)) return;
  aheadMs = Math.max(dateMs - Date.now(), Math.min(dateMs + DATE_STEP_MS - sentAtMs, aheadMs));
  now.value = gatewayNowMs();
}

/** The time by the gateway's clock, to about a second. */
export function gatewayNowMs(): number {
  return gatewayTimeOf(Date.now());
}

/** The time by the gateway's clock at a time of the browser's clock. */
export function gatewayTimeOf(browserMs: number): number {
  return browserMs + aheadMs;
}

export function startClock(): void {
  setInterval(() => {
    now.value = gatewayNowMs();
  }, 1_000);
}
