/** What a gateway tells about updates from its central server (D-107). */
export interface UpdateReport {
  /** Node's name of its architecture: `x64`, `arm64`. */
  readonly arch: string;
  /** The reason for which it installs no updates by itself; null: it does. */
  readonly obstacle: 'package' | 'noService' | null;
  /** How long its program has run. */
  readonly upForMs: number;
  /** The update that it was given last; null: none. */
  readonly taken: TakenUpdate | null;
}

export interface TakenUpdate {
  readonly updateId: string;
  readonly state: (typeof TAKEN_STATES)[number];
  readonly receivedBytes: number;
  /** The reason of `failed`; empty otherwise. */
  readonly reason: string;
}

/**
 * `fetching`: from the central server; `installing`: root has it, or will; `installed`: the version runs; `failed`: it was
 * refused or rolled back, and is not tried again.
 */
export const TAKEN_STATES = ['fetching', 'installing', 'installed', 'failed'] as const;

/** Characters of a reason in a report. */
export const MAX_REASON_LENGTH = 300;
