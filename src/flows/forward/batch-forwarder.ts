import { isJsonObject, jsonValuesExceed, parseJsonObject } from '../../domain/json/json.ts';
import { type BatchAnswer, NOT_FOLLOWING } from '../../domain/sync/batch.ts';
import { centralWords } from '../../domain/sync/central-verdict.ts';
import type { ConnectionEvent } from '../../domain/sync/connection-states.ts';
import { NAME_TIMES } from '../../domain/sync/name-claim.ts';
import type { Clock, Incidents } from '../ports.ts';
import { discoverServer, SYNC_PATH } from './discover-server.ts';
import { type After, ForwardLoop } from './forward-loop.ts';
import type { OutgoingBatch, QueueTotals, SyncQueries, SyncRecord } from './sync-ports.ts';
import type { CentralServer } from './upstream-ports.ts';

export interface BatchForwarderOptions {
  readonly store: Pick<SyncQueries, 'outgoingBatch'> & {
    queueTotals(server: 'batch'): Promise<Pick<QueueTotals, 'stream'>>;
    write(records: readonly SyncRecord[]): Promise<void>;
  };
  readonly server: CentralServer;
  readonly clock: Clock;
  readonly after: After;
  readonly newId: () => string;
  /** The name under which batches are sent. */
  readonly gatewayId: string;
  readonly incidents: Incidents;
  readonly onConnection: (event: ConnectionEvent) => void;
  readonly onSent: (records: number) => void;
  /** At most this many records of the batch were refused and set aside at `at`. */
  readonly onRefused: (count: number, at: number) => void;
}

/** An empty queue is checked again after this time, or when it is woken. */
const IDLE_MS = 1_000;
const STORE_RETRY_MS = 1_000;
/** The machines come first: after a batch the queue rests as long as the batch took, though never longer than this. */
const MAX_REST_MS = 250;
/** A batch may hold a thousand records, each of which may be refused with a reason of kilobytes. */
const MAX_ANSWER_BYTES = 4 * 1_048_576;
/** The remedy for an answer 413. A proxy before the central server often gives it. */
const WHAT_TO_ALLOW =
  'the central server, or a proxy before it, takes no body of this size. ' +
  'Allow bodies of 9 MiB there (nginx: client_max_body_size 9m)';
/** JSON values in the answer to a batch. An answer with more is not read, because that would delay machines. */
const MAX_ANSWER_VALUES = 10_000;

/**
 * Sends all records to a server with the batch extension, one batch after the other (contract.md, Upstream; D-27). A
 * batch whose answer was lost is sent again byte for byte: by its digest the server sees whether it has it.
 */
export class BatchForwarder extends ForwardLoop {
  readonly #options: BatchForwarderOptions;
  /** The batch that was refused for its size last. */
  #tooLargeDigest: string | null = null;
  #saidAliveMs = Number.NEGATIVE_INFINITY;
  /** The stream is new, and nothing of it is acknowledged yet. */
  #isBegunAnew = false;

  constructor(options: BatchForwarderOptions) {
    super(options.after);
    this.#options = options;
  }

  protected override async turn(): Promise<number> {
    const begunMs = this.#options.clock.now().monotonicMs;
    try {
      const batch = await this.#options.store.outgoingBatch();
      if (batch !== null) {
        const waitMs = await this.#send(batch);
        await this.#rest(this.#options.clock.now().monotonicMs - begunMs);
        return waitMs;
      }
      this.#options.onConnection({ type: 'nothingWaits' });
      await this.#sayAlive();
      return IDLE_MS;
    } catch (error) {
      this.#report(`its answer could not be kept: ${String(error)}`);
      return STORE_RETRY_MS;
    }
  }

  /** A wake does not shorten this rest, unlike a wait between turns. */
  #rest(workedMs: number): Promise<void> {
    return new Promise((resolve) => this.#options.after(Math.min(workedMs, MAX_REST_MS), resolve));
  }

  /**
   * Tells the server that this gateway lives, although it has nothing to send. Otherwise another data directory could
   * take the gateway's name.
   */
  async #sayAlive(): Promise<void> {
    const { store, server, clock, gatewayId, onConnection } = this.#options;
    if (clock.now().monotonicMs - this.#saidAliveMs < NAME_TIMES.aliveEveryMs) return;
    const { stream } = await store.queueTotals('batch');
    if (stream === null) return;
    this.#saidAliveMs = clock.now().monotonicMs;
    onConnection(await discoverServer(server, { gatewayId, stream }));
  }

  async #send(batch: OutgoingBatch): Promise<number> {
    const { server, onConnection } = this.#options;
    this.#saidAliveMs = this.#options.clock.now().monotonicMs;
    const { body, digest } = batch;
    const request = { method: 'POST', path: SYNC_PATH, body, isGzip: true, operationId: digest } as const;
    const answer = await server.ask({ ...request, maxAnswerBytes: MAX_ANSWER_BYTES });
    if (answer.kind !== 'answered') {
      onConnection({ type: 'failed', detail: answer.detail });
      return IDLE_MS;
    }
    const text = answer.bytes.toString('utf8');
    const said = answer.status === 200 ? readAnswer(text) : null;
    if (said?.position === digest) return this.#acknowledged(batch, said);
    if (answer.status === 409 && saysNotFollowing(text)) return this.#restartStream(text);
    if (answer.status === 413) return this.#tooLarge(digest, text);
    const detail = `HTTP ${answer.status}${said === null ? centralWords(text) : ': it acknowledges another batch'}`;
    if (answer.status >= 400 && answer.status < 500) this.#report(`it refuses a batch: ${detail}`);
    const isAboutKeys = answer.status === 401 || answer.status === 403;
    onConnection({ type: isAboutKeys ? 'unauthorized' : 'failed', detail });
    return IDLE_MS;
  }

  async #acknowledged({ digest, records }: OutgoingBatch, { refused }: BatchAnswer): Promise<number> {
    const { store, clock, onConnection, onSent, onRefused } = this.#options;
    const at = Math.round(clock.now().wallMs);
    await store.write([{ kind: 'batchAcknowledged', digest, refused, at }]);
    this.#isBegunAnew = false;
    onConnection({ type: 'acknowledged' });
    onSent(records);
    if (refused.length > 0) onRefused(refused.length, at);
    return 0;
  }

  /** The next batch is smaller, if that is possible. If it is the same again, the connection waits. */
  async #tooLarge(digest: string, text: string): Promise<number> {
    const { store, clock, onConnection, onRefused } = this.#options;
    const at = Math.round(clock.now().wallMs);
    const reason = `HTTP 413${centralWords(text)}: ${WHAT_TO_ALLOW}`;
    const isAgain = digest === this.#tooLargeDigest;
    this.#tooLargeDigest = digest;
    await store.write([{ kind: 'batchTooLarge', digest, reason, at }]);
    this.#report(`it refuses a batch for its size; smaller ones follow if the records fit into them: ${reason}`);
    onRefused(1, at);
    if (isAgain) onConnection({ type: 'failed', detail: reason });
    return isAgain ? IDLE_MS : 0;
  }

  /**
   * The server's past and ours do not fit together: all unacknowledged records are sent again, but not at once if a new
   * stream is refused as well.
   */
  async #restartStream(text: string): Promise<number> {
    const { store, newId, onConnection } = this.#options;
    const stream = newId();
    await store.write([{ kind: 'streamRestarted', stream }]);
    this.#report(
      'it knows another past of this gateway: the data directory of one of the two was restored from a copy, or a second ' +
        `gateway runs on a copy of this one under the same gatewayId. The records that wait here are sent again, as stream ${stream}. ` +
        `Records that the central server lost when it was restored are not sent again. What it refused${centralWords(text)}`,
    );
    if (this.#isBegunAnew)
      onConnection({ type: 'failed', detail: `HTTP 409 to a new stream as well${centralWords(text)}` });
    const waitMs = this.#isBegunAnew ? IDLE_MS : 0;
    this.#isBegunAnew = true;
    return waitMs;
  }

  #report(detail: string): void {
    this.#options.incidents.report({ kind: 'upstream', subject: 'central server', detail });
  }
}

/** Whether the server itself refuses the batch. A proxy may answer 409 too, for an Idempotency-Key that it knows. */
function saysNotFollowing(text: string): boolean {
  if (jsonValuesExceed(text, MAX_ANSWER_VALUES)) return false;
  const errors = parseJsonObject(text)?.errors;
  return Array.isArray(errors) && errors.some((error) => typeof error === 'string' && error.startsWith(NOT_FOLLOWING));
}

function readAnswer(text: string): BatchAnswer | null {
  if (jsonValuesExceed(text, MAX_ANSWER_VALUES)) return null;
  const body = parseJsonObject(text);
  if (typeof body?.position !== 'string') return null;
  const refused = Array.isArray(body.refused) ? body.refused.filter(isRefusal) : [];
  return { position: body.position, isRepeated: body.isRepeated === true, refused };
}

function isRefusal(value: unknown): value is BatchAnswer['refused'][number] {
  return isJsonObject(value) && typeof value.seq === 'number' && typeof value.reason === 'string';
}
