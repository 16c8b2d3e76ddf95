import { statOrNull } from '../../../config/read-file.ts';
import { askProgram } from './ask-program.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Earlier than any release of this program. */
const EARLIEST_YEAR = 2026;
const LATEST_YEAR = 2099;
/** systemd-timesyncd touches it whenever a server has answered. */
const SYNCHRONIZED_FILE = '/run/systemd/timesync/synchronized';

/** Checks whether the clock can be right, and whether a time service keeps it right. */
export async function checkClock(now: Date, timeoutMs: number): Promise<readonly Finding[]> {
  return [yearFinding(now), await synchronizationFinding(timeoutMs)];
}

function yearFinding(now: Date): Finding {
  const year = now.getUTCFullYear();
  if (year >= EARLIEST_YEAR && year <= LATEST_YEAR) return ok('clock', now.toISOString());
  return fault(
    'clock',
    `the year is ${year}`,
    'Set it with "timedatectl set-time", and replace the battery if it is empty.',
  );
}

async function synchronizationFinding(timeoutMs: number): Promise<Finding> {
  const check = 'clock synchronization';
  const answer = await askProgram('timedatectl', ['show', '--property=NTPSynchronized', '--value'], timeoutMs);
  const isSynchronized = answer?.trim() === 'yes' || (await statOrNull(SYNCHRONIZED_FILE)) !== null;
  if (isSynchronized) return ok(check, 'the clock follows a time server');
  const found =
    answer === null ? 'it is not known whether the clock follows a time server' : 'no time server is followed';
  return warning(check, found, 'Run systemd-timesyncd or chrony with a time server of the plant.');
}
