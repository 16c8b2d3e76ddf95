import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { REQUESTED_UPDATE, type UpdateOutcome } from '../../../../domain/update/update-outcome.ts';
import { type CommandIo, EXIT } from '../../../command-io.ts';
import { tellFault } from '../tell-fault.ts';
import { trustedKeys } from '../trusted-keys.ts';
import { runUpdate, type UpdateStep } from '../update.ts';
import type { UpdateParts } from '../update-parts.ts';
import { writeOutcome } from './outcome-file.ts';
import { takeRequest } from './take-request.ts';

const NAME = 'The requested update';

/**
 * `plantgate update --requested`: installs the archive that the gateway has left for root, and tells the gateway the
 * outcome. Nothing that the gateway says is believed: the archive is verified here, and an older version is refused
 * (D-46). Gives the exit code.
 */
export async function runRequestedUpdate(waitMs: number, parts: UpdateParts, io: CommandIo): Promise<number> {
  const { places, dataDir, present, now } = parts;
  const told: string[] = [];
  const stderr = (line: string) => {
    told.push(line);
    io.stderr(line);
  };
  let to: string | null = null;
  let step: UpdateStep | null = null;
  const note = (result: UpdateOutcome['result']) => {
    const at = now().toISOString();
    writeOutcome(places.outcome, { result, from: present.version, to, reason: told.join(' '), at });
  };
  const onStep = (reached: UpdateStep, version: string) => {
    step = reached;
    to = version;
    // After a power cut from here on, settling the journal also writes this outcome.
    if (reached === 'swapping') note('underWay');
  };
  let result: UpdateOutcome['result'] | null = 'unfinished';
  let opened: FileHandle | null = null;
  try {
    opened = await takeRequest(path.join(dataDir, REQUESTED_UPDATE));
    if (opened === null) {
      result = null;
      io.stdout('No update is requested. Nothing was changed.');
      return EXIT.done;
    }
    const keys = trustedKeys(places.trustedKeys);
    const options = { file: NAME, opened, trustedKeys: keys, checkOnly: false, allowDowngrade: false, waitMs, onStep };
    const exitCode = await runUpdate(options, parts, { ...io, stderr });
    result = resultOf(exitCode, step);
    return exitCode;
  } catch (error) {
    const exitCode = tellFault(error, `${NAME} was not installed`, { ...io, stderr });
    result = resultOf(exitCode, step);
    return exitCode;
  } finally {
    await opened?.close();
    if (result !== null) note(result);
  }
}

function resultOf(exitCode: number, step: UpdateStep | null): UpdateOutcome['result'] {
  if (exitCode === EXIT.done) return 'installed';
  if (step !== 'swapping') return 'refused';
  return exitCode === EXIT.unavailable ? 'rolledBack' : 'unfinished';
}
