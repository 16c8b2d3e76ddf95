import type { UpdateOutcome } from '../../domain/update/update-outcome.ts';

/**
 * The reason for which the page installs no update. `package`: a package manager owns the program. `noService`: no
 * service on this computer takes requests from this data directory.
 */
export type UpdateObstacle = 'package' | 'noService';

/** The progress of the one archive that is sent. `untaken`: the request was taken back, because no service took it. */
export interface UploadView {
  readonly state: 'none' | 'receiving' | 'verifying' | 'ready' | 'requested' | 'untaken';
  readonly bytes: number;
  readonly receivedBytes: number;
  /** Null until the archive is verified. */
  readonly version: string | null;
}

/** Updates from the page (contract.md, `/update`). */
export interface UpdateView {
  readonly version: string;
  /** Null if an update can be installed from the page. */
  readonly obstacle: UpdateObstacle | null;
  readonly upload: UploadView;
  /** The outcome of the last request; null before the first. */
  readonly outcome: UpdateOutcome | null;
}

/** The files of an upload, and those by which gateway and root speak with each other. */
export interface UpdateFiles {
  /** Makes an empty file. Rejects with `store-unavailable` if the disk has no room for this number of bytes. */
  create(bytes: number): Promise<void>;
  write(piece: Uint8Array, offset: number): Promise<void>;
  /** Reads the whole archive in a thread of its own. Rejects with `invalid-input` unless it may be installed. */
  verify(): Promise<{ readonly version: string }>;
  remove(): Promise<void>;
  /** Hands the archive to root. */
  request(): Promise<void>;
  isRequested(): Promise<boolean>;
  /** Takes the request back. False: root has taken it already. */
  withdraw(): Promise<boolean>;
  obstacle(): Promise<UpdateObstacle | null>;
  outcome(): Promise<UpdateOutcome | null>;
}
