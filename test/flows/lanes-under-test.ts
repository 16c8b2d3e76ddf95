import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { HttpCentralServer } from '../../src/adapters/central/http-central-server.ts';
import { settling } from '../../src/adapters/store/thread/forwarding/settling.ts';
import { machineId } from '../../src/domain/machine/machine-names.ts';
import { createdProfile } from '../../src/domain/profile/library.ts';
import type { ConnectionEvent } from '../../src/domain/sync/connection-states.ts';
import { entityOf, machineEntity, type Operation, type QueuedOperation } from '../../src/domain/sync/operation.ts';
import type { StatusSample } from '../../src/domain/sync/status-sample.ts';
import { EntityForwarder, type RefusedRow } from '../../src/flows/forward/entity-forwarder.ts';
import { OperationSender } from '../../src/flows/forward/operation-sender.ts';
import type {
  OutgoingBatch,
  PointsPage,
  QueueHead,
  QueueTotals,
  SyncRecord,
} from '../../src/flows/forward/sync-ports.ts';
import type { SendMemory, UpstreamName, UpstreamRecord } from '../../src/flows/forward/upstream-ports.ts';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../src/flows/warehouse/warehouse-ports.ts';
import { PROFILE_CONTENT } from '../domain/profile/any-profile.ts';
import { CentralServer } from '../fakes/central-server.ts';

/**
 * Queues for a central server with the interface alone, made for each test by `useLanes`; `begin` starts them like a
 * gateway.
 */

export let central: CentralServer;
export let server: HttpCentralServer;
export let queue: QueueInMemory;
export let events: ConnectionEvent[];
export let refused: RefusedRow[];
export let incidents: string[];
export let commands: string[];
export let entityQueues: EntityForwarder;
let skippedMs = 0;

/** Moves the queues' clock on at once. */
export function skip(durationMs: number): void {
  skippedMs += durationMs;
  entityQueues.wake();
}

export function inProcess(taskId: string, userName: string): Operation {
  return { type: 'taskOperation', taskId, operation: { type: 'inProcess', userName } };
}

export function inTransit(taskId: string, coilId: string, userName: string): Operation {
  return { type: 'taskOperation', taskId, operation: { type: 'inTransit', coilId, overrideReason: null, userName } };
}

export function order(documentID: string, isNew = true): Operation {
  const json = JSON.stringify({ documentID, orderCode: `code of ${documentID}`, action: 'Put', products: [] });
  return { type: 'orderPut', orderKey: `documentID ${documentID}`, json, isNew };
}

export function profile(profileId: string, profileName = 'Z 200', revision = 1): Operation {
  const edit = { principal: 'office', date: new Date().toISOString() };
  return {
    type: 'profilePut',
    profile: { ...createdProfile(profileId, { ...PROFILE_CONTENT, profileName }, edit), revision },
  };
}

export function status(id: string, goodPart: number) {
  const named = machineId(id);
  if (named === null) throw new Error(`${id} is no machine id`);
  return { machineId: named, at: goodPart, why: 'change', json: JSON.stringify({ machineId: id, goodPart }) } as const;
}

/** Longer than a busy machine takes, so that no answer is wrongly taken as lost. */
const PATIENT_MS = 800;
/** The time limit for tests in which answers are lost on purpose. */
export const IMPATIENT_MS = 120;

export function ask(timeoutMs: number): void {
  server = new HttpCentralServer({ url: central.url, apiKey: central.apiKey, timeoutMs });
}

/** Gives each test queues of its own. A file of tests calls it once. */
export function useLanes(): void {
  beforeEach(openLanes);
  afterEach(closeLanes);
}

async function openLanes(): Promise<void> {
  central = new CentralServer();
  for (const taskId of ['T-1', 'T-2', 'T-3']) central.plant.tasks.set(taskId, { taskId, taskState: 'Ready' });
  central.plant.coils.set('C-1', { coilId: 'C-1', location: 'WH-A1' });
  await central.start();
  ask(PATIENT_MS);
  queue = new QueueInMemory();
  events = [];
  refused = [];
  incidents = [];
  commands = [];
  begin();
}

async function closeLanes(): Promise<void> {
  entityQueues.pause();
  await entityQueues.settled();
  await server.close();
  await central.stop();
}

/** Starts the queues like a gateway: memory is empty, and the disk is kept. */
export function begin(): void {
  entityQueues = new EntityForwarder({
    store: queue,
    server,
    operations: new OperationSender({ store: queue, settling: settling(queue), server }),
    clock: { now: () => ({ monotonicMs: performance.now() + skippedMs, wallMs: Date.now() }) },
    after: (delayMs, act) => {
      // Retries come soon, so that tests need not wait for them.
      const timer = setTimeout(act, Math.min(delayMs, 20));
      return () => clearTimeout(timer);
    },
    incidents: { report: ({ detail }) => incidents.push(detail) },
    onConnection: (event) => {
      events.push(event);
      if (event.type === 'failed') entityQueues.pause();
    },
    onSent: () => undefined,
    onRefused: (row) => refused.push(row),
    onCommand: (_, command) => commands.push(command),
  });
}

export async function drained(): Promise<void> {
  await vi.waitFor(
    () => {
      entityQueues.start();
      entityQueues.wake(true);
      expect(queue.rows).toEqual([]);
    },
    { timeout: 20_000, interval: 10 },
  );
  await entityQueues.settled();
}

/** The requests that were carried out there, as `method path`. */
export function done(): readonly string[] {
  return central.writes.filter(({ isDone }) => isDone).map(({ method, path }) => `${method} ${path}`);
}

interface Row {
  readonly seq: number;
  readonly entity: string;
  readonly item: QueueHead['item'];
}

/** The queue behind its ports, in memory, for tests of forwarding without a disk. */
export class QueueInMemory {
  rows: Row[] = [];
  readonly setAside: { readonly entity: string; readonly reason: string }[] = [];
  readonly sent: number[] = [];
  readonly begun = new Set<number>();
  readonly names = new Map<string, UpstreamName>();
  readonly condensedBefore: number[] = [];
  readonly acknowledged: string[] = [];
  pages: PointsPage[] = [];
  readonly pointsSent: number[] = [];
  readonly pointsHeld: number[] = [];
  stream = 'stream-1';
  isDown = false;
  /** Records in a batch after one was refused for its size. */
  largestBatch = Number.POSITIVE_INFINITY;
  #open: (OutgoingBatch & { readonly upTo: number }) | null = null;
  #maxRecords = Number.POSITIVE_INFINITY;
  #previous = '';
  #seq = 0;

  act(act: Operation, operationId = `op-${this.#seq + 1}`, at = 1_000): QueuedOperation {
    const queued = { operationId, at, principal: 'office', act };
    this.#add(entityOf(act), { kind: 'act', queued });
    return queued;
  }

  status(sample: StatusSample): void {
    this.#add(machineEntity(sample.machineId), { kind: 'status', sample });
  }

  async write(records: readonly (SyncRecord | UpstreamRecord)[]): Promise<void> {
    if (this.isDown) throw new Error('the disk is full');
    for (const record of records) this.#write(record);
  }

  async queueHeads(except: readonly string[], limit: number): Promise<readonly QueueHead[]> {
    const oldest = new Map<string, Row>();
    for (const row of this.rows) {
      if (!except.includes(row.entity) && !oldest.has(row.entity)) oldest.set(row.entity, row);
    }
    return [...oldest.values()].slice(0, limit).map((row) => ({ ...row, at: 0 }));
  }

  async outgoingBatch(): Promise<OutgoingBatch | null> {
    const rows = this.rows.slice(0, this.#maxRecords);
    const last = rows.at(-1);
    if (this.#open !== null || last === undefined) return this.#open;
    const records = rows.map(({ seq, item }) => ({ seq, ...item }));
    const body = { version: 1, gatewayId: 'gate', stream: this.stream, previous: this.#previous, records, points: [] };
    const json = JSON.stringify(body);
    const digest = createHash('sha256').update(json).digest('hex');
    this.#open = { digest, body: Uint8Array.from(gzipSync(json)), records: records.length, upTo: last.seq };
    return this.#open;
  }

  async queueTotals(): Promise<Pick<QueueTotals, 'stream'>> {
    return { stream: this.acknowledged.length === 0 ? null : this.stream };
  }

  async pointsPage(): Promise<PointsPage | null> {
    return this.pages[0] ?? null;
  }

  async sendMemory(seq: number, profileId: string | null): Promise<SendMemory> {
    const name = profileId === null ? null : (this.names.get(profileId) ?? null);
    return { isBegun: this.begun.has(seq), name };
  }

  ownOf(upstreamId: string): string | null {
    return [...this.names].find(([, name]) => name.upstreamId === upstreamId)?.[0] ?? null;
  }

  #add(entity: string, item: QueueHead['item']): void {
    this.#seq += 1;
    this.rows.push({ seq: this.#seq, entity, item });
  }

  #write(record: SyncRecord | UpstreamRecord): void {
    switch (record.kind) {
      case 'rowsSent':
        this.sent.push(...record.seqs);
        this.rows = this.rows.filter(({ seq }) => !record.seqs.includes(seq));
        break;
      case 'rowSetAside': {
        const row = this.rows.find(({ seq }) => seq === record.seq);
        this.setAside.push({ entity: row?.entity ?? '?', reason: record.reason });
        this.rows = this.rows.filter(({ seq }) => seq !== record.seq);
        break;
      }
      case 'sendBegun':
        this.begun.add(record.seq);
        break;
      case 'profileNamed':
        this.names.set(record.profileId, { ...record, isElsewhere: false });
        break;
      case 'statusesCondensed':
        this.condensedBefore.push(record.before);
        break;
      default:
        this.#writeBatch(record);
    }
  }

  #writeBatch(record: SyncRecord | UpstreamRecord): void {
    if (record.kind === 'pointsSent') {
      this.pointsSent.push(...record.rows);
      this.pages = this.pages.slice(1);
    }
    if (record.kind === 'pointsHeld') {
      this.pointsHeld.push(...record.rows);
    }
    if (record.kind === 'batchAcknowledged' && this.#open?.digest === record.digest) {
      const { upTo } = this.#open;
      this.acknowledged.push(record.digest);
      this.rows = this.rows.filter(({ seq }) => seq > upTo);
      this.#previous = record.digest;
      this.#open = null;
    }
    if (record.kind === 'batchTooLarge') {
      this.#maxRecords = this.largestBatch;
      this.#open = null;
    }
    if (record.kind === 'streamRestarted') {
      this.stream = record.stream;
      this.#previous = '';
      this.#open = null;
    }
  }
}

type Script = readonly (LegacyOutcome | LegacyLocation)[];

/** An agent that gives the set answers in order, and notes the requests. */
export class ScriptedAgent implements LegacyAgent {
  readonly asked: string[] = [];
  #script: (LegacyOutcome | LegacyLocation)[];

  constructor(...script: Script) {
    this.#script = [...script];
  }

  say(...script: Script): void {
    this.#script.push(...script);
  }

  async move({ coilId, location, operationId }: LegacyRequest): Promise<LegacyOutcome> {
    this.asked.push(`move ${coilId} to ${location} as ${operationId}`);
    const answer = this.#script.shift();
    if (answer === undefined || isSight(answer)) {
      throw new Error(`no answer to a move in the script: ${JSON.stringify(answer)}`);
    }
    return answer;
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    this.asked.push(`locate ${coilId}`);
    const answer = this.#script.shift();
    if (answer !== undefined && isSight(answer)) return answer;
    throw new Error(`no answer to a look in the script: ${JSON.stringify(answer)}`);
  }

  async close(): Promise<void> {
    this.asked.push('close');
  }
}

const SIGHTS: readonly string[] = ['at', 'absent', 'unreachable', 'carriedOut', 'notSeen'];

function isSight(answer: LegacyOutcome | LegacyLocation): answer is LegacyLocation {
  return SIGHTS.includes(answer.kind);
}

export const APPLIED = { kind: 'applied' } as const;
export const REJECTED = { kind: 'rejected', message: 'coil is locked' } as const;
export const OFFLINE = { kind: 'offline', detail: 'connection refused' } as const;
export const FAILED = { kind: 'failed', detail: 'HTTP status 500' } as const;
export const UNCONFIRMED = { kind: 'unconfirmed', detail: 'no answer in time' } as const;
export const UNREACHABLE = { kind: 'unreachable', detail: 'no answer in time' } as const;
export const CARRIED_OUT = { kind: 'carriedOut' } as const;
export const NOT_SEEN = { kind: 'notSeen' } as const;
export const ABSENT = { kind: 'absent' } as const;
export const at = (location: string) => ({ kind: 'at', location }) as const;
