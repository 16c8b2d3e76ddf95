import type { Reason } from '../mqtt/reason-codes.ts';
import type { AccountRights } from './accounts.ts';
import type { ClientConnection } from './client-connection.ts';

/** The side of the gateway that serves one connected client. */
export interface Owner {
  readonly clientId: string;
  readonly clientConnection: ClientConnection;
  readonly isMachine: boolean;
  /** Null for a client that did not log in as an account. */
  readonly rights: AccountRights | null;
  readonly silenceLimitMs: number;
  readonly backlogBytes: number;
  readonly subscriptions: readonly (readonly [string, number])[];
  /** The time at which the client stopped taking its answers. */
  readonly stalledSinceMs: number | null;
  /** Another client came in under this id, from this address (MQTT-3.1.4-2). */
  replaced(address: string): void;
  cutOff(reason: Reason): void;
  /** To be called about once a second. */
  sweep?(nowMs: number): void;
}

/** Every connected client, by client id. */
export class Owners {
  readonly #byClientId = new Map<string, Owner>();
  /** Clients without an id: no other client can take their place. */
  readonly #anonymous = new Set<Owner>();
  readonly #names = new WeakMap<ClientConnection, string>();

  get(clientId: string): Owner | undefined {
    return this.#byClientId.get(clientId);
  }

  nameOf(clientConnection: ClientConnection): string | undefined {
    return this.#names.get(clientConnection);
  }

  add(owner: Owner, isAnonymous: boolean): void {
    this.#names.set(owner.clientConnection, owner.clientId);
    if (isAnonymous) this.#anonymous.add(owner);
    else this.#byClientId.set(owner.clientId, owner);
  }

  remove(owner: Owner): void {
    if (this.#byClientId.get(owner.clientId) === owner) this.#byClientId.delete(owner.clientId);
    this.#anonymous.delete(owner);
  }

  *all(): Generator<Owner> {
    yield* this.#byClientId.values();
    yield* this.#anonymous;
  }

  count(isMachine: boolean): number {
    let count = 0;
    for (const owner of this.all()) if (owner.isMachine === isMachine) count++;
    return count;
  }
}
