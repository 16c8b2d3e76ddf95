import { parentPort, workerData } from 'node:worker_threads';
import { NEWEST_SCHEMA } from '../../../adapters/store/thread/database/migrations.ts';
import type { VerifiedUpdate, VerifyUpdateTask } from '../../../adapters/update/verify-update-apart.ts';
import { CodedError } from '../../../domain/error.ts';
import { updateRefusal } from '../../../domain/update/update-header.ts';
import { VERSION } from '../../../version.ts';
import { openArchive } from './archive.ts';
import { trustedKeys } from './trusted-keys.ts';

/** Verifies one archive by the rules of `plantgate update`, and ends. For a worker with a VerifyUpdateTask. */
async function runUpdateThread(): Promise<void> {
  if (parentPort === null) throw new Error('an update is verified in a worker thread');
  parentPort.postMessage(await verified(workerData as VerifyUpdateTask));
}

async function verified({ file, trustedKeys: keys, isForOthers = false }: VerifyUpdateTask): Promise<VerifiedUpdate> {
  const present = { version: VERSION, arch: process.arch, schema: NEWEST_SCHEMA };
  try {
    const archive = await openArchive(file, trustedKeys(keys));
    try {
      const refusal = isForOthers ? null : updateRefusal(archive.header, present, false);
      if (refusal !== null) return { ok: false, refusal };
      await archive.copyProgram();
      return { ok: true, header: archive.header };
    } finally {
      await archive.close();
    }
  } catch (error) {
    if (error instanceof CodedError) return { ok: false, refusal: error.message };
    throw error;
  }
}

// A fault ends the thread, which tells the thread that started it.
void runUpdateThread();
