import type { IncomingMessage, ServerResponse } from 'node:http';
import { MortalServer } from './central-server.ts';

/** The manners of the agent: whether and when it carries out a write, and its answer. */
const MANNERS = {
  works: { does: 'now', answer: 200 },
  /** Both the write and the answer come after `slowMs`. */
  slow: { does: 'slowly', answer: 200 },
  rejects: { does: 'never', answer: 409 },
  fails: { does: 'never', answer: 500 },
  doesThenFails: { does: 'now', answer: 500 },
  /** Another program in its place, such as a login: 200 with a page. */
  showsAPage: { does: 'never', answer: 'page' },
  cuts: { does: 'never', answer: 'cut' },
  doesThenCuts: { does: 'now', answer: 'cut' },
  hangs: { does: 'never', answer: 'none' },
  doesThenHangs: { does: 'now', answer: 'none' },
  /** The write comes after `lateMs`, when all callers have given up. */
  doesLate: { does: 'late', answer: 'none' },
} as const;

const LATE_MS = 500;
const SLOW_MS = 500;

export type Manner = keyof typeof MANNERS;

interface WriteAsked {
  readonly coilId: string;
  readonly location: string;
  readonly operationId: string;
}

/**
 * A legacy agent with its ledger (contract.md, Legacy agent), on its own port, which behaves as badly as a test wants.
 */
export class LegacyAgentServer {
  readonly locations: Map<string, string>;
  /** Every write that came, in order. */
  readonly asked: WriteAsked[] = [];
  readonly looks: string[] = [];
  /** The manners of the next writes; after them `manner` counts. */
  readonly next: Manner[] = [];
  manner: Manner = 'works';
  /** Whether it answers questions for the location of coils. */
  answersLooks = true;
  lateMs = LATE_MS;
  slowMs = SLOW_MS;
  /** Called when a write came, before it is carried out. */
  onWrite: (write: WriteAsked) => void = () => undefined;
  readonly #done = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #server = new MortalServer((request, response) => this.#answer(request, response));

  constructor(locations: Readonly<Record<string, string>> = {}) {
    this.locations = new Map(Object.entries(locations));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/agent`;
  }

  /** Works normally from now on, and forgets earlier requests; its ledger stays. */
  behave(): void {
    this.manner = 'works';
    this.answersLooks = true;
    this.onWrite = () => undefined;
    this.lateMs = LATE_MS;
    this.slowMs = SLOW_MS;
    for (const list of [this.next, this.asked, this.looks]) list.length = 0;
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  /** Dies at once, with every connection; its ledger stays. */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, coil = '', isWrite] = /^\/agent\/coils\/([^/]+)(\/location)?$/.exec(request.url ?? '') ?? [];
    const coilId = decodeURIComponent(coil);
    if (request.method === 'PUT' && isWrite !== undefined) {
      const { location, operationId } = JSON.parse(await bodyOf(request));
      this.#write({ coilId, location, operationId }, response);
    } else {
      this.#look(coilId, response);
    }
  }

  #look(coilId: string, response: ServerResponse): void {
    this.looks.push(coilId);
    if (!this.answersLooks) return;
    const location = this.locations.get(coilId);
    if (location === undefined) send(response, 404, { message: `no coil ${coilId}` });
    else send(response, 200, { coilId, location });
  }

  #write(write: WriteAsked, response: ServerResponse): void {
    this.asked.push(write);
    this.onWrite(write);
    const chosen = this.next.shift() ?? this.manner;
    // A copy gets the no that an earlier copy got (contract.md, Legacy agent).
    const { does, answer } = MANNERS[this.#refused.has(write.operationId) ? 'rejects' : chosen];
    if (answer === 409) this.#refused.add(write.operationId);
    if (does === 'late') setTimeout(() => this.#do(write), this.lateMs);
    const act = () => {
      if (does === 'now' || does === 'slowly') this.#do(write);
      if (answer === 'cut') response.socket?.destroy();
      else if (answer === 'page') sendPage(response);
      else if (answer !== 'none') send(response, answer, { message: `coil ${write.coilId} is locked by the office` });
    };
    if (does === 'slowly') setTimeout(act, this.slowMs);
    else act();
  }

  /** Carries a write out once for each operationId, and not after a no to one of its copies. */
  #do({ coilId, location, operationId }: WriteAsked): void {
    if (this.#done.has(operationId) || this.#refused.has(operationId)) return;
    this.#done.add(operationId);
    this.locations.set(coilId, location);
  }
}

function sendPage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Sign in</title>');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
