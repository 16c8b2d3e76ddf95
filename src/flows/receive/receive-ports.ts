import type { GatewayReport } from '../../domain/fleet/gateway-health.ts';
import type { Activity } from '../../domain/machine/records.ts';
import type { BatchAnswer } from '../../domain/sync/batch.ts';
import type { Claimer } from '../../domain/sync/name-claim.ts';
import type { QueuedOperation } from '../../domain/sync/operation.ts';

/** Ports for receiving batches of other gateways: to the store, and to the API (contract.md, Upstream; D-27). */

/** An unchanged body. */
export interface BatchBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isGzip: boolean;
}

/**
 * A batch with a sound shape waits in the store thread under a ticket. `busy` means that too much waits there already.
 */
export type BatchReading =
  | { readonly kind: 'read'; readonly ticket: number; readonly gatewayId: string; readonly stream: string }
  | { readonly kind: 'refused'; readonly fault: 'malformed' | 'tooLarge' | 'busy'; readonly reason: string };

/** The batch is not waiting any more: the thread was restarted, or the batch waited for too long. */
export interface BatchGone {
  readonly kind: 'gone';
}

/** The holder of the name of a batch's gateway. */
export interface NameStanding {
  /** The stream that holds it, or null. */
  readonly holder: string | null;
  /** The principal that owns the name; null if none does yet. */
  readonly owner: string | null;
  /** The plant of the gateway; the first one if it is not known yet. */
  readonly plantId: string;
  /** The batch's own stream is refused the name. */
  readonly isRefused: boolean;
}

/**
 * A stream that is refused its gateway's name, with the time of the refusal in wall-clock milliseconds and the owner of
 * its key.
 */
export interface NameRefusal {
  readonly stream: string;
  readonly since: number;
  readonly principal: string;
}

/** The relation of a batch to the earlier batches of its stream. */
export type BatchVerdict =
  | { readonly kind: 'next'; readonly standing: NameStanding }
  | { readonly kind: 'repeated'; readonly answer: BatchAnswer }
  | { readonly kind: 'diverged'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | BatchGone;

/** Operations of a batch in their order. */
export interface OperationPage {
  readonly kind: 'operations';
  readonly operations: readonly { readonly seq: number; readonly queued: QueuedOperation }[];
  readonly isEnd: boolean;
}

export interface ApplyTerms {
  /** Operations that this gateway refused, with the reasons. */
  readonly refused: BatchAnswer['refused'];
  /** The owner of the key that brought the batch. */
  readonly principal: string;
  /** The time at which it came, in wall-clock milliseconds. */
  readonly at: number;
}

/** Resolved once all of the batch is on disk. `disk`: the disk takes nothing at the moment. */
export type BatchOutcome =
  | {
      readonly kind: 'applied';
      readonly answer: BatchAnswer;
      /** Records and points, including those that were refused or known already. */
      readonly records: number;
    }
  | Exclude<BatchVerdict, { readonly kind: 'next' }>
  | { readonly kind: 'disk'; readonly reason: string };

/** One of the gateways that send their batches here. Times are wall-clock milliseconds. */
export interface ReceivedGateway {
  readonly gatewayId: string;
  /** The plant of the key that it came with last (D-108). */
  readonly plantId: string;
  /** The name that a person gave it; null without one. */
  readonly name: string | null;
  /** The later of its newest batch and its newest contact on disk. */
  readonly lastContactAt: number;
  /**
   * Its newest report of its condition, a GatewayReport as JSON: only the fleet reads it, because those of all gateways
   * together are megabytes. Null for a gateway that tells nothing.
   */
  readonly report: string | null;
  /** Records and points received since it was first heard. */
  readonly records: number;
  /** The owner of the key that it came with last. */
  readonly principal: string;
  readonly machines: number;
  /** The number of its streams: more than one if its data directory was restored, copied or newly made. */
  readonly streams: number;
  /** The stream whose batches are taken; null means the first one that comes. */
  readonly stream: string | null;
  /** Data directories that sent beside it under the same name. */
  readonly refused: readonly NameRefusal[];
}

/** The contact of a gateway, and its newest report; null: nothing new. Kept only for the stream that holds the name. */
export interface GatewayContact extends Claimer {
  readonly heardAt: number;
  readonly report: GatewayReport | null;
  /** The plant of its key; null: as before. */
  readonly plantId: string | null;
}

/** Records about the gateways that send here. */
export type FleetRecord =
  /** Replaces the contact of each gateway, and its report if there is one. */
  | { readonly kind: 'gatewayContacts'; readonly contacts: readonly GatewayContact[] }
  /** What it tells of its plant, ToldPlant as JSON (domain/fleet/told-plant.ts). */
  | { readonly kind: 'gatewayPlant'; readonly gatewayId: string; readonly digest: string; readonly json: string }
  /** A person gave it a name, or took the name away (null). */
  | { readonly kind: 'gatewayRenamed'; readonly gatewayId: string; readonly name: string | null }
  /**
   * It leaves all lists, with its machines, streams and names; open facts of its machines end. What it sent stays until
   * retention deletes it, as records of the plant that the gateway had. A gateway that comes under its id later is a new
   * one.
   */
  | { readonly kind: 'gatewayRetired'; readonly gatewayId: string };

/** A machine of a gateway that sends here. Times are wall-clock milliseconds. */
export interface ReceivedMachine {
  readonly gatewayId: string;
  /** The plant of its gateway. */
  readonly plantId: string;
  readonly machineId: string;
  /** The last status, as the text that the device sent. */
  readonly statusAt: number | null;
  readonly status: string | null;
  /** A PartSelection as JSON. */
  readonly part: string | null;
  /** The span that lasts, and its beginning. */
  readonly activity: Activity | null;
  readonly activityAt: number | null;
  /** The stop that lasts; without a reason it waits for a person there. */
  readonly openStop: { readonly startedAt: number; readonly reasonId: string | null } | null;
}

/** A page of machines: of one gateway or of all (null), of some plants or of all (null), behind a machine, at most `take`. */
export interface MachinePage {
  readonly gatewayId: string | null;
  readonly plantIds: readonly string[] | null;
  readonly after: Pick<ReceivedMachine, 'gatewayId' | 'machineId'> | null;
  readonly take: number;
}

/** A stream as a node of the central server heard it. Times are milliseconds before or after the present moment. */
export interface StreamSighting extends Claimer {
  readonly heardAgoMs: number;
  /** Its silence proves nothing for so long (domain/sync/name-claim.ts). */
  readonly aliveForMs: number;
  /** The time since which it claims a name that another stream holds; null if it does not, or if that is not known. */
  readonly waitingForMs: number | null;
}

/** Nodes of a central server tell one another which streams they hear, because each hears only some of them. */
export interface PresenceExchange {
  tell(sightings: readonly StreamSighting[]): Promise<void>;
  /** A stream claims another one's name (true), or does not any more. It was told before. */
  tellWaiting(claimer: Claimer, isWaiting: boolean): Promise<void>;
  /** The gateway's streams as any node heard them last. A sighting without a `gatewayId` stands for all streams. */
  sightings(gatewayId: string): Promise<readonly StreamSighting[]>;
}

/** Batches of one gateway are judged and applied one after the other, at any node of the central server. */
export interface GatewayTurns {
  /** Rejects with the error of `work`, and with `rate-limited` if too many wait for the gateway's turn. */
  runExclusive<T>(gatewayId: string, work: () => Promise<T>): Promise<T>;
}

export interface ReceiveQueries {
  /** Unpacks, parses and checks a batch. */
  readBatch(body: BatchBody): Promise<BatchReading>;
  /** To be called in the turn of the batch's gateway, like the calls below. */
  judgeBatch(ticket: number): Promise<BatchVerdict>;
  /** Operations from behind number `after` on. */
  batchOperations(ticket: number, after: number): Promise<OperationPage | BatchGone>;
  /** The operations among these that were carried out before. */
  knownOperations(operationIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Applies all but the operations, exactly once. */
  applyBatch(ticket: number, terms: ApplyTerms): Promise<BatchOutcome>;
  /** The batch is given up. */
  dropBatch(ticket: number): Promise<void>;
  receivedGateways(): Promise<readonly ReceivedGateway[]>;
  /** Machines in the order of their gateways and their own ids, by characters' codes. */
  receivedMachines(page: MachinePage): Promise<readonly ReceivedMachine[]>;
  /** Null if there is no such gateway, or no such machine there. */
  receivedMachine(gatewayId: string, machineId: string): Promise<ReceivedMachine | null>;
}

/** Counts of received records since the start. */
export interface ReceiveCounters {
  /** Records and points. */
  readonly records: number;
  readonly refused: number;
  /** Batches by their outcome. */
  readonly applied: number;
  readonly repeated: number;
  readonly diverged: number;
  readonly failed: number;
}
