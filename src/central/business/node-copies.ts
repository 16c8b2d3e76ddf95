import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { DATABASE_FILE } from '../../adapters/store/thread/database/database-files.ts';
import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../../flows/ports.ts';
import type { Store } from '../../flows/store-ports.ts';
import type { Duty } from '../postgres/duty.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { CopiedUpTo, JournalFollower } from './follower.ts';

/** A part is a row; a copy is never whole in memory. */
const PART_BYTES = 1024 * 1024;
/** Copies that stay, the newest; a node may be reading the one before. */
const KEPT_COPIES = 2;
/** The journal before the oldest copy stays for this time, so that a node that was away goes on with its own copy. */
const KEPT_JOURNAL = '1 day';
/** A copy that was not finished in this time is removed. */
const UNFINISHED_FOR = '1 hour';
const LOOK_EVERY_MS = 60_000;
/** A new node reads at most about so much of the journal. */
const MAX_ROWS_BEHIND = 20_000;
const MAX_BYTES_BEHIND = 64 * 1024 * 1024;

export interface NodeCopy {
  readonly copyId: string;
  readonly seq: number;
  readonly writeId: string;
}

/** Copies of a node's database in PostgreSQL, from which new nodes begin, and which let the journal be short. */
export class NodeCopies {
  readonly #postgres: Postgres;
  readonly #plantId: string;

  constructor(postgres: Postgres, plantId: string) {
    this.#postgres = postgres;
    this.#plantId = plantId;
  }

  /** The newest whole copy, or null. */
  async newest(): Promise<NodeCopy | null> {
    const [copy] = await this.#postgres.query<NodeCopy>(
      `SELECT copy_id AS "copyId", seq, write_id AS "writeId" FROM central.journal_copy
       WHERE plant_id = $1 AND is_whole ORDER BY seq DESC, made_at DESC LIMIT 1`,
      [this.#plantId],
    );
    return copy ?? null;
  }

  /** Writes a copy into a new file. */
  async fetch({ copyId }: NodeCopy, file: string): Promise<void> {
    const handle = await open(file, 'wx', 0o600);
    try {
      for (let part = 0; ; part += 1) {
        const [row] = await this.#postgres.query<{ content: Buffer }>(
          'SELECT content FROM central.journal_copy_part WHERE plant_id = $1 AND copy_id = $2 AND part = $3',
          [this.#plantId, copyId, part],
        );
        if (row === undefined) break;
        await handle.write(row.content);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /**
   * Adds a file as a copy of everything up to a position. The first copy of all, at the place 0, gives the journal its name:
   * a node that has begun with nothing meanwhile begins again. Rejects with `conflict` if the journal has writes already.
   */
  async add(file: string, { history, seq, writeId }: CopiedUpTo): Promise<void> {
    const copyId = randomUUID();
    const key = [this.#plantId, copyId] as const;
    await this.#postgres.run(
      `INSERT INTO central.journal_copy (plant_id, copy_id, seq, write_id, made_at, bytes, is_whole)
       VALUES ($1, $2, $3, $4, clock_timestamp(), 0, false)`,
      [...key, seq, writeId],
    );
    const bytes = await this.#addParts(file, key);
    await this.#postgres.transact(async () => {
      if (seq === 0) await this.#rename(history);
      await this.#postgres.run(
        'UPDATE central.journal_copy SET is_whole = true, bytes = $3 WHERE plant_id = $1 AND copy_id = $2',
        [...key, bytes],
      );
    });
  }

  async #rename(history: string): Promise<void> {
    const text = 'UPDATE central.journal SET history = $2 WHERE plant_id = $1 AND seq = 0';
    if ((await this.#postgres.run(text, [this.#plantId, history])) > 0) return;
    throw new CodedError(
      'conflict',
      'another node has begun the journal meanwhile: start this one on an empty directory',
    );
  }

  /** Deletes what newer copies make needless. */
  async tidy(): Promise<void> {
    const key = [this.#plantId];
    await this.#postgres.run(
      `DELETE FROM central.journal_copy WHERE plant_id = $1 AND (
         (is_whole AND copy_id NOT IN (SELECT copy_id FROM central.journal_copy
           WHERE plant_id = $1 AND is_whole ORDER BY seq DESC, made_at DESC LIMIT ${KEPT_COPIES}))
         OR (NOT is_whole AND made_at < clock_timestamp() - interval '${UNFINISHED_FOR}'))`,
      key,
    );
    await this.#postgres.run(
      `DELETE FROM central.journal_copy_part AS part WHERE plant_id = $1 AND NOT EXISTS (
         SELECT FROM central.journal_copy AS copy WHERE copy.plant_id = $1 AND copy.copy_id = part.copy_id)`,
      key,
    );
    await this.#postgres.run(
      `DELETE FROM central.journal_entry WHERE plant_id = $1
         AND seq < (SELECT min(seq) FROM central.journal_copy WHERE plant_id = $1 AND is_whole)
         AND written_at < extract(epoch FROM clock_timestamp() - interval '${KEPT_JOURNAL}') * 1000`,
      key,
    );
  }

  /** Bytes, as they are stored, and rows of the journal behind the newest copy. */
  async journalBehind(): Promise<{ readonly rows: number; readonly bytes: number }> {
    const [sum] = await this.#postgres.query<{ rows: number; bytes: number }>(
      `SELECT count(*) AS rows, coalesce(sum(pg_column_size(records)), 0)::int8 AS bytes FROM central.journal_entry
       WHERE plant_id = $1 AND seq > coalesce(
         (SELECT max(seq) FROM central.journal_copy WHERE plant_id = $1 AND is_whole), 0)`,
      [this.#plantId],
    );
    return sum ?? { rows: 0, bytes: 0 };
  }

  async #addParts(file: string, [plantId, copyId]: readonly [string, string]): Promise<number> {
    const handle = await open(file, 'r');
    let bytes = 0;
    try {
      for (let part = 0; ; part += 1) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, bytes);
        if (bytesRead === 0) return bytes;
        bytes += bytesRead;
        await this.#postgres.run(
          'INSERT INTO central.journal_copy_part (plant_id, copy_id, part, content) VALUES ($1, $2, $3, $4)',
          [plantId, copyId, part, buffer.subarray(0, bytesRead)],
        );
      }
    } finally {
      await handle.close();
    }
  }
}

/** Adds a copy of the node's own database, which is at that position and stays there meanwhile. */
export async function addCopy(
  store: Pick<Store, 'backUp'>,
  position: CopiedUpTo,
  { dataDir, copies }: { readonly dataDir: string; readonly copies: NodeCopies },
): Promise<void> {
  const file = path.join(dataDir, `${DATABASE_FILE}.for-nodes`);
  await rm(file, { force: true });
  try {
    await store.backUp(file);
    await copies.add(file, position);
  } finally {
    await rm(file, { force: true });
  }
}

export interface KeepCopiesOptions {
  readonly dataDir: string;
  readonly own: Pick<Store, 'backUp'>;
  readonly copies: NodeCopies;
  readonly follower: JournalFollower;
  readonly duty: Pick<Duty, 'isOurs'>;
  readonly log: Log;
}

/** Adds a copy of this node's database when the journal has become long, and deletes what that makes needless. */
export async function keepCopies(
  { dataDir, own, copies, follower }: KeepCopiesOptions,
  { maxRows = MAX_ROWS_BEHIND } = {},
): Promise<void> {
  const { rows, bytes } = await copies.journalBehind();
  if (rows > maxRows || bytes > MAX_BYTES_BEHIND) {
    await follower.whileStill((position) => addCopy(own, position, { dataDir, copies }));
  }
  await copies.tidy();
}

/** The node with the duty looks each minute, until the function that this gives is called. */
export function startKeepingCopies(options: KeepCopiesOptions): () => void {
  let isBusy = false;
  const look = async () => {
    if (isBusy || !options.duty.isOurs) return;
    isBusy = true;
    await keepCopies(options).catch((error: unknown) =>
      options.log.warn({ error: errorMessage(error) }, 'no copy of the journal for new nodes could be made'),
    );
    isBusy = false;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
