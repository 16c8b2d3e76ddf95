import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Server as TlsServer } from 'node:tls';
import { CodedError } from '../../domain/error.ts';
import { cannotListen } from '../../domain/error-text.ts';
import { uploadMs } from '../../domain/sync/slowest-uplink.ts';
import { tlsFaultText } from '../../domain/tls-fault.ts';
import type { Incidents } from '../../flows/ports.ts';
import type { AddressBlocks } from '../../runtime/network/address-blocks.ts';
import type { OpenConnections } from '../../runtime/network/open-connections.ts';
import { tlsFailure, tlsPeerAddress } from '../../runtime/network/tls-peer.ts';
import type { UnreadAnswers } from './answers/unread-answers.ts';
import { answerUnread } from './device/send.ts';
import { LIMITS } from './limits.ts';
import { addressOf, readForwarded } from './requests/client.ts';
import { Pipeline } from './requests/pipeline.ts';

/** Certificate and private key, as PEM; `pace` gets the server before any listener for its connections is added. */
export interface TlsFiles {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly pace: (server: TlsServer) => void;
}

const SETTINGS: ServerOptions = {
  keepAliveTimeout: LIMITS.keepAliveTimeoutMs,
  headersTimeout: LIMITS.headersTimeoutMs,
  // No request gets longer. The limit of most requests is less (http-servers.ts).
  requestTimeout: LIMITS.requestTimeoutMs + uploadMs(LIMITS.maxBatchBytes),
  connectionsCheckingInterval: LIMITS.connectionsCheckMs,
  maxHeaderSize: LIMITS.headerBytes,
  // Simple devices send no Host header. The host guard answers all other clients with a reason.
  requireHostHeader: false,
};

/** Options that both servers share. */
interface Bounds {
  readonly connections: OpenConnections;
  readonly unread: UnreadAnswers;
  readonly incidents: Incidents;
  /** The senders whose `X-Forwarded-…` headers count; null without any. */
  readonly proxies: AddressBlocks | null;
}

/** An HTTP server with bounds on everything that a slow, broken or hostile client could hold on to. */
export function createServer(
  listener: RequestListener,
  tls: TlsFiles | null,
  { connections, unread, incidents, proxies }: Bounds,
): Server {
  const report = (request: IncomingMessage, detail: string) =>
    incidents.report({ kind: 'limitReached', subject: `http ${addressOf(request)}`, detail });
  const answer = refusingTwoHosts(listener);
  const pipeline = new Pipeline((request, response) => {
    unread.begin(request, response);
    answer(request, response);
  }, report);
  const handle: RequestListener = (request, response) => {
    if (proxies !== null) readForwarded(request, proxies);
    pipeline.handle(request, response);
  };
  const server = tls === null ? createPlainServer(SETTINGS, handle) : createSecureServer(handle, tls, incidents);
  server.on('connection', connections.admit);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseGarbage(error, socket, senderOf(socket), pipeline.newestResponse(socket), incidents),
  );
  return server;
}

/**
 * Refuses a request with two Host headers: a proxy in front of the gateway might have used the other (RFC 9112, 3.2).
 */
function refusingTwoHosts(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (countHosts(request.rawHeaders) <= 1) listener(request, response);
    else answerUnread(request, response, 400, JSON.stringify({ errors: ['Host: sent twice, send it once'] }), []);
  };
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

function createSecureServer(listener: RequestListener, { cert, key, pace }: TlsFiles, incidents: Incidents): Server {
  const server = createTlsServer({ ...SETTINGS, cert, key, handshakeTimeout: LIMITS.headersTimeoutMs }, listener);
  pace(server);
  server.on('tlsClientError', (error, socket) => {
    const address = tlsPeerAddress(socket) ?? 'unknown';
    incidents.report({
      kind: 'accessRefused',
      subject: `http ${address}`,
      detail: tlsFaultText(tlsFailure(error, socket)),
      address,
    });
  });
  return server;
}

/** Listens and gives the bound port. Rejects with CodedError `conflict` that names the setting. */
export function bind(
  server: Server,
  setting: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(new CodedError('conflict', cannotListen(setting, host, port, error)));
    server.once('error', onError);
    server.listen({ host, port, backlog: LIMITS.listenBacklog }, () => {
      server.off('error', onError);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Closes: idle connections at once, the others when they are answered or after a moment. */
export async function stop(server: Server, connections: OpenConnections): Promise<void> {
  if (!server.listening) return;
  const timer = setTimeout(() => connections.cutAll(), LIMITS.closeGraceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}

/** Answers a request whose body took too long with 408, and ends the connection. */
export function refuseLate(request: IncomingMessage, forMs: number, incidents: Incidents): void {
  const error = Object.assign(new Error(`not complete after ${Math.round(forMs / 1_000)} s`), { code: TOO_LATE });
  refuseGarbage(error, request.socket, addressOf(request), undefined, incidents);
}

function senderOf(socket: Duplex): string {
  return 'remoteAddress' in socket ? String(socket.remoteAddress) : 'unknown';
}

/** Answers bytes that are no HTTP, or that came too slowly, with a reason, and ends the connection. */
function refuseGarbage(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  address: string,
  newestResponse: ServerResponse | undefined,
  incidents: Incidents,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = ANSWERS[error.code ?? ''] ?? ['400 Bad Request', notHttp(error)];
  // A connection that never sent a byte is a check of the port, or a browser that opened one in advance.
  const isMute = error.code === TOO_LATE && 'bytesRead' in socket && socket.bytesRead === 0;
  if (!isMute) incidents.report({ kind: 'brokenHttp', subject: `http ${address}`, detail: message, address });
  if (newestResponse?.req.complete === true && !newestResponse.writableFinished) {
    // A complete request came before. Its sender gets that answer, not this refusal.
    newestResponse.once('close', () => socket.destroy());
    return;
  }
  const body = JSON.stringify({ errors: [message] });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const TLS_HANDSHAKE = 0x16;
const MQTT_CONNECT = 0x10;

/** The refusal of bytes that are no HTTP: the reason of the parser, or the protocol that their first byte shows. */
function notHttp({
  message,
  reason,
  rawPacket,
}: NodeJS.ErrnoException & { readonly reason?: string; readonly rawPacket?: Buffer }): string {
  const found = {
    [TLS_HANDSHAKE]: 'TLS on a port without TLS: write http:// in the address',
    [MQTT_CONNECT]: 'MQTT on the port of HTTP: choose mqtt.port',
  }[rawPacket?.[0] ?? -1];
  return `request: found bytes that are no HTTP/1.1 (${found ?? reason ?? message})`;
}

const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

const ANSWERS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', `headers: expected at most ${LIMITS.headerBytes} bytes`],
  [TOO_LATE]: ['408 Request Timeout', `request: expected it whole within ${LIMITS.requestTimeoutMs} ms`],
};
