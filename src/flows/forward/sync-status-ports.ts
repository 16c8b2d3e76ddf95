import type { ConnectionState, ConnectionStatus, ServerKind } from '../../domain/sync/connection-states.ts';

/** The state of the exchange with the central server (contract.md, `/sync`). Times are ISO 8601. */
export interface SyncStatus {
  readonly upstream: {
    readonly state: ConnectionStatus;
    readonly lastContactAt: string | null;
    readonly connection: ConnectionState['name'];
    /** The reason for which there is no connection; null if there is one. */
    readonly detail: string | null;
    readonly since: string | null;
    /** The kind of server at the last contact. */
    readonly server: ServerKind | null;
    readonly lastAcknowledgedAt: string | null;
    /** The time of the next try; null while it stands or is being tried. */
    readonly nextTryAt: string | null;
    /** The age of the last sign of life of the server, which is an acknowledgement or an answer to a probe. */
    readonly acknowledgedSecondsAgo: number | null;
  };
  readonly queue: {
    readonly depth: number;
    readonly oldestAt: string | null;
    readonly bytes: number;
    readonly thinned: number;
    readonly thinnedOf: { readonly points: number; readonly statuses: number; readonly facts: number };
    /** Records that wait for a server with the batch extension. They are no part of the depth (D-26). */
    readonly held: { readonly depth: number; readonly bytes: number };
  };
  readonly setAside: readonly SetAsideView[];
  /** The number of set-aside records, also those that are not shown. */
  readonly setAsideCount: number;
  /** Machines for which the central server's command differs (D-28). */
  readonly commandDifferences: readonly {
    readonly machineId: string;
    readonly ours: Commanded;
    readonly theirs: Commanded;
    readonly since: string;
  }[];
  readonly mirror: readonly MirrorAgeView[];
}

/** A machine's command, by any server. */
export interface Commanded {
  readonly runEnabled: boolean;
  readonly attentionNeeded: boolean;
  readonly message: string | null;
}

export interface SetAsideView {
  readonly id: string;
  readonly what: string;
  readonly reason: string;
  readonly at: string;
  readonly doneAt: string;
  readonly entity: string;
  /** The operator who did it; null if it was not a person. */
  readonly userName: string | null;
}

/** When a kind of record was last mirrored (UP-07); null: never. */
export interface MirrorAgeView {
  readonly kind: string;
  readonly lastMirroredAt: string | null;
}

/** For metrics. */
export interface SyncNumbers {
  readonly connection: ConnectionState['name'];
  readonly depth: number;
  readonly bytes: number;
  readonly oldestAgeSeconds: number;
  readonly heldDepth: number;
  readonly thinned: SyncStatus['queue']['thinnedOf'];
  readonly setAside: number;
  readonly sentRecords: number;
}
