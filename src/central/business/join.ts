import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DATABASE_FILE, SIDE_FILES } from '../../adapters/store/thread/database/database-files.ts';
import { CodedError } from '../../domain/error.ts';
import type { Log } from '../../flows/ports.ts';
import type { Store, StoredState } from '../../flows/store-ports.ts';
import type { CopiedUpTo } from './follower.ts';
import type { Journal, JournalEnd } from './journal.ts';
import { addCopy, type NodeCopies } from './node-copies.ts';

/** This node's own database. */
export interface OwnDatabase {
  readonly store: Pick<Store, 'write' | 'backUp' | 'journalPosition' | 'isUsed' | 'receivedGateways' | 'close'>;
  readonly restored: Pick<StoredState, 'setAside'>;
}

export interface JoinOptions {
  readonly dataDir: string;
  readonly open: () => Promise<OwnDatabase>;
  readonly journal: Journal;
  readonly copies: NodeCopies;
  readonly wallMs: () => number;
  readonly log: Log;
}

/**
 * Makes the node's own database a copy of the journal up to some place, from which it can be followed. Rejects with
 * `conflict` if the data directory has records of its own beside those of the journal.
 */
export async function joinJournal(options: JoinOptions): Promise<CopiedUpTo> {
  const end = await options.journal.begin(randomUUID());
  const own = await options.open();
  try {
    const position = await own.store.journalPosition();
    const isDamaged = own.restored.setAside !== null;
    const isNew = position === null || position.seq === 0;
    if (isNew && !isDamaged) return await beginCopy(own, position, end, options);
    const reason = isNew || isDamaged ? 'it was damaged' : await staleness(position, end, options);
    if (!isNew && reason === null) return position;
    options.log.warn({ reason }, "this node's copy of the journal is replaced");
  } finally {
    await own.store.close();
  }
  return replaceCopy(end, options);
}

/** The data directory has followed no write yet: it was no node before, or has just begun to be one. */
async function beginCopy(
  { store }: OwnDatabase,
  begun: CopiedUpTo | null,
  end: JournalEnd,
  options: JoinOptions,
): Promise<CopiedUpTo> {
  if (begun?.history === end.history) return begun;
  if ((await store.receivedGateways()).length > 0) {
    throw new CodedError(
      'conflict',
      `${options.dataDir} has records of gateways: move them with "plantgate central migrate" first`,
    );
  }
  const newest = await options.copies.newest();
  const isFirst = end.seq === 0 && newest === null;
  const isUsed = await store.isUsed();
  if (isUsed && !isFirst) {
    throw new CodedError(
      'conflict',
      `${options.dataDir} has records of its own, and so has the central database: start this node on an empty directory`,
    );
  }
  if (newest !== null) {
    await store.close();
    return replaceCopy(end, options);
  }
  if (!isUsed) return beginAt({ history: end.history, seq: 0, writeId: '' }, store, options);
  const own = await beginAt({ history: randomUUID(), seq: 0, writeId: '' }, store, options);
  await addCopy(store, own, options);
  return own;
}

async function beginAt(
  position: CopiedUpTo,
  store: Pick<Store, 'write'>,
  { wallMs }: Pick<JoinOptions, 'wallMs'>,
): Promise<CopiedUpTo> {
  await store.write([{ kind: 'journalPosition', ...position, run: '', at: wallMs() }]);
  return position;
}

/** The reason for which a copy cannot be continued; null: it can. */
async function staleness(position: CopiedUpTo, end: JournalEnd, { journal, copies }: JoinOptions) {
  if (position.history !== end.history) {
    throw new CodedError('conflict', 'the data directory belongs to another central database: use an empty directory');
  }
  if (position.seq > end.seq) return 'the central database was restored to an earlier time';
  const [entry] = await journal.entriesFrom(position.seq);
  if (entry?.seq === position.seq && entry.writeId === position.writeId) return null;
  const newest = await copies.newest();
  if (newest?.seq === position.seq && newest.writeId === position.writeId) return null;
  return 'the journal goes on from another place';
}

/** Takes the newest copy of another node, or begins with nothing. The database before stays beside it. */
async function replaceCopy(end: JournalEnd, options: JoinOptions): Promise<CopiedUpTo> {
  const { dataDir, copies, wallMs, log } = options;
  const database = path.join(dataDir, DATABASE_FILE);
  const copy = await copies.newest();
  const arriving = `${database}.arriving`;
  await rm(arriving, { force: true });
  if (copy !== null) await copies.fetch(copy, arriving);
  const kept = `${database}.replaced-${Math.round(wallMs())}`;
  for (const side of ['', ...SIDE_FILES]) await renameIfThere(`${database}${side}`, `${kept}${side}`);
  if (copy !== null) {
    await rename(arriving, database);
    log.info({ seq: copy.seq, kept }, 'this node begins with a copy from the central database');
    return { history: end.history, seq: copy.seq, writeId: copy.writeId };
  }
  const { store } = await options.open();
  try {
    return await beginAt({ history: end.history, seq: 0, writeId: '' }, store, options);
  } finally {
    await store.close();
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
