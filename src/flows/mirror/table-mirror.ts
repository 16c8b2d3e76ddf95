import { MirrorFault, type MirrorFetch } from './mirror-fetch.ts';
import type {
  MachinePlace,
  MirrorChange,
  MirroredTable,
  MirrorQueries,
  PageRead,
  ReadingScope,
} from './mirror-ports.ts';

/** A page has at most this many records (interface.md, Warehouse tasks). */
const TAKE = 1_000;
/** A longer list counts as one that never ends. */
const MAX_PAGES = 1_200;
/** As many pages are asked for at each poll while the server says that all are unchanged. */
const MAX_UNCHANGED_PAGES = 10;
/** Tasks missing from the list that are asked for one by one. */
const MAX_UNLISTED = 20;

const PATHS: Readonly<Record<MirroredTable, string>> = {
  tasks: '/api/v1/warehouseTasks',
  coils: '/api/v1/coils',
};

export interface TableMirrorOptions {
  readonly fetch: MirrorFetch;
  readonly store: Pick<MirrorQueries, 'mirrorBegin' | 'mirrorPage' | 'mirrorUnlisted' | 'mirrorApply' | 'mirrorRecord'>;
  readonly machines: () => readonly MachinePlace[];
  readonly wallMs: () => number;
  readonly onRefused: (kind: MirroredTable, faults: readonly string[]) => void;
}

/** Mirrors tasks and coils, page by page. */
export class TableMirror {
  readonly #options: TableMirrorOptions;

  constructor(options: TableMirrorOptions) {
    this.#options = options;
  }

  /**
   * Reads a kind and writes what differs. `unlisted`: tasks that are incomplete here, and not in a list of incomplete ones.
   * `isCheap`: it took one page, or the few pages were unchanged. Only a `isWhole` reading tells which records are gone:
   * a server that is starting must not lose them in a few polls (losses.ts). Rejects with MirrorFault, and nothing was
   * changed.
   */
  async read(
    kind: MirroredTable,
    scope: ReadingScope,
    isWhole: boolean,
  ): Promise<MirrorChange & { readonly unlisted: readonly string[]; readonly isCheap: boolean }> {
    const { store, wallMs } = this.#options;
    await store.mirrorBegin(kind, scope);
    const { isComplete, isCheap } = await this.#readPages(kind, scope);
    const unlisted = scope === 'incomplete' ? await store.mirrorUnlisted(MAX_UNLISTED + 1) : [];
    const change = await store.mirrorApply(kind, wallMs(), isComplete && isWhole);
    return { ...change, unlisted, isCheap };
  }

  /** Reads one record again; false: the server does not have it. */
  async readOne(kind: MirroredTable, id: string): Promise<{ readonly isThere: boolean; readonly isChanged: boolean }> {
    const { fetch, store, machines } = this.#options;
    const fetched = await fetch.get(`${PATHS[kind]}/${encodeURIComponent(id.toWellFormed())}`, false);
    if (fetched.kind !== 'bytes') return { isThere: false, isChanged: false };
    return { isThere: true, isChanged: await store.mirrorRecord(kind, id, fetched.bytes, machines()) };
  }

  async #readPages(
    kind: MirroredTable,
    scope: ReadingScope,
  ): Promise<{ readonly isComplete: boolean; readonly isCheap: boolean }> {
    let skip = 0;
    let isUnchanged = true;
    for (let page = 0; page < MAX_PAGES; page++) {
      const read = await this.#readPage(kind, scope, skip);
      const isCheap = page <= 1 || (isUnchanged && page <= MAX_UNCHANGED_PAGES);
      // A server without pages gives the same answer again. If it is shorter than a page may be, it is the whole list.
      if (read.kind === 'repeated') return { isComplete: read.records < TAKE, isCheap };
      if (read.refused.length > 0) this.#options.onRefused(kind, read.refused);
      // A short page does not prove that the list ends, and a reading that counts as complete removes records.
      if (read.records === 0 || (scope === 'incomplete' && read.records < TAKE)) return { isComplete: true, isCheap };
      isUnchanged &&= read.isUnchanged;
      skip += read.records;
    }
    throw new MirrorFault(`${PATHS[kind]}: more than ${MAX_PAGES} pages`);
  }

  async #readPage(
    kind: MirroredTable,
    scope: ReadingScope,
    skip: number,
  ): Promise<Extract<PageRead, { kind: 'read' | 'repeated' }> & { readonly isUnchanged: boolean }> {
    const { fetch, store, machines } = this.#options;
    const filter = kind === 'coils' ? 'includeComplete=true' : `onlyIncomplete=${scope === 'incomplete'}`;
    const path = `${PATHS[kind]}?${filter}&skip=${skip}&take=${TAKE}`;
    let fetched = await fetch.get(path);
    if (fetched.kind === 'absent') throw new MirrorFault(`${path}: HTTP status 404`);
    let read = await store.mirrorPage(kind, fetched.kind === 'bytes' ? fetched.bytes : null, machines());
    if (read.kind === 'forgotten') {
      fetched = await fetch.get(path, false);
      read = await store.mirrorPage(kind, fetched.kind === 'bytes' ? fetched.bytes : null, machines());
    }
    if (read.kind === 'read' && fetched.kind === 'bytes') fetched.noteTaken();
    if (read.kind === 'read' || read.kind === 'repeated') return { ...read, isUnchanged: fetched.kind === 'unchanged' };
    throw new MirrorFault(`${path}: ${read.kind === 'fault' ? read.detail : 'an answer without a page'}`);
  }
}

export function isTooMany(unlisted: readonly string[]): boolean {
  return unlisted.length > MAX_UNLISTED;
}
