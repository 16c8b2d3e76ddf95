/**
 * The speed of time for a gateway: `times` as fast as the computer's, from a moment at which both agree. All its waits
 * keep their proportions, so that a test sees a back-off of a minute without waiting for it.
 */
export interface TimeSlicer {
  readonly times: number;
  readonly fromWallMs: number;
}

const realNow = Date.now;

export function pacedWallMs({ times, fromWallMs }: TimeSlicer): number {
  return fromWallMs + (realNow() - fromWallMs) * times;
}

/** The environment that gives a new process its pace. */
export function inEnvironment(pace: TimeSlicer): NodeJS.ProcessEnv {
  return { TEST_PACE: JSON.stringify(pace) };
}

/** From now on the clocks and timers of this thread follow the pace that its process was given, if any. */
export function keepPace(): void {
  const { TEST_PACE } = process.env;
  if (TEST_PACE === undefined) return;
  const pace: TimeSlicer = JSON.parse(TEST_PACE);
  const realMonotonicMs = performance.now.bind(performance);
  performance.now = () => realMonotonicMs() * pace.times;
  Date.now = () => Math.floor(pacedWallMs(pace));
  globalThis.setTimeout = hastened(setTimeout, pace);
  globalThis.setInterval = hastened(setInterval, pace);
}

function hastened<Timer extends (...args: never[]) => unknown>(timer: Timer, { times }: TimeSlicer): Timer {
  return new Proxy(timer, {
    apply: (target, self, [act, delayMs, ...rest]) =>
      Reflect.apply(target, self, [act, Number(delayMs ?? 0) / times, ...rest]),
  });
}
