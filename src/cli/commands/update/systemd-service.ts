import path from 'node:path';
import { CodedError } from '../../../domain/error.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';
import { placeFile } from '../service/place-file.ts';
import { serviceFile } from '../service/service-files.ts';
import { complaintOf, SERVICE, showService } from '../service/system-programs.ts';
import type { ServiceControl } from './update-parts.ts';
import type { UpdatePlaces } from './update-places.ts';

/** A program that ended this number of times does not recover by itself. systemd tries without end. */
const MAX_RESTARTS = 3;

/** The service as systemd runs it. */
export function systemdService({ resumeUnit }: Pick<UpdatePlaces, 'resumeUnit'>): ServiceControl {
  return {
    stop: async () => {
      systemctl('stop', SERVICE);
      // The start does not wait, so the next look at the count could still see the restarts of the version before. The
      // call fails only for a unit that systemd has unloaded, and that has no count.
      complaintOf('systemctl', ['reset-failed', SERVICE]);
    },
    // The call does not wait, because it would wait for ever for a version that hangs.
    start: async () => systemctl('start', '--no-block', SERVICE),
    failure: presentFailure,
    guardStart: () => {
      const { outcome } = placeFile(resumeUnit, serviceFile('plantgate-update.service'), { mode: 0o644 });
      if (outcome === 'done') systemctl('daemon-reload');
      systemctl('enable', 'plantgate-update.service');
      // A power cut must not undo it.
      syncFile(path.join(path.dirname(resumeUnit), 'multi-user.target.wants'));
    },
  };
}

/** Judges the properties that `systemctl show` gives. */
export function serviceFailure(properties: string): string | null {
  if (/^ActiveState=failed$/m.test(properties)) return 'systemd has given it up';
  const restarts = Number(/^NRestarts=(\d+)$/m.exec(properties)?.[1] ?? 0);
  return restarts < MAX_RESTARTS ? null : `it ended ${restarts} times`;
}

/** A version may still serve if systemd does not answer: the update waits for a limited time. */
function presentFailure(): string | null {
  const { complaint, output } = showService('ActiveState', 'NRestarts');
  return complaint === null ? serviceFailure(output) : null;
}

function systemctl(...words: readonly string[]): void {
  const complaint = complaintOf('systemctl', words);
  if (complaint !== null) throw new CodedError('internal', complaint);
}
