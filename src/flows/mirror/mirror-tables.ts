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
   * Rejects with MirrorFault, and nothing was changed.
   */
  async read(
    kind: MirroredTable,
    scope: ReadingScope,
  ): Promise<MirrorChange & { readonly unlisted: readonly string[] }> {
    const { store, wallMs } = this.#options;
    await store.mirrorBegin(kind, scope);
    const isComplete = await this.#readPages(kind, scope);
    const unlisted = scope === 'incomplete' ? await store.mirrorUnlisted(MAX_UNLISTED + 1) : [];
    const change = await store.mirrorApply(kind, wallMs(), isComplete && scope === 'all');
    return { ...change, unlisted };
  }

  /** Reads one record again; false: the server does not have it. */
  async readOne(kind: MirroredTable, id: string): Promise<{ readonly isThere: boolean; readonly isChanged: boolean }> {
    const { fetch, store, machines } = this.#options;
    const fetched = await fetch.get(`${PATHS[kind]}/${encodeURIComponent(id.toWellFormed())}`, false);
    if (fetched.kind !== 'bytes') return { isThere: false, isChanged: false };
    return { isThere: true, isChanged: await store.mirrorRecord(kind, id, fetched.bytes, machines()) };
  }

  /** Gives whether the reading was complete. */
  async #readPages(kind: MirroredTable, scope: ReadingScope): Promise<boolean> {
    let skip = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const read = await this.#readPage(kind, scope, skip);
      // A server without pages gives the same answer again. If it is shorter than a page may be, it is the whole list.
      if (read.kind === 'repeated') return read.records < TAKE;
      if (read.refused.length > 0) this.#options.onRefused(kind, read.refused);
      // A short page does not prove that the list ends, and a reading that counts as complete removes records.
      if (read.records === 0 || (scope === 'incomplete' && read.records < TAKE)) return true;
      skip += read.records;
    }
    throw new MirrorFault(`${PATHS[kind]}: more than ${MAX_PAGES} pages`);
  }

  async #readPage(
    kind: MirroredTable,
    scope: ReadingScope,
    skip: number,
  ): Promise<Extract<PageRead, { kind: 'read' | 'repeated' }>> {
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
    if (read.kind === 'read' || read.kind === 'repeated') return read;
    throw new MirrorFault(`${path}: ${read.kind === 'fault' ? read.detail : 'an answer without a page'}`);
  }
}

export function isTooMany(unlisted: readonly string[]): boolean {
  return unlisted.length > MAX_UNLISTED;
}
