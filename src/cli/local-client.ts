import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { networkInterfaces } from 'node:os';
import { type LocalAccess, readLocalAccess } from '../adapters/system/local-access.ts';
import { CodedError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { Result } from '../domain/result.ts';
import { type CommandIo, EXIT } from './command-io.ts';

/** The reason for which a command cannot go on: a sentence for the person, and the exit code. */
export interface CommandFailure {
  readonly ok: false;
  readonly exitCode: number;
  readonly sentence: string;
  /** The status and body of the gateway's refusal; null if it did not answer. */
  readonly refusal: { readonly status: number; readonly body: unknown } | null;
}

export type LocalAnswer = Result<{ readonly body: unknown }, CommandFailure>;

export interface LocalClient {
  readonly url: string;
  /** Calls a path of the local API (`/api/local/…`); `body` goes as JSON. Waits `timeoutMs` at most. Never rejects. */
  call(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    timeoutMs?: number,
  ): Promise<LocalAnswer>;
  /** Gives the unchanged text of a path, which need not be below the local API. */
  getText(path: string): Promise<string | CommandFailure>;
  /** Posts a text unchanged. */
  postText(path: string, text: string): Promise<LocalAnswer>;
  putBytes(path: string, bytes: Uint8Array): Promise<LocalAnswer>;
}

export type OpenedLocalClient = Result<{ readonly client: LocalClient }, CommandFailure>;

const LOCAL_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1_048_576;

/**
 * A client of the gateway that runs on this data directory, with the access that it left there. Sends no request yet.
 */
export async function openLocalClient(dataDir: string, timeoutMs = LOCAL_TIMEOUT_MS): Promise<OpenedLocalClient> {
  try {
    return { ok: true, client: localClient(await readLocalAccess(dataDir), timeoutMs) };
  } catch (error) {
    if (error instanceof CodedError) return accessFailure(error, dataDir);
    return failure(EXIT.inputOutput, `The gateway's access in ${dataDir} cannot be read: ${errorMessage(error)}.`);
  }
}

/** The client for calls about one of several plants of a central server (D-108). Without a plant it is the same client. */
export function inPlant(client: LocalClient, plantId: string | null): LocalClient {
  if (plantId === null) return client;
  const within = (path: string) => `/plant/${encodeURIComponent(plantId)}${path}`;
  return {
    url: client.url,
    call: (method, path, ...more) => client.call(method, within(path), ...more),
    getText: (path) => client.getText(within(path)),
    postText: (path, text) => client.postText(within(path), text),
    putBytes: (path, bytes) => client.putBytes(within(path), bytes),
  };
}

/** Prints the reason for which the command cannot go on; gives the exit code. */
export function printFailure({ exitCode, sentence }: CommandFailure, io: CommandIo): number {
  io.stderr(sentence);
  return exitCode;
}

function accessFailure({ code, message }: CodedError, dataDir: string): CommandFailure {
  switch (code) {
    case 'not-found':
      return failure(EXIT.unavailable, `No gateway runs on ${dataDir}: ${message}. Start it with "plantgate run".`);
    case 'not-permitted':
      return failure(EXIT.notPermitted, `${message}: run this as the gateway's user or as root.`);
    default:
      return failure(EXIT.inputOutput, `The gateway's access is damaged: ${message}. Restart the gateway.`);
  }
}

function localClient({ url, key }: LocalAccess, defaultTimeoutMs: number): LocalClient {
  const sendForText = async (
    method: string,
    path: string,
    text: string | Uint8Array | null,
    timeoutMs = defaultTimeoutMs,
  ) => {
    const target = new URL(path, url);
    try {
      const answer = await ask(target, { method, key, text, timeoutMs });
      const { status } = answer;
      return status < 300 ? answer.text : refused(status, answer.text, `${method} ${path}`);
    } catch (error) {
      return failure(EXIT.unavailable, `The gateway does not answer on ${url}: ${reasonOf(error, timeoutMs)}.`);
    }
  };
  const send = async (...question: Parameters<typeof sendForText>) => {
    const text = await sendForText(...question);
    return typeof text === 'string' ? readBody(text, url) : text;
  };
  return {
    url,
    getText: (path) => sendForText('GET', path, null),
    call: (method, path, body, timeoutMs) =>
      send(method, path, body === undefined ? null : JSON.stringify(body), timeoutMs),
    postText: (path, text) => send('POST', path, text),
    putBytes: (path, bytes) => send('PUT', path, bytes),
  };
}

interface Question {
  readonly method: string;
  readonly key: string;
  readonly text: string | Uint8Array | null;
  readonly timeoutMs: number;
}

function ask(target: URL, { method, key, text, timeoutMs }: Question): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = {
    method,
    signal,
    agent: false,
    headers: {
      authorization: `ApiKey ${key}`,
      'content-type': typeof text === 'object' && text !== null ? 'application/octet-stream' : 'application/json',
    },
    // The gateway's certificate need not name the address of this connection, which never leaves the computer.
    rejectUnauthorized: !isOwnAddress(target.hostname),
  } as const;
  return new Promise((resolve, reject) => {
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(target, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy(new Error(`its answer is above ${MAX_ANSWER_BYTES} bytes`));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    request.on('error', reject);
    request.end(text ?? undefined);
  });
}

function readBody(text: string, url: string): LocalAnswer {
  if (text === '') return { ok: true, body: null };
  try {
    return { ok: true, body: JSON.parse(text) };
  } catch {
    return failure(
      EXIT.unavailable,
      `The program on ${url} is no plantgate gateway: its answer is not JSON. Check http.port.`,
    );
  }
}

const EXIT_OF_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.notPermitted,
  403: EXIT.notPermitted,
  409: EXIT.cannotCreate,
  413: EXIT.usage,
  429: EXIT.tryAgain,
  502: EXIT.unavailable,
  503: EXIT.unavailable,
  504: EXIT.unavailable,
};

function refused(status: number, text: string, what: string): CommandFailure {
  const answer = readBody(text, '');
  const body = answer.ok ? answer.body : null;
  const detail = errorsOf(body);
  const said = detail === '' ? '' : `: ${detail}`;
  const sentence =
    status === 401 || status === 403
      ? `The gateway refused the key of its data directory (${status})${said}.`
      : `The gateway answered ${status} to ${what}${said}.`;
  return { ...failure(EXIT_OF_STATUS[status] ?? EXIT.internal, sentence), refusal: { status, body } };
}

const MAX_DETAIL_LENGTH = 300;

/** The sentences of an `{errors:[…]}` body; empty for any other. */
function errorsOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return '';
  const { errors } = body;
  return Array.isArray(errors) ? errors.map(String).join('; ').slice(0, MAX_DETAIL_LENGTH) : '';
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `nothing came within ${timeoutMs / 1_000} s`;
  if (errorCode(error) === 'ECONNREFUSED') return 'no program listens there. Start it with "plantgate run"';
  return error.message;
}

/** Whether an address is one of this computer. */
function isOwnAddress(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.startsWith('127.')) return true;
  const bare = hostname.replace(/^\[|\]$/g, '');
  return Object.values(networkInterfaces()).some((entries) => entries?.some(({ address }) => address === bare));
}

function failure(exitCode: number, sentence: string): CommandFailure {
  return { ok: false, exitCode, sentence, refusal: null };
}
