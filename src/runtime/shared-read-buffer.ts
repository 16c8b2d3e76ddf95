import { type Server, Socket, type SocketConstructorOpts } from 'node:net';

type ReadCallback = (bytes: Buffer) => void;

interface ConnectionHandle {
  readStart(): unknown;
  setNoDelay(on: boolean): unknown;
}

/** Internals of a listening net.Server. */
interface ListeningServer {
  _handle: { onconnection: (status: number, handle?: ConnectionHandle) => void } | null;
  _connections: number;
}

const READ_BYTES = 65_536;
const shared = Buffer.allocUnsafeSlow(READ_BYTES);
const listeners = new WeakMap<Socket, ReadCallback>();

/**
 * Lets the connections of a listening server read into one shared buffer, like `onread` for outgoing ones. Otherwise
 * net allocates 64 KiB for each read, and this with its collection is a large part of the cost of a status. If net is
 * not built as expected, nothing changes, and the server's own `connection` event reports its connections.
 */
export function readIntoSharedBuffer(
  server: Server,
  highWaterMark: number,
  onConnection: (socket: Socket) => void,
): void {
  const inside = server as unknown as Partial<ListeningServer>;
  const listening = inside._handle;
  if (typeof listening?.onconnection !== 'function' || typeof inside._connections !== 'number') return;
  const ordinary = listening.onconnection;
  listening.onconnection = (status, handle) => {
    if (status !== 0 || typeof handle?.readStart !== 'function') {
      ordinary.call(listening, status, handle);
      return;
    }
    handle.setNoDelay(true);
    // The server counts its connections by this, and ends when the last one closes.
    inside._connections = (inside._connections ?? 0) + 1;
    onConnection(Object.assign(sharedSocket(handle, highWaterMark), { server, _server: server }));
  };
}

function sharedSocket(handle: ConnectionHandle, highWaterMark: number): Socket {
  const options = {
    handle,
    highWaterMark,
    manualStart: true,
    onread: {
      buffer: shared,
      callback: (length: number) => {
        listeners.get(socket)?.(shared.subarray(0, length));
        return true;
      },
    },
  };
  const socket: Socket = new Socket(options as object as SocketConstructorOpts);
  return socket;
}

/** Hands received bytes to `listener` as a view that is valid only during the call. */
export function onReceived(socket: Socket, listener: ReadCallback): void {
  listeners.set(socket, listener);
  socket.on('data', listener);
}
