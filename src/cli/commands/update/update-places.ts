import path from 'node:path';
import type { Installation } from '../service/installation.ts';

/**
 * The places of an update's files. Only root may write there, because the user of the service must not choose the
 * programs that root runs.
 */
export interface UpdatePlaces {
  readonly binary: string;
  /** The new program, until it takes the place of the present one. */
  readonly next: string;
  /** The previous program, from before the newest update. */
  readonly previous: string;
  readonly stateDir: string;
  readonly journal: string;
  readonly lock: string;
  /** The database of the stopped gateway, while a new version may change its schema. */
  readonly copy: string;
  /** The verified backup before the newest update, or the copy of the stopped gateway's database. */
  readonly backup: string;
  readonly trustedKeys: string;
  readonly resumeUnit: string;
  /** Waits for a request of the gateway. */
  readonly applyPath: string;
  readonly applyUnit: string;
  /** The outcome of the last requested update, in a directory of its own: the service may read it. */
  readonly outcome: string;
}

export function updatePlaces({ root, binary, configDir }: Installation): UpdatePlaces {
  const stateDir = path.join(root, 'var/lib/plantgate-update');
  const units = path.join(root, 'etc/systemd/system');
  return {
    binary,
    next: `${binary}.next`,
    previous: `${binary}.previous`,
    stateDir,
    journal: path.join(stateDir, 'update-state.json'),
    lock: path.join(stateDir, 'lock'),
    copy: path.join(stateDir, 'rollback.db'),
    backup: path.join(stateDir, 'before-update.db'),
    trustedKeys: path.join(configDir, 'update-keys.pem'),
    resumeUnit: path.join(units, 'plantgate-update.service'),
    applyPath: path.join(units, 'plantgate-apply.path'),
    applyUnit: path.join(units, 'plantgate-apply.service'),
    outcome: path.join(root, 'var/lib/plantgate-outcome/update.json'),
  };
}
