import { expect, it } from 'vitest';
import { verifyUpdateApart } from '../../../src/adapters/update/verify-update-apart.ts';

const TASK = { file: '/nowhere.update', trustedKeys: '/nowhere.pub' };

/** A thread that runs this program. */
function thread(program: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

it.each<readonly [string, string, object]>([
  ['fails', 'throw new Error("the disk is gone")', { message: 'the disk is gone' }],
  ['ends without an answer', 'process.exit(3)', { message: 'its thread ended with 3' }],
  [
    'refuses the archive',
    `import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ ok: false, refusal: 'unsigned' })`,
    { code: 'invalid-input', message: 'the archive is refused: unsigned' },
  ],
])('D-46 verifying an archive ends with an error if its thread %s', async (_, program, error) => {
  await expect(verifyUpdateApart(TASK, thread(program))).rejects.toMatchObject(error);
});

it('D-46 verifying an archive ends with an error if its thread is silent', async () => {
  const silent = thread('setInterval(() => undefined, 1_000)');
  await expect(verifyUpdateApart(TASK, silent, 100)).rejects.toMatchObject({ code: 'store-unavailable' });
});
