import { CodedError, type Fault, invalidInput, noSuch, tooMany } from '../../domain/error.ts';
import {
  type EntryKind,
  FILE_KINDS,
  type FileEntries,
  type FileKind,
  MAX_FILE_RECORDS,
  MAX_RECORDS,
  ofEachFileKind,
  type PlantFile,
} from '../../domain/plant/plant-entry.ts';
import type { WarehousePlantQueries, WarehouseSeed } from '../warehouse/warehouse-ports.ts';
import type { Plant } from './plant.ts';
import type { PlantDifference } from './plant-difference.ts';
import type { LoadOutcome, PlantPorts } from './plant-ports.ts';

/** Plant loads under way. One more is answered with 429. */
const MAX_OPEN_LOADS = 4;
const UNTIL_ANOTHER_ENDS = 'try again when another load has ended';
/** A larger plant load is answered with 413. All loads under way together have the same bound; beyond it the answer is 429. */
const MAX_LOAD_BYTES = 64 * 1024 * 1024;
/** The maximum time between two pieces: the sender needs a moment for each. */
const MAX_IDLE_MS = 60_000;
/** The number of changes or faults in an answer: a person does not read thousands. */
const MAX_TOLD = 1_000;

/** A file may name more coils and tasks than it changes. */
const MAX_NAMED: typeof MAX_FILE_RECORDS = { ...MAX_FILE_RECORDS, ...MAX_RECORDS };

export interface PlantLoadOptions {
  readonly plant: Pick<Plant, 'applyFile' | 'diff'>;
  readonly store: Pick<WarehousePlantQueries, 'seedChanges'>;
  readonly shapes: PlantPorts['shapes'];
  readonly newId: () => string;
}

type Entries = { readonly [Kind in FileKind]: FileEntries[Kind][] };

/** The part of one file that has arrived. Only coils and tasks that change something are kept. */
interface Load {
  readonly entries: Entries;
  /** The places of the kept entries in the file. */
  readonly places: Readonly<Record<FileKind, number[]>>;
  readonly named: Record<FileKind, number>;
  bytes: number;
  timer: NodeJS.Timeout;
}

/** Plant files in pieces (`plantgate apply`): a file of megabytes is neither one body nor one turn of the loop. */
export class PlantLoadFlow {
  readonly #options: PlantLoadOptions;
  readonly #loads = new Map<string, Load>();
  /** Finished loads that are being applied. */
  readonly #applied = new Set<Load>();

  constructor(options: PlantLoadOptions) {
    this.#options = options;
  }

  /** Gives the id of a new load, which is forgotten if no piece comes for a while. */
  begin(): string {
    if (this.#loads.size + this.#applied.size >= MAX_OPEN_LOADS) {
      throw tooMany('plant loads', MAX_OPEN_LOADS, UNTIL_ANOTHER_ENDS);
    }
    const loadId = this.#options.newId();
    this.#loads.set(loadId, { ...emptyLoad(), timer: this.#expiry(loadId) });
    return loadId;
  }

  /** Adds records of a kind, of about this size, behind those it has; the load ends if they are refused. */
  async add(loadId: string, kind: EntryKind, records: readonly unknown[], bytes: number): Promise<void> {
    const load = this.#find(loadId);
    clearTimeout(load.timer);
    load.timer = this.#expiry(loadId);
    try {
      await this.#take(load, kind, records, bytes);
    } catch (error) {
      // Without this piece the file is incomplete.
      this.discard(loadId);
      throw error;
    }
  }

  /** Adds orders to a load, each as a JSON text. */
  addOrders(loadId: string, texts: readonly string[]): void {
    const load = this.#find(loadId);
    clearTimeout(load.timer);
    load.timer = this.#expiry(loadId);
    try {
      this.#hold(
        load,
        texts.reduce((sum, text) => sum + text.length, 0),
      );
      for (const text of texts) load.places.orders.push(load.entries.orders.push(text) - 1);
      load.named.orders += texts.length;
      refuseMore('orders', load.named.orders, MAX_NAMED.orders, 'records');
    } catch (error) {
      this.discard(loadId);
      throw error;
    }
  }

  /** Applies it in a principal's name, or lists the changes (`dryRun`). The load ends with it. */
  async finish(loadId: string, dryRun: boolean, principal: string): Promise<LoadOutcome> {
    const load = this.#find(loadId);
    this.discard(loadId);
    this.#applied.add(load);
    const file: PlantFile = load.entries;
    try {
      const { plant } = this.#options;
      return outcomeOf(load, await (dryRun ? plant.diff(file) : plant.applyFile(file, principal)));
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'invalid-input') throw error;
      throw invalidInput(error.faults.slice(0, MAX_TOLD).map((fault) => inFile(fault, load)));
    } finally {
      this.#applied.delete(load);
    }
  }

  discard(loadId: string): void {
    clearTimeout(this.#loads.get(loadId)?.timer);
    this.#loads.delete(loadId);
  }

  #find(loadId: string): Load {
    const load = this.#loads.get(loadId);
    if (load === undefined) throw noSuch('plant load', loadId, 'it may have waited too long, so begin again');
    return load;
  }

  #hold(load: Load, bytes: number): void {
    load.bytes += bytes;
    if (load.bytes > MAX_LOAD_BYTES) {
      throw new CodedError('too-large', `plant load: found ${load.bytes} bytes, expected at most ${MAX_LOAD_BYTES}`);
    }
    const allBytes = [...this.#loads.values(), ...this.#applied].reduce((sum, one) => sum + one.bytes, 0);
    if (allBytes <= MAX_LOAD_BYTES) return;
    throw tooMany('bytes of plant loads', MAX_LOAD_BYTES, UNTIL_ANOTHER_ENDS);
  }

  #expiry(loadId: string): NodeJS.Timeout {
    return setTimeout(() => this.#loads.delete(loadId), MAX_IDLE_MS).unref();
  }

  async #take(load: Load, kind: EntryKind, records: readonly unknown[], bytes: number): Promise<void> {
    this.#hold(load, bytes);
    const first = load.named[kind];
    load.named[kind] += records.length;
    refuseMore(kind, load.named[kind], MAX_NAMED[kind], 'records');
    const kept = await this.#keep(load, kind, records, first);
    // Records that change nothing are not held.
    load.bytes -= bytes * (1 - kept / Math.max(records.length, 1));
    refuseMore(kind, load.entries[kind].length, MAX_FILE_RECORDS[kind], 'records to add or change');
  }

  #read<Kind extends EntryKind>(kind: Kind, records: readonly unknown[], first: number): readonly FileEntries[Kind][] {
    const entries: FileEntries[Kind][] = [];
    const faults: Fault[] = [];
    for (const [place, record] of records.entries()) {
      if (faults.length >= MAX_TOLD) break;
      const read = this.#options.shapes[kind](record);
      if (read.ok) entries.push(read.value);
      else faults.push(...read.faults.map((fault) => ({ ...fault, path: `${kind}[${first + place}].${fault.path}` })));
    }
    if (faults.length > 0) throw invalidInput(faults.slice(0, MAX_TOLD));
    return entries;
  }

  /** Keeps the coils and tasks that change something, and all records of other kinds; gives their number. */
  async #keep<Kind extends EntryKind>(
    load: Load,
    kind: Kind,
    records: readonly unknown[],
    first: number,
  ): Promise<number> {
    const entries = this.#read(kind, records, first);
    const seeds = SEEDS[kind]?.(entries);
    const changes = seeds === undefined ? null : await this.#options.store.seedChanges(seeds);
    let kept = 0;
    for (const [place, entry] of entries.entries()) {
      if (changes !== null && changes[place] === null) continue;
      load.entries[kind].push(entry);
      load.places[kind].push(first + place);
      kept += 1;
    }
    return kept;
  }
}

const SEEDS: {
  readonly [Kind in EntryKind]?: (entries: readonly FileEntries[Kind][]) => readonly WarehouseSeed[];
} = {
  coils: (entries) => entries.map((entry) => ({ of: 'coils', entry, mode: 'merge' })),
  tasks: (entries) => entries.map((entry) => ({ of: 'tasks', entry, mode: 'merge' })),
};

function emptyLoad(): Omit<Load, 'timer'> {
  return {
    entries: ofEachFileKind(() => []),
    places: ofEachFileKind(() => []),
    named: ofEachFileKind(() => 0),
    bytes: 0,
  };
}

function refuseMore(kind: FileKind, count: number, limit: number, what: string): void {
  if (count <= limit) return;
  throw invalidInput([{ path: kind, found: `${count} ${what}`, expected: `at most ${limit}` }]);
}

function outcomeOf({ named }: Load, changes: PlantDifference): LoadOutcome {
  const counts = FILE_KINDS.filter((kind) => named[kind] > 0).map((kind) => {
    const ofKind = changes.filter((change) => change.kind === kind);
    const created = ofKind.filter(({ change }) => change === 'create').length;
    return { kind, named: named[kind], created, updated: ofKind.length - created };
  });
  return { counts, changes: changes.slice(0, MAX_TOLD) };
}

const PLACE = /^(\w+)\[(\d+)\]/;

/** The fault with its place in the whole file. The plant sees only the kept entries, and counts these. */
function inFile(fault: Fault, { places }: Load): Fault {
  const path = fault.path.replace(PLACE, (text, name: string, place: string) => {
    const kind = FILE_KINDS.find((known) => known === name);
    return kind === undefined ? text : `${kind}[${places[kind][Number(place)]}]`;
  });
  return { ...fault, path };
}
