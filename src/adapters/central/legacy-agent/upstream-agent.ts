import { setTimeout as wait } from 'node:timers/promises';
import { parseJsonObject } from '../../../domain/json/json.ts';
import { isPage } from '../../../domain/sync/central-verdict.ts';
import type { AgentRefusal } from '../../../domain/warehouse/refusals.ts';
import type { CentralAnswer, CentralRequest } from '../../../flows/forward/upstream-ports.ts';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../../flows/warehouse/warehouse-ports.ts';
import { HttpCentralServer, type HttpCentralServerOptions } from '../http-central-server.ts';
import { pathPart } from '../http-pool.ts';
import { LIMITS } from '../limits.ts';
import { NOT_THE_CALLERS_FAULT, oneLine } from './not-the-callers-fault.ts';

/**
 * The central server as the legacy agent (UP-04): a write-through is passed on to the server's own operation, with the
 * operator who was resolved here (D-31), and is done when the server says so. Each write has its operationId as
 * `Idempotency-Key`.
 */
export class UpstreamAgent implements LegacyAgent {
  readonly #server: HttpCentralServer;

  constructor(options: HttpCentralServerOptions) {
    this.#server = new HttpCentralServer(options);
  }

  async move(write: LegacyRequest): Promise<LegacyOutcome> {
    return outcomeOf(await this.#ask({ ...requestOf(write), operationId: write.operationId }));
  }

  async locate(coilId: string, { location, purpose }: LegacyRequest): Promise<LegacyLocation> {
    if (purpose.type === 'move') return this.#coil(coilId);
    const seen = await this.#look(coilId, location, purpose);
    if (seen.kind !== 'notSeen') return seen;
    // The server queues its changes of state, so that a read right after a change may show the former state
    // (interface.md).
    await wait(LIMITS.readLagMs);
    return this.#look(coilId, location, purpose);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #look(coilId: string, location: string, purpose: TaskPurpose): Promise<LegacyLocation> {
    const task = await this.#read(`/warehouseTasks/${pathPart(purpose.taskId)}`);
    if (task.kind === 'unreachable') return task;
    if (task.kind === 'absent' || !isDone(task.fields, purpose)) return { kind: 'notSeen' };
    const coil = await this.#coil(coilId);
    if (coil.kind === 'unreachable') return coil;
    return coil.kind === 'at' && coil.location === location ? { kind: 'carriedOut' } : { kind: 'notSeen' };
  }

  async #coil(coilId: string): Promise<LegacyLocation> {
    const coil = await this.#read(`/coils/${pathPart(coilId)}`);
    if (coil.kind !== 'read') return coil;
    const { location } = coil.fields;
    if (coil.fields.coilId === coilId && typeof location === 'string') return { kind: 'at', location };
    return { kind: 'unreachable', detail: 'an answer without the coil and its location' };
  }

  async #read(path: string): Promise<ReadRecord> {
    const result = await this.#ask({ method: 'GET', path });
    if (result.kind !== 'answered') return { kind: 'unreachable', detail: result.detail };
    const { status } = result;
    const text = result.bytes.toString('utf8');
    // A server that means another fault would not name the missing record.
    if (status === 404 && sentencesOf(text).some((sentence) => NO_SUCH.test(sentence))) return { kind: 'absent' };
    const fields = status === 200 ? parseJsonObject(text) : null;
    return fields === null ? { kind: 'unreachable', detail: `HTTP status ${status}` } : { kind: 'read', fields };
  }

  #ask(request: CentralRequest): Promise<CentralAnswer> {
    return this.#server.ask({ ...request, path: `/api/v1${request.path}` });
  }
}

type TaskPurpose = Exclude<LegacyRequest['purpose'], { type: 'move' }>;

type ReadRecord =
  | { readonly kind: 'read'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreachable'; readonly detail: string };

function requestOf({ coilId, location, purpose }: LegacyRequest): CentralRequest {
  if (purpose.type === 'move') {
    return { method: 'POST', path: `/coils/${pathPart(coilId)}/location`, body: JSON.stringify({ location }) };
  }
  const path = `/warehouseTasks/${pathPart(purpose.taskId)}/${purpose.type}`;
  if (purpose.type === 'cancel') return { method: 'POST', path, body: JSON.stringify({ coilId, location }) };
  return { method: 'POST', path, body: JSON.stringify({ location, userName: purpose.progress.userName }) };
}

function isDone({ taskState, selectedCoilId }: Readonly<Record<string, unknown>>, { type }: TaskPurpose): boolean {
  return type === 'complete' ? taskState === 'Complete' : taskState === 'Ready' && (selectedCoilId ?? null) === null;
}

const NOT_LICENSED = 'NotLicensedForMachineWarehouse';
const NO_SUCH = /^No (?:warehouse task|coil) with id/;

function outcomeOf(result: CentralAnswer): LegacyOutcome {
  if (result.kind === 'unsent') return { kind: 'offline', detail: result.detail };
  if (result.kind === 'unanswered') return { kind: 'unconfirmed', detail: result.detail };
  const { status } = result;
  const text = result.bytes.toString('utf8');
  if (status >= 200 && status < 300) {
    if (!isPage(text)) return { kind: 'applied' };
    // Another program answers in the server's place: the request did not reach the server (D-51).
    return { kind: 'offline', detail: 'the address answers with an HTML page, not with the API' };
  }
  const sentences = sentencesOf(text);
  const detail = [`the central server answered with HTTP status ${status}`, ...sentences].join(': ');
  // A redirect leads to an address that the request was not sent to.
  if (status < 400 || saysUnchanged(result) || isUndone(status, sentences)) return { kind: 'offline', detail };
  if (status === 408 || status >= 500) return { kind: 'unconfirmed', detail };
  return rejected(sentences, detail, meaningOf(status, sentences));
}

/** A plantgate says so in a header (interface.md, Warehouse tasks; D-55). */
function saysUnchanged({ status, headers }: Extract<CentralAnswer, { kind: 'answered' }>): boolean {
  return status === 503 && headers['plantgate-outcome'] === 'unchanged';
}

/** Whether the answer says that nothing was done, for a reason that is not the caller's fault. */
function isUndone(status: number, [first, ...more]: readonly string[]): boolean {
  // The server says so only if nothing changed (interface.md, Errors). A longer answer, or a 503 of another program,
  // may mean anything.
  if (status === 503) return first === 'AgentNotAvailable' && more.length === 0;
  return NOT_THE_CALLERS_FAULT.includes(status) && first !== NOT_LICENSED;
}

function meaningOf(status: number, [first = '']: readonly string[]): AgentRefusal['code'] {
  if (status === 403) return 'not-licensed';
  return status === 404 && NO_SUCH.test(first) ? 'not-found' : undefined;
}

function rejected(sentences: readonly string[], otherwise: string, code: AgentRefusal['code']): LegacyOutcome {
  const message = sentences.length === 0 ? otherwise : sentences.join('; ');
  return { kind: 'rejected', message, ...(sentences.length > 1 && { sentences }), ...(code !== undefined && { code }) };
}

/** The errors in the answer: `{errors: […]}`. */
function sentencesOf(text: string): readonly string[] {
  const errors = parseJsonObject(text)?.errors;
  const said: readonly unknown[] = Array.isArray(errors) ? errors.slice(0, LIMITS.sentences) : [];
  return said.flatMap((sentence) => oneLine(sentence) ?? []);
}
