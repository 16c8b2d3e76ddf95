import { MINUTE_MS } from '../../domain/time.ts';

/**
 * Calls `act` in each minute of the wall clock, at its beginning, in milliseconds since 1970. It reads the clock anew each
 * time: a clock that is set to another time is followed within a minute, and minutes that it leaves out are left out.
 */
export function everyMinute(act: (wallMs: number) => void): { stop(): void } {
  let minute = Math.floor(Date.now() / MINUTE_MS);
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(look, MINUTE_MS - (Date.now() % MINUTE_MS)).unref();
  };
  const look = () => {
    const wallMs = Date.now();
    wait();
    // A timer may be a millisecond early.
    if (Math.floor(wallMs / MINUTE_MS) === minute) return;
    minute = Math.floor(wallMs / MINUTE_MS);
    act(wallMs);
  };
  wait();
  return { stop: () => clearTimeout(timer) };
}
