import type { RollOut } from '../../domain/fleet/update/roll-out.ts';
import type { UpdateHeader } from '../../domain/update/update-header.ts';

/** A signed archive that gateways can be given. `archiveId` is the SHA-256 of its program. */
export interface FleetArchive {
  readonly archiveId: string;
  readonly version: string;
  readonly arch: string;
  readonly bytes: number;
}

/** An archive that is coming piece by piece. */
export interface ArchiveUpload {
  readonly bytes: number;
  readonly receivedBytes: number;
}

/** The archives of a server: in its data directory, or in the database that its nodes share (D-111). */
export interface ArchiveStore {
  list(): Promise<readonly FleetArchive[]>;
  /** Makes room for an archive to come; an earlier upload ends. Rejects with `store-unavailable` without room. */
  begin(uploadId: string, bytes: number): Promise<void>;
  /** Null: it has ended. */
  upload(uploadId: string): Promise<ArchiveUpload | null>;
  /** Adds a piece where the last one ended. Rejects with `conflict` if another one has come there meanwhile. */
  add(uploadId: string, offset: number, piece: Uint8Array): Promise<void>;
  /** Verifies an archive that has come as a whole, and keeps it. Rejects with `invalid-input`. */
  keep(uploadId: string): Promise<FleetArchive>;
  /** Removes what has come of an archive. */
  discard(uploadId: string): Promise<void>;
  remove(archive: FleetArchive): Promise<void>;
  /** A piece of an archive, at most `bytes` of it; null if it is not kept. */
  read(archiveId: string, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** Verifies the signature and the program of an archive in a thread. Rejects with `invalid-input` and the reason. */
export type VerifyArchive = (file: string) => Promise<Pick<UpdateHeader, 'version' | 'arch' | 'sha256'>>;

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
