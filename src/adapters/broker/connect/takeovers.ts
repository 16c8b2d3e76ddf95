import type { AedesCore } from '../aedes/aedes-core.ts';
import type { ClientConnection } from './client-connection.ts';

/**
 * Lets clients of one id in one after the other, the last one to stay (MQTT-3.1.4-2). aedes takes several turns to end a
 * client, its will last; who came in meanwhile would be unknown to it, and the old will would be heard after the new
 * client.
 */
export class Takeovers {
  readonly #aedes: AedesCore;
  readonly #waiting = new Map<string, ClientConnection>();

  constructor(aedes: AedesCore) {
    this.#aedes = aedes;
  }

  /** Calls `open` once aedes has let go of the id, at once if it can; never where another client comes for it meanwhile. */
  onceFree(clientId: string, clientConnection: ClientConnection, open: () => void): void {
    this.#waiting.get(clientId)?.destroy();
    if (this.#aedes.clients[clientId] === undefined) {
      this.#waiting.delete(clientId);
      open();
      return;
    }
    this.#waiting.set(clientId, clientConnection);
    this.#endFormer(clientId, clientConnection, open);
  }

  #endFormer(clientId: string, clientConnection: ClientConnection, open: () => void): void {
    if (this.#waiting.get(clientId) !== clientConnection) return;
    const former = this.#aedes.clients[clientId];
    if (former !== undefined) {
      former.close(() => setImmediate(() => this.#endFormer(clientId, clientConnection, open)));
      return;
    }
    this.#waiting.delete(clientId);
    if (!clientConnection.socket.destroyed) open();
  }
}
