import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The network between a device and the gateway: it can be pulled and plugged in again. */
export class NetworkCable {
  readonly #gatewayPort: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  port = 0;

  private constructor(gatewayPort: number) {
    this.#gatewayPort = gatewayPort;
  }

  static async to(gatewayPort: number): Promise<NetworkCable> {
    const cable = new NetworkCable(gatewayPort);
    await cable.plugIn();
    return cable;
  }

  async plugIn(): Promise<void> {
    const server = createServer((socket) => {
      const gateway = connect(this.#gatewayPort, '127.0.0.1');
      for (const [one, other] of [
        [socket, gateway],
        [gateway, socket],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined).on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  pull(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}
