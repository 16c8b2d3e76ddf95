import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Operation, QueuedOperation } from '../../src/domain/sync/operation.ts';
import { entityOf, machineEntity } from '../../src/domain/sync/operation.ts';
import type { StatusSample } from '../../src/domain/sync/status-sample.ts';
import type {
  OutgoingBatch,
  PointsPage,
  QueueHead,
  QueueTotals,
  SyncRecord,
} from '../../src/flows/forward/sync-ports.ts';
import type { SendMemory, UpstreamName, UpstreamRecord } from '../../src/flows/forward/upstream-ports.ts';

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
