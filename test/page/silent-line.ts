import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a port that can break as a pulled cable behind a switch does: its sockets stay open, and no byte passes. */
export class SilentLine {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  isBroken = false;

  private constructor(port: number, server: Server, sockets: Set<Socket>) {
    this.port = port;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async to(port: number): Promise<SilentLine> {
    const sockets = new Set<Socket>();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const line = new SilentLine(typeof address === 'object' && address !== null ? address.port : 0, server, sockets);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      line.#carry(near, far);
      line.#carry(far, near);
    });
    return line;
  }

  #carry(from: Socket, to: Socket): void {
    // Bytes were lost: a connection that was used in the break stays silent after it.
    let isLost = false;
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      isLost ||= this.isBroken;
      if (!isLost) to.write(bytes);
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!this.isBroken) to.destroy();
    });
  }

  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
