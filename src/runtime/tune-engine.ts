import type { IncomingMessage } from 'node:http';
import { type Server, Socket, type SocketConstructorOpts } from 'node:net';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { MIB } from '../domain/byte-units.ts';

/**
 * What V8 and Node would do wrongly for this program. Each piece was measured; runtime-tricks.test.ts fails if a new Node
 * no longer has what it builds on.
 */

/** Stands in the place of fetch's Response: no answer of the gateway is one. */
class NoResponse {}

/**
 * Koa asks of most answers whether they are a Response of fetch. Node 24 loads all of fetch at the first such question,
 * which blocks the thread for 80 ms. The gateway calls other servers by the package undici, which has its own classes.
 */
export function keepFetchUnloaded(): void {
  // An assignment: defining a property would load fetch as well.
  Object.assign(globalThis, { Response: NoResponse });
}

const V8_FLAGS = [
  // Every new object starts out as short-lived. At the start thousands of machines come and stay. The engine would learn
  // from that to put records that live a tenth of a second among the long-lived ones: 15 % more memory under load.
  '--no-allocation-site-pretenuring',
  // The old generation grows by 40 % before all of it is searched for garbage. Without it the heap takes a quarter more
  // in a flood of short-lived clients.
  '--heap-growing-percent=40',
  // Keeps the first call wrappers of WebAssembly, in which the HTTP client's parser is written. The engine can lose count
  // of the pages of the faster ones: "Check failed: jit_page.has_value()" ends the process (nodejs/node#64500).
  '--wasm-wrapper-tiering-budget=1000000000',
];

/**
 * To be called in the main thread when all is loaded: V8 uses the compiled code of Node's own modules only under
 * the flags under which it was made. Set earlier, they make a start 0.06 s longer.
 */
export function tuneEngine(): void {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
  void returnUnusedHeap();
}

export interface UnusedHeapTiming {
  readonly lookMs: number;
  /** Memory that was not used for this time is given back. */
  readonly calmMs: number;
}

const TIMING: UnusedHeapTiming = { lookMs: 1_000, calmMs: 30_000 };
/** Less than this stays with V8, which needs it again in the next flood. */
const MIN_UNUSED_BYTES = 16 * MIB;
/** After each try this much more memory counts as needed. So a try that came too early is repeated, and the tries end. */
const GROWTH_BYTES = 4 * MIB;
/** The first collection may have begun before it was told to save memory. */
const COLLECTIONS = 2;

/**
 * Gives back the pages of this thread's heap that were used only in a flood. V8 keeps each page that it ever needed at
 * once, and looks for unused ones only while the thread is nearly idle: 500 machines at work held 320 instead of 210
 * MiB after the attacks of `npm run attack`, for ever. Goes on until the process ends.
 */
export async function returnUnusedHeap(timing: UnusedHeapTiming = TIMING): Promise<never> {
  let neededBytes = await leastOutsideHeap(timing);
  for (;;) {
    const keptBytes = await leastOutsideHeap(timing);
    if (!Number.isFinite(keptBytes)) continue;
    if (keptBytes - neededBytes < MIN_UNUSED_BYTES) {
      neededBytes = Math.min(neededBytes, keptBytes);
      continue;
    }
    await collectForSize();
    neededBytes += GROWTH_BYTES;
  }
}

/** Gives the least memory outside the heap during the next `calmMs`. */
async function leastOutsideHeap({ lookMs, calmMs }: UnusedHeapTiming): Promise<number> {
  let leastBytes = Number.POSITIVE_INFINITY;
  for (let passedMs = 0; passedMs < calmMs; passedMs += lookMs) {
    await delay(lookMs, undefined, { ref: false });
    leastBytes = Math.min(leastBytes, bytesOutsideHeap());
  }
  return leastBytes;
}

/**
 * The resident memory that is not part of this thread's heap and its buffers; V8's unused pages are among it. The system
 * answers from memory, so no disk holds up this thread.
 */
function bytesOutsideHeap(): number {
  try {
    const { rss, heapTotal, external } = process.memoryUsage();
    return rss - heapTotal - external;
  } catch {
    // No file descriptor is left to read it with: this is no time to give memory back.
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Waits for the next large collections, and lets them give back what they do not need. They do not move objects
 * together, because that would double their pause.
 */
function collectForSize(): Promise<void> {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--no-compact');
  return new Promise((resolve) => {
    let collections = 0;
    const observer = new PerformanceObserver((entries) => {
      collections += entries.getEntries().filter(isLargeCollection).length;
      if (collections < COLLECTIONS) return;
      observer.disconnect();
      setFlagsFromString('--no-optimize-for-size');
      setFlagsFromString('--compact');
      resolve();
    });
    observer.observe({ type: 'gc' });
  });
}

/** Whether Node tells of a collection of the whole heap. */
function isLargeCollection(entry: PerformanceEntry): boolean {
  if (!('detail' in entry) || typeof entry.detail !== 'object' || entry.detail === null) return false;
  return 'kind' in entry.detail && entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

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

/** Internals of node:http: a connection's parser, and the place of the function that it calls with each chunk. */
interface BodyParser {
  readonly constructor: { readonly kOnBody?: number };
  [place: number]: unknown;
}

/**
 * Ends the connection of a request, and ignores the chunks of its body that were received with this one. Otherwise the
 * parser hands over all chunks of the same read, up to 11,000 of one byte, each for 2 µs, although the connection has
 * ended. To be called in a `data` event; `end` may still come, with a shortened body. If node:http is not built as
 * expected, the connection only ends. Tried with Node 24.
 */
export function endInBody({ socket }: IncomingMessage): void {
  const { parser } = socket as Socket & { readonly parser?: BodyParser | null };
  socket.destroy();
  const place = parser?.constructor.kOnBody;
  if (!parser || place === undefined) return;
  const onBody = parser[place];
  if (typeof onBody !== 'function') return;
  parser[place] = null;
  // Before the connection closes: then its parser may serve another one.
  setImmediate(() => {
    parser[place] = onBody;
  });
}
