import { errorMessage } from '../domain/error-text.ts';
import { type ApiAccess, apiCaller, type CallApi } from './api-caller.ts';

export interface WorkerOptions extends ApiAccess {
  readonly log: (line: string) => void;
}

/** A person of the sample plant, who makes rounds. A failed round is reported, and the next one starts again. */
export function startWorker(
  name: string,
  everyMs: number,
  { log, ...access }: WorkerOptions,
  goRound: (call: CallApi) => Promise<void>,
): { stop(): void } {
  const leaving = new AbortController();
  const call = apiCaller(access, leaving.signal);
  let isOnRound = false;
  const round = () => {
    if (isOnRound) return;
    isOnRound = true;
    goRound(call)
      .catch((error: unknown) => {
        const why = errorMessage(error);
        if (!leaving.signal.aborted) log(`${name}  could not go round: ${why}`);
      })
      .finally(() => {
        isOnRound = false;
      });
  };
  const timer = setInterval(round, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      leaving.abort();
    },
  };
}
