import type { Worker } from 'node:worker_threads';
import { CodedError } from '../../domain/error.ts';
import type { Result } from '../../domain/result.ts';
import type { UpdateHeader } from '../../domain/update/update-header.ts';
import { startThread } from '../../runtime/start-thread.ts';

/** Reading and checking 130 MB takes 2 s; a disk that needs minutes for it is broken. */
const MAX_VERIFY_MS = 300_000;

/** The task of the thread that verifies an archive. */
export interface VerifyUpdateTask {
  readonly file: string;
  /** The file with the keys that root trusts beside those of the makers; it need not exist. */
  readonly trustedKeys: string;
  /** For another computer: whether it may be installed is judged there. */
  readonly isForOthers?: boolean;
}

/** The answer of that thread. */
export type VerifiedUpdate = Result<{ readonly header: UpdateHeader }, { readonly refusal: string }>;

/**
 * Verifies a whole archive in a thread of its own. Rejects with `invalid-input` and the reason if it is refused, and with
 * `store-unavailable` if the thread has no answer in time.
 */
export async function verifyUpdateApart(
  task: VerifyUpdateTask,
  threadEntry: URL | string,
  timeoutMs = MAX_VERIFY_MS,
): Promise<UpdateHeader> {
  const answer = await answerOf(startThread(threadEntry, { workerData: task }), timeoutMs);
  if (!answer.ok) throw new CodedError('invalid-input', `the archive is refused: ${answer.refusal}`);
  return answer.header;
}

async function answerOf(worker: Worker, timeoutMs: number): Promise<VerifiedUpdate> {
  const { promise, resolve, reject } = Promise.withResolvers<VerifiedUpdate>();
  const late = `the archive was not read within ${timeoutMs / 1_000} s: look at the disk, then send it again`;
  const timer = setTimeout(() => reject(new CodedError('store-unavailable', late)), timeoutMs);
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', (code) => reject(new Error(`its thread ended with ${code}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
