import type { ServiceControl, UpdateParts } from './update-parts.ts';

const POLL_MS = 250;

/** Waits until a version serves. Gives null then, or the reason for which it does not serve. */
export async function waitUntilServes(
  version: string,
  service: ServiceControl,
  { servingVersion, monotonicMs, wait }: Pick<UpdateParts, 'servingVersion' | 'monotonicMs' | 'wait'>,
  timeoutMs: number,
): Promise<string | null> {
  const end = monotonicMs() + timeoutMs;
  while (monotonicMs() < end) {
    if ((await servingVersion()) === version) return null;
    const failure = service.failure();
    if (failure !== null) return failure;
    await wait(POLL_MS);
  }
  return `it did not serve within ${timeoutMs / 1_000} s`;
}
