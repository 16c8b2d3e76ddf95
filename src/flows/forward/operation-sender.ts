import { parseJsonObject } from '../../domain/json/json.ts';
import { type CentralVerdict, centralVerdict, foreignAnswer, isOwnAbsence } from '../../domain/sync/central-verdict.ts';
import { type Expected, isMetByAbsence } from '../../domain/sync/expected.ts';
import type { Operation, QueuedOperation } from '../../domain/sync/operation.ts';
import { operationRequest, profilePath } from '../../domain/sync/operation-request.ts';
import { createdAtIn, profileIdIn } from '../../domain/sync/profile-match.ts';
import { isRepeatable, readingOf, type Settlement, settlement } from '../../domain/sync/settle-operation.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import { findProfile } from './read-profiles.ts';
import type { SettleQueries } from './settle-ports.ts';
import type { CentralAnswer, CentralServer, UpstreamName, UpstreamQueries, UpstreamRecord } from './upstream-ports.ts';

export interface OperationSenderOptions {
  readonly store: UpstreamQueries & { write(records: readonly UpstreamRecord[]): Promise<void> };
  readonly settling: SettleQueries;
  readonly server: CentralServer;
}

/** The outcome of sending a row. */
export type SendOutcome =
  /** It is done there; `records` are written together with the end of the row. */
  | { readonly kind: 'sent'; readonly records: readonly UpstreamRecord[] }
  | Exclude<CentralVerdict, { kind: 'taken' }>
  /** The server gave no answer to this row, and probably will give none to the next. */
  | { readonly kind: 'unreachable'; readonly detail: string };

const SENT: SendOutcome = { kind: 'sent', records: [] };
/** Bytes read of a profile, a list of profiles or a summary of orders. A longer answer is not searched, and nothing is guessed. */
const MAX_READ_BYTES = 16 * 1_048_576;
const TOO_LONG: SendOutcome = {
  kind: 'refused',
  reason: `the answer to this operation was lost, and what there is to read there is longer than ${MAX_READ_BYTES} bytes`,
};
/** New profiles of one name that may wait behind one another: more than are sent side by side. */
const MAX_WAITING_CREATIONS = 100;
/** Bytes of an answer that are searched for the server's own words. */
const MAX_WORDS_BYTES = 65_536;
/** The statuses of an unknown path or method. */
const UNKNOWN_THERE: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Carries operations out by the interface's own endpoints (D-26, D-30, D-31). The store knows that a row is being sent before it
 * is sent. If its answer was lost, by the network or by the end of the gateway, reading settles it before it is sent again,
 * unless doing it twice changes nothing.
 */
export class OperationSender {
  readonly #options: OperationSenderOptions;
  /** Our principal there, as the answer to our last new profile named it. */
  #principal: string | null = null;
  /** The ids there of profiles of ours that were named since the start; the store may not know them yet. */
  readonly #owners = new Map<string, string>();
  /** Profiles of one name are created one after the other, so that none takes the id of another for its own. */
  readonly #creations = new KeyedMutex('profile', MAX_WAITING_CREATIONS);

  constructor(options: OperationSenderOptions) {
    this.#options = options;
  }

  /** Rejects with the errors of the store. */
  async send(seq: number, queued: QueuedOperation): Promise<SendOutcome> {
    const profileId = profileIdOf(queued.act);
    const memory = await this.#options.store.sendMemory(seq, profileId);
    const { isBegun } = memory;
    const name = await this.#nameOf(queued.act, memory.name);
    if (typeof name === 'object' && name !== null) return name;
    const carryOut = () => this.#carryOut(seq, queued, name, isBegun);
    const isCreation = queued.act.type === 'profilePut' && name === null;
    return isCreation ? this.#creations.runExclusive(queued.act.profile.profileName, carryOut) : carryOut();
  }

  async #carryOut(seq: number, queued: QueuedOperation, name: string | null, isBegun: boolean): Promise<SendOutcome> {
    if (isBegun && !isRepeatable(queued.act)) {
      const settled = await this.#settle(queued, name);
      if (settled.kind !== 'undone') return settled;
    }
    if (!isBegun) await this.#options.store.write([{ kind: 'sendBegun', seq }]);
    const outcome = await this.#ask(queued, name);
    if (outcome.kind !== 'refused' || !isBegun) return outcome;
    // The first copy may have been carried out after we read, and then it is the reason of the refusal.
    const late = await this.#settle(queued, name);
    return late.kind === 'sent' ? late : outcome;
  }

  /** The profile's id there; null if it has none. A profile that was mirrored from there keeps its own id. */
  async #nameOf(operation: Operation, known: UpstreamName | null): Promise<string | null | SendOutcome> {
    const profileId = profileIdOf(operation);
    if (profileId === null) return null;
    if (known !== null && !known.isElsewhere) return known.upstreamId;
    if (known !== null) {
      const moved = await this.#nameAfterMove(profileId, known);
      if (moved !== null) return moved;
    }
    if (operation.type === 'profilePut' && operation.profile.revision === 1) return null;
    const answer = await this.#askFor(profilePath(profileId));
    if (readIn(answer) !== null) return profileId;
    return isNoName(answer) ? absenceIn(answer) : troubleIn(answer);
  }

  /** The name that it had at another address, if the record with that name was made at the same moment; else null. */
  async #nameAfterMove(
    profileId: string,
    { upstreamId, createdAt }: UpstreamName,
  ): Promise<string | null | SendOutcome> {
    const answer = await this.#askFor(profilePath(upstreamId));
    if (isNoName(answer)) return absenceIn(answer);
    const read = readIn(answer);
    if (read === null) return troubleIn(answer);
    if (createdAt === null || createdAt !== createdAtIn(parseJsonObject(read.bytes.toString('utf8')))) return null;
    await this.#options.store.write([{ kind: 'profileNamed', profileId, upstreamId, createdAt }]);
    return upstreamId;
  }

  async #ask({ act: operation, operationId }: QueuedOperation, name: string | null): Promise<SendOutcome> {
    const request = operationRequest(operation, name);
    if (request === null) return SENT;
    const answer = await this.#options.server.ask({ ...request, operationId });
    if (answer.kind !== 'answered') return { kind: 'unreachable', detail: answer.detail };
    // A missing record counts as removed.
    if (request.method === 'DELETE' && NOT_FOUND.has(answer.status)) return absenceIn(answer) ?? SENT;
    const verdict = verdictOf(answer);
    if (verdict.kind !== 'taken') return verdict;
    if (answer.extent === 'cutOff') return brokenOff(request.path);
    return operation.type === 'profilePut' && name === null ? this.#named(operation.profile.profileId, answer) : SENT;
  }

  #named(profileId: string, answer: Answered): SendOutcome {
    const record = answer.extent === 'whole' ? parseJsonObject(answer.bytes.toString('utf8')) : null;
    const upstreamId = profileIdIn(record);
    if (upstreamId === null) {
      return { kind: 'later', detail: 'the answer to a new profile has no id', forMs: null };
    }
    if (typeof record?.createdBy === 'string') this.#principal = record.createdBy;
    return this.#sentAs(profileId, upstreamId, createdAtIn(record));
  }

  #sentAs(profileId: string, upstreamId: string, createdAt: number | null): SendOutcome {
    this.#owners.set(upstreamId, profileId);
    return { kind: 'sent', records: [{ kind: 'profileNamed', profileId, upstreamId, createdAt }] };
  }

  async #settle(queued: QueuedOperation, name: string | null): Promise<SendOutcome | { readonly kind: 'undone' }> {
    const settled = await this.#read(queued, name);
    if (settled.kind === 'unknown') return { kind: 'refused', reason: settled.reason };
    if (settled.kind !== 'done') return settled;
    const profileId = profileIdOf(queued.act);
    const { upstreamProfileId: upstreamId } = settled;
    if (upstreamId === undefined || profileId === null) return SENT;
    return this.#sentAs(profileId, upstreamId, null);
  }

  async #read({ act: operation, at }: QueuedOperation, name: string | null): Promise<Settlement | SendOutcome> {
    const reading = readingOf(operation, name);
    const profileId = profileIdOf(operation);
    if (reading.of === 'profiles') {
      const sent = { content: reading.content, principal: this.#principal, at };
      const isTaken = (upstreamId: string) => (this.#owners.get(upstreamId) ?? profileId) !== profileId;
      return findProfile(sent, this.#options.settling, isTaken, (path) => this.#readPath(path));
    }
    const read = await (reading.of === 'path' ? this.#readPath(reading.path) : this.#readOrders(reading.query));
    return 'kind' in read ? read : settlement(operation, await this.#isThere(read, reading.expected));
  }

  async #isThere({ bytes }: Read, expected: Expected): Promise<boolean | null> {
    return bytes === null ? isMetByAbsence(expected) : this.#options.settling.isIn(bytes, expected);
  }

  /** Both names of the summary are tried (D-21). */
  async #readOrders(query: string): Promise<Read | SendOutcome> {
    const first = await this.#readPath(`/api/v1/orders/orderSummary${query}`, UNKNOWN_THERE);
    const isForeign = isDoubtful(first);
    if (!isForeign && ('kind' in first || first.bytes !== null)) return first;
    const second = await this.#readPath(`/api/v1/orders/orderSummaries${query}`, UNKNOWN_THERE);
    // The server itself did not answer to the first name, so it may have that one.
    return isForeign && 'bytes' in second && second.bytes === null ? first : second;
  }

  async #readPath(path: string, absent: ReadonlySet<number> = NOT_FOUND): Promise<Read | SendOutcome> {
    const answer = await this.#askFor(path);
    if (answer.kind !== 'answered') return troubleIn(answer);
    const { status, bytes, extent } = answer;
    if (absent.has(status)) return absenceIn(answer) ?? { bytes: null };
    const verdict = verdictOf(answer);
    if (verdict.kind === 'unauthorized' || verdict.kind === 'later') return verdict;
    if (status === 200 && extent === 'whole') return { bytes };
    if (status === 200 && extent === 'tooLong') return TOO_LONG;
    if (status === 200) return brokenOff(`GET ${path}`);
    const reason = `the answer to this operation was lost, and it cannot be read there: HTTP ${status}`;
    return { kind: 'refused', reason };
  }

  #askFor(path: string): Promise<CentralAnswer> {
    return this.#options.server.ask({ method: 'GET', path, maxAnswerBytes: MAX_READ_BYTES });
  }
}

/** The unchanged answer; null if there is no such record. */
interface Read {
  readonly bytes: Uint8Array | null;
}

type Answered = Extract<CentralAnswer, { kind: 'answered' }>;

const NOT_FOUND: ReadonlySet<number> = new Set([404]);
/** The statuses for an unknown id: the record has another id there, or is gone. */
const NO_NAMES: ReadonlySet<number> = new Set([400, 404, 410]);

export function verdictOf(answer: Answered): CentralVerdict {
  const retryAfter = answer.headers['retry-after'];
  return centralVerdict(answer.status, wordsIn(answer), typeof retryAfter === 'string' ? retryAfter : null);
}

function wordsIn({ bytes }: Answered): string {
  return bytes.subarray(0, MAX_WORDS_BYTES).toString('utf8');
}

/** An answer that breaks off does not count as a confirmation, because it may come from another program. */
export function brokenOff(request: string): Extract<SendOutcome, { kind: 'unreachable' }> {
  return { kind: 'unreachable', detail: `${request}: an answer that was cut off` };
}

/** A record that the server itself gave whole; null if the answer is not one. */
function readIn(answer: CentralAnswer): Answered | null {
  const isWhole = answer.kind === 'answered' && answer.status === 200 && answer.extent === 'whole';
  return isWhole && verdictOf(answer).kind === 'taken' ? answer : null;
}

function isNoName(answer: CentralAnswer): answer is Answered {
  return answer.kind === 'answered' && NO_NAMES.has(answer.status);
}

/** Null if an answer that there is no such record is the server's own. */
function absenceIn(answer: Answered): SendOutcome | null {
  if (answer.extent === 'cutOff') return brokenOff(`HTTP ${answer.status}`);
  const text = wordsIn(answer);
  return isOwnAbsence(text) ? null : foreignAnswer(answer.status, text);
}

/** Whether another program may have answered in the server's place. */
function isDoubtful(read: Read | SendOutcome): boolean {
  return 'kind' in read && read.kind === 'later' && read.doubtsServer === true;
}

function troubleIn(answer: CentralAnswer): SendOutcome {
  if (answer.kind !== 'answered') return { kind: 'unreachable', detail: answer.detail };
  const verdict = verdictOf(answer);
  if (verdict.kind !== 'taken') return verdict;
  return { kind: 'later', detail: `HTTP ${answer.status} to a question`, forMs: null };
}

function profileIdOf(operation: Operation): string | null {
  if (operation.type === 'profilePut') return operation.profile.profileId;
  return operation.type === 'profileArchived' ? operation.profileId : null;
}
