import type { AedesCore } from '../aedes/aedes-core.ts';
import type { ClientConnection } from './client-connection.ts';

/**
 * Lets clients with the same id in one after the other; the last one stays (MQTT-3.1.4-2). aedes takes several turns to
 * end a client, and publishes its will last. A client that came in meanwhile would be unknown to aedes, and the old
 * will would come after it.
 */
export class Takeovers {
  readonly #aedes: AedesCore;
  readonly #waiting = new Map<string, ClientConnection>();

  constructor(aedes: AedesCore) {
    this.#aedes = aedes;
  }

  /**
   * Calls `open` once aedes has released the id, at once if possible. Never calls it if another client with the id
   * comes meanwhile.
   */
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
