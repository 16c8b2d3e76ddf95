import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, CentralPlant } from './central-plant.ts';
import { MortalServer } from './mortal-server.ts';

/** Whether a request is carried out, and the answer to it. */
const MANNERS = {
  works: { does: true, answer: null },
  fails: { does: false, answer: 500 },
  doesThenFails: { does: true, answer: 500 },
  rejects: { does: false, answer: 400 },
  /** The answer for too low a role. */
  forbids: { does: false, answer: 403 },
  locksOut: { does: false, answer: 401 },
  throttles: { does: false, answer: 429 },
  cuts: { does: false, answer: 'cut' },
  doesThenCuts: { does: true, answer: 'cut' },
  /** Half of the answer, then the line is cut. */
  doesThenTruncates: { does: true, answer: 'truncated' },
  truncates: { does: false, answer: 'truncated' },
  hangs: { does: false, answer: 'none' },
  doesThenHangs: { does: true, answer: 'none' },
  talksNonsense: { does: false, answer: 'nonsense' },
  /** Another program answers in its place. */
  isBehindForbiddingPage: { does: false, answer: { status: 403, text: '<html>Blocked' } },
  isBehindMissingPage: { does: false, answer: { status: 404, text: '<html>Not Found' } },
  isBehindPlainText: { does: false, answer: { status: 404, text: 'default backend - 404' } },
  /** Its own answers that a record is missing. */
  missesWithoutWords: { does: false, answer: { status: 404, text: '' } },
  missesWithProblem: { does: false, answer: { status: 404, text: '{"type":"about:blank","title":"Not Found"}' } },
} as const;

export type CentralManner = keyof typeof MANNERS;

/** One unchanged request. `isDone` tells that it was carried out. */
export interface CentralRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly operationId: string | null;
  readonly isDone: boolean;
}

/**
 * A central server with the interface alone: it knows no Idempotency-Key and no batch extension, so a request that is
 * sent twice is done twice. It behaves as badly as a test wants.
 */
export class CentralServer {
  readonly plant = new CentralPlant();
  /** Every request that came, in order. */
  readonly requests: CentralRequest[] = [];
  /** The manners of the next writes; after them `manner` decides. */
  readonly next: CentralManner[] = [];
  manner: (method: string, path: string) => CentralManner = () => 'works';
  apiKey = 'central-key';
  delayMs = 0;
  /** Awaited after a write was carried out, or not, and before its answer. */
  beforeSaying: () => Promise<unknown> = async () => undefined;
  readonly #server = new MortalServer((request, response) => this.#receive(request, response));

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }

  /** The requests that changed data or should have. */
  get writes(): readonly CentralRequest[] {
    return this.requests.filter(({ method }) => method !== 'GET');
  }

  behave(): void {
    this.manner = () => 'works';
    this.next.length = 0;
    this.delayMs = 0;
    this.beforeSaying = async () => undefined;
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  /** Dies at once, with every connection; its data stay. */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === null) {
      response.destroy();
      return;
    }
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://central');
    const method = request.method ?? 'GET';
    const { does, answer } = MANNERS[this.#mannerOf(request, method, path)];
    const done = does ? this.plant.answer(method, path, searchParams, body) : null;
    const key = request.headers['idempotency-key'];
    const operationId = typeof key === 'string' ? key : null;
    this.requests.push({ method, path, body, operationId, isDone: done !== null && done.status < 300 });
    if (method !== 'GET') await this.beforeSaying();
    say(response, answer, done);
  }

  #mannerOf(request: IncomingMessage, method: string, path: string): CentralManner {
    const manner = (method === 'GET' ? undefined : this.next.shift()) ?? this.manner(method, path);
    return request.headers.authorization === `ApiKey ${this.apiKey}` ? manner : 'locksOut';
  }
}

type Said = (typeof MANNERS)[CentralManner]['answer'];

function say(response: ServerResponse, answer: Said, done: Answer | null): void {
  if (answer === 'none') return;
  if (answer === 'cut') response.socket?.destroy();
  else if (answer === 'truncated') truncate(response, done?.body);
  else if (answer === 'nonsense') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!');
  else if (typeof answer === 'object' && answer !== null) send(response, answer.status, answer.text);
  else if (answer !== null) send(response, answer, { errors: [`the central server says ${answer}`] });
  else if (done === null) send(response, 404, { errors: ['no such endpoint'] });
  else send(response, done.status, done.body);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': isText ? 'text/plain;charset=UTF-8' : 'application/json',
    ...(status === 429 && { 'retry-after': '1' }),
  });
  response.end(body === null ? undefined : isText ? body : JSON.stringify(body));
}

function truncate(response: ServerResponse, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) + 1 });
  response.write(text.slice(0, Math.floor(text.length / 2)), () => response.socket?.destroy());
}

/** Null if the line broke before the request was complete. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  try {
    let text = '';
    for await (const chunk of request) text += chunk;
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return null;
  }
}
