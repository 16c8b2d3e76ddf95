import type { RollOut } from '../../domain/fleet/update/roll-out.ts';

/** A signed archive that gateways can be given. `archiveId` is the SHA-256 of its program. */
export interface FleetArchive {
  readonly archiveId: string;
  readonly version: string;
  readonly arch: string;
  readonly bytes: number;
}

/** The archives in this node's data directory. */
export interface ArchiveFiles {
  list(): Promise<readonly FleetArchive[]>;
  /** Makes an empty file for an archive to come. Rejects with `store-unavailable` without room. */
  create(bytes: number): Promise<void>;
  write(piece: Uint8Array, offset: number): Promise<void>;
  /** Verifies the signature and the program in a thread, and keeps the archive. Rejects with `invalid-input`. */
  keep(): Promise<FleetArchive>;
  /** Removes what has come of an archive. */
  discard(): Promise<void>;
  remove(archive: FleetArchive): Promise<void>;
  /** A piece of an archive; null if it is not here. */
  read(archiveId: string, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** Records of updates in steps (D-107). All but the first change a roll-out only while it is the present one. */
export type FleetUpdateRecord =
  /** A person begins one: it takes the place of the group's last one. */
  | { readonly kind: 'rollOut'; readonly rollOut: RollOut }
  /** Only while it is running. */
  | {
      readonly kind: 'updateReleased';
      readonly updateId: string;
      readonly gatewayIds: readonly string[];
      readonly at: number;
    }
  /** From `running` to another state, or from `stopped` back to `running`; `passed` are added. */
  | {
      readonly kind: 'rollOutState';
      readonly updateId: string;
      readonly from: RollOut['state'];
      readonly to: RollOut['state'];
      readonly why: string;
      readonly passed: readonly string[];
    }
  /** What this gateway itself was given last, as JSON. */
  | { readonly kind: 'takenUpdate'; readonly json: string };

export interface FleetUpdateQueries {
  rollOuts(): Promise<readonly RollOut[]>;
  /** When gateways were given an update. */
  releases(updateId: string): Promise<readonly { readonly gatewayId: string; readonly at: number }[]>;
  /** The update that a gateway was given and that has not stopped; null: none. */
  releasedUpdate(gatewayId: string): Promise<RollOut | null>;
  takenUpdate(): Promise<string | null>;
}
