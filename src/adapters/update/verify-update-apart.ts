import { Worker } from 'node:worker_threads';
import { CodedError } from '../../domain/error.ts';

/** The task of the thread that verifies an archive. */
export interface VerifyUpdateTask {
  readonly file: string;
  /** The file with the keys that root trusts beside those of the makers; it need not exist. */
  readonly trustedKeys: string;
}

/** The answer of that thread. */
export type VerifiedUpdate =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly refusal: string };

/** Verifies a whole archive in a thread of its own. Rejects with `invalid-input` and the reason if it is refused. */
export async function verifyUpdateApart(
  task: VerifyUpdateTask,
  threadEntry: URL | string,
): Promise<{ readonly version: string }> {
  const answer = await answerOf(new Worker(threadEntry, { workerData: task }));
  if (!answer.ok) throw new CodedError('invalid-input', `the archive is refused: ${answer.refusal}`);
  return { version: answer.version };
}

function answerOf(worker: Worker): Promise<VerifiedUpdate> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`its thread ended with ${code}`)));
  });
}
