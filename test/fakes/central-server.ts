import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

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

/**
 * A central server's state and the effects of its endpoints, by interface.md alone, and separate from the product's own
 * rules.
 */

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Known =
  | 'archived'
  | 'coilId'
  | 'documentID'
  | 'location'
  | 'machineId'
  | 'orderCode'
  | 'overrideReason'
  | 'revision'
  | 'selectedCoilId'
  | 'taskState'
  | 'unattainableCode'
  | 'userName'
  | 'description'
  | 'goodPart'
  | 'lineSpeed'
  | 'profileName'
  | 'salesOrder'
  | 'timestamp'
  | 'isComplete';
/** An unchanged record; the fields that are used here have names. */
type Fields = Record<string, unknown> & { [Name in Known]?: unknown };
type Query = URLSearchParams;

const SOURCE_STATES: Readonly<Record<string, readonly string[]>> = {
  ready: ['Pending', 'Ready', 'InProcess'],
  inProcess: ['Ready', 'InProcess'],
  inTransit: ['InProcess', 'InTransit'],
  complete: ['InTransit'],
  cancel: ['InProcess', 'InTransit'],
  unattainable: ['Pending', 'Ready', 'InProcess', 'InTransit'],
};

const ACCEPTED: Answer = { status: 202, body: null };
const DONE: Answer = { status: 200, body: null };

function refused(status: number, ...errors: readonly string[]): Answer {
  return { status, body: { errors } };
}

/** A report of one gateway to the device endpoints. */
interface DeviceReport {
  readonly machineId: string;
  readonly body: Fields;
}

export class CentralPlant {
  readonly tasks = new Map<string, Fields>();
  readonly coils = new Map<string, Fields>();
  readonly orders = new Map<string, Fields>();
  readonly profiles = new Map<string, Fields>();
  reasonCodes: readonly Fields[] = [];
  locations: readonly Fields[] = [];
  catalogs: readonly Fields[] = [{ catalogId: 1, name: 'Standard', isDefault: true }];
  readonly statuses: DeviceReport[] = [];
  readonly variables: DeviceReport[] = [];
  /** The name under which the summaries of orders are served, of the two possible ones (D-21). */
  summaryPath: 'orderSummary' | 'orderSummaries' = 'orderSummary';
  /** An order's row in the summary, as YAML. */
  summaryRow: (order: Fields) => string = ({ orderCode, documentID }) =>
    `- orderCode: ${JSON.stringify(orderCode ?? null)}\n  documentID: ${JSON.stringify(documentID ?? null)}\n`;
  /** The number of profiles in each answer, for any request; null for all of them each time. */
  profilesAtOnce: number | null = 1_000;
  /** The clock there. */
  wallMs: () => number = Date.now;
  /** The command to every device. */
  command: Fields = { runEnabled: true, attentionNeeded: false, message: null };

  /** Answers a request to a path below the base address; null if there is no such endpoint. */
  answer(method: string, path: string, query: Query, body: Fields): Answer | null {
    const [root = '', version = '', kind = '', id, operation] = path.split('/').slice(1).map(decodeURIComponent);
    if (`${root}/${version}` === 'api/device' && method === 'POST') return this.#device(kind, body);
    if (`${root}/${version}` !== 'api/v1') return null;
    if (kind === 'warehouseTasks') return this.#task(method, id, operation, query, body);
    if (kind === 'coils') return this.#coil(method, id, operation, query, body);
    if (kind === 'orders') return this.#order(method, id, body);
    if (kind === 'profiles') return this.#profile(method, id, query, body);
    if (kind === 'catalogs' && method === 'GET') return { status: 200, body: this.catalogs };
    return null;
  }

  #now(): string {
    return new Date(this.wallMs()).toISOString();
  }

  #device(kind: string, body: Fields): Answer | null {
    const machineId = String(body.machineId);
    if (kind === 'vars') {
      this.variables.push({ machineId, body });
      return DONE;
    }
    if (kind !== 'status') return null;
    this.statuses.push({ machineId, body });
    return { status: 200, body: { machineId, ...this.command, timestamp: this.#now() } };
  }

  #task(
    method: string,
    id: string | undefined,
    operation: string | undefined,
    query: Query,
    body: Fields,
  ): Answer | null {
    if (method === 'GET' && id === undefined) {
      const open = query.get('onlyIncomplete') === 'true';
      const tasks = [...this.tasks.values()].filter(({ taskState }) => !open || taskState !== 'Complete');
      return { status: 200, body: pageOf(tasks, query) };
    }
    if (method === 'GET' && id === 'reasonCodes') return { status: 200, body: this.reasonCodes };
    if (method === 'GET' && id === 'locations') return { status: 200, body: this.locations };
    const task = id === undefined ? undefined : this.tasks.get(id);
    if (task === undefined) return refused(404, `No warehouse task with id ${id}`);
    if (method === 'GET' && operation === undefined) return { status: 200, body: task };
    return method === 'POST' && operation !== undefined ? this.#operate(task, operation, body) : null;
  }

  #operate(task: Fields, operation: string, body: Fields): Answer {
    const from = SOURCE_STATES[operation];
    if (from === undefined) return refused(404, `No operation ${operation}`);
    const state = String(task.taskState);
    if (!from.includes(state)) return refused(400, `taskState: found ${state}, expected ${from.join(', ')}`);
    const userName = body.userName ?? task.userName ?? 'central';
    if (operation === 'ready') Object.assign(task, { taskState: 'Ready', userName: null, startedDate: null });
    if (operation === 'inProcess') Object.assign(task, { taskState: 'InProcess', userName });
    if (operation === 'inTransit') {
      Object.assign(task, { taskState: 'InTransit', userName, selectedCoilId: body.coilId });
      if (body.overrideReason !== undefined) task.overrideReason = body.overrideReason;
    }
    if (operation === 'unattainable') Object.assign(task, { unattainableReason: body.unattainableCode, userName });
    if (operation === 'complete') {
      this.#put(String(task.selectedCoilId), body.location);
      Object.assign(task, { taskState: 'Complete', userName });
    }
    if (operation === 'cancel') {
      this.#put(String(body.coilId), body.location);
      Object.assign(task, { taskState: 'Ready', selectedCoilId: null, overrideReason: null, userName: null });
    }
    return ACCEPTED;
  }

  #put(coilId: string, location: unknown): void {
    const coil = this.coils.get(coilId);
    if (coil !== undefined) coil.location = location;
  }

  #coil(
    method: string,
    id: string | undefined,
    operation: string | undefined,
    query: Query,
    body: Fields,
  ): Answer | null {
    if (method === 'GET' && id === undefined) {
      const all = query.get('includeComplete') === 'true';
      return {
        status: 200,
        body: pageOf(
          [...this.coils.values()].filter(({ isComplete }) => all || isComplete !== true),
          query,
        ),
      };
    }
    const coil = id === undefined ? undefined : this.coils.get(id);
    if (coil === undefined) return refused(404, `No coil with id ${id}`);
    if (method === 'GET' && operation === undefined) return { status: 200, body: coil };
    if (method !== 'POST' || operation !== 'location') return null;
    coil.location = body.location;
    return DONE;
  }

  #order(method: string, id: string | undefined, body: Fields): Answer | null {
    if (method === 'POST' && id === 'add') {
      const key = String(body.documentID ?? body.orderCode);
      this.orders.set(key, body);
      return { status: 200, body: `- orderCode: ${JSON.stringify(body.orderCode ?? null)}\n` };
    }
    if (method === 'GET' && id === this.summaryPath) {
      const rows = [...this.orders.values()].map(this.summaryRow);
      return { status: 200, body: rows.length === 0 ? '[]\n' : rows.join('') };
    }
    if (method !== 'DELETE' || id === undefined) return null;
    const found = this.orders.has(id) ? id : [...this.orders].find(([, order]) => order.orderCode === id)?.[0];
    if (found === undefined) return { status: 404, body: { code: '404', message: 'Not Found' } };
    this.orders.delete(found);
    return { status: 200, body: '[]\n' };
  }

  #profile(method: string, id: string | undefined, query: Query, body: Fields): Answer | null {
    if (method === 'GET' && id === undefined) {
      const listed = [...this.profiles.values()].filter(({ archived }) => archived !== true);
      return { status: 200, body: this.profilesAtOnce === null ? listed : pageOf(listed, query, this.profilesAtOnce) };
    }
    if (method === 'POST' && id === undefined) {
      const profileId = randomUUID();
      const now = this.#now();
      const stamps = { createdBy: 'gateway', createdDate: now, editedBy: 'gateway', editedDate: now };
      const profile = { owningCatalogId: 1, ...body, profileId, revision: 1, archived: false, ...stamps };
      this.profiles.set(profileId, profile);
      return { status: 200, body: profile };
    }
    const profile = id === undefined ? undefined : this.profiles.get(id);
    if (profile === undefined || id === undefined) return { status: 404, body: [`No profile with id ${id}`] };
    if (method === 'GET') return { status: 200, body: profile };
    if (method === 'PUT') {
      const next = { ...profile, ...body, profileId: id, revision: Number(profile.revision) + 1 };
      this.profiles.set(id, next);
      return { status: 200, body: next };
    }
    if (method !== 'DELETE') return null;
    profile.archived = true;
    return { status: 204, body: null };
  }
}

function pageOf(items: readonly Fields[], query: Query, most = Number.POSITIVE_INFINITY): readonly Fields[] {
  const skip = Number(query.get('skip') ?? 0);
  return items.slice(skip, skip + Math.min(most, Number(query.get('take') ?? 100)));
}

/** An HTTP server that can die at once, and come back on the same port. */
export class MortalServer {
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  constructor(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
    this.#answer = answer;
  }

  get port(): number {
    return this.#port;
  }

  /** Begins to listen, the second time on the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Dies with every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
