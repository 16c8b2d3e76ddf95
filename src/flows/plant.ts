import { CodedError, type Fault, invalidInput } from '../domain/error.ts';
import type { MachineId } from '../domain/machine/machine-id.ts';
import type {
  ApiKey,
  Catalog,
  Coil,
  DowntimeReason,
  Location,
  Machine,
  Part,
  ReasonCode,
  Task,
  User,
} from '../domain/plant.ts';
import { PLANT_CODECS } from '../domain/plant-codecs.ts';
import {
  EMPTY_PLANT,
  type PlantContents,
  type PlantEntries,
  type PlantFile,
  type PlantKind,
  plantContents,
} from '../domain/plant-entry.ts';
import { mergedRecord, missingSecrets } from '../domain/plant-merge.ts';
import { KIND_NAMES, referrersOf } from '../domain/plant-references.ts';
import { checkPlant } from '../domain/plant-rules.ts';
import { type PlantDifference, plantDifference } from './plant-difference.ts';
import type { PlantPorts } from './plant-ports.ts';
import { ReportedParts } from './plant-reported-parts.ts';
import { restorePlant } from './plant-restore.ts';
import { withSecrets } from './plant-secrets.ts';
import { type PlantChanges, type PlantState, removal, storeRecords } from './plant-state.ts';
import type { PlantView } from './plant-view.ts';
import type { PlantRow } from './ports.ts';

const MAX_WAITING_CHANGES = 1_000;
const MAX_REFERRERS_NAMED = 10;

/**
 * The plant: restored from the store, changed by the plant file and one record at a time. Changes are made one after the
 * other; the view shows one, and listeners hear of it, once it is on disk. All refusals are CodedErrors: `invalid-input`
 * with its faults, `not-found`, `conflict`, and `store-unavailable` when it could not be stored.
 */
export class Plant implements PlantView {
  readonly #ports: PlantPorts;
  readonly #listeners: (() => void)[] = [];
  readonly #reportedParts: ReportedParts;
  #state: PlantState;
  #lastChange: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(stored: readonly PlantRow[], ports: PlantPorts) {
    this.#ports = ports;
    this.#state = restorePlant(stored, ports);
    this.#reportedParts = new ReportedParts(ports, (part) => this.#keepReported(part));
  }

  machines(): readonly Machine[] {
    return this.#state.contents.machines;
  }

  machine(machineId: string): Machine | undefined {
    return this.#state.find('machines', machineId);
  }

  parts(): readonly Part[] {
    return this.#state.contents.parts;
  }

  part(partId: string): Part | undefined {
    return this.#state.find('parts', partId);
  }

  downtimeReasons(): readonly DowntimeReason[] {
    return this.#state.contents.downtimeReasons;
  }

  reasonCodes(): readonly ReasonCode[] {
    return this.#state.contents.reasonCodes;
  }

  locations(): readonly Location[] {
    return this.#state.contents.locations;
  }

  catalogs(): readonly Catalog[] {
    return this.#state.contents.catalogs;
  }

  coils(): readonly Coil[] {
    return this.#state.contents.coils;
  }

  tasks(): readonly Task[] {
    return this.#state.contents.tasks;
  }

  apiKeys(): readonly ApiKey[] {
    return this.#state.contents.apiKeys;
  }

  users(): readonly User[] {
    return this.#state.contents.users;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Never waits; a part that cannot be kept is told in the log. */
  noteReportedPart(partId: string, partName: string | null, machineId: MachineId): void {
    this.#reportedParts.note({ partId, partName, machineId, known: this.part(partId), count: this.parts().length });
  }

  /** The records of a kind as people see them: without hashes, each fit to be given back to `put`. */
  list<Kind extends PlantKind>(kind: Kind): readonly PlantEntries[Kind][] {
    return this.#state.contents[kind].map((record) => PLANT_CODECS[kind].view(record));
  }

  get<Kind extends PlantKind>(kind: Kind, id: string): PlantEntries[Kind] | undefined {
    const record = this.#state.find(kind, id);
    return record === undefined ? undefined : PLANT_CODECS[kind].view(record);
  }

  /** The plant as a file without secrets; keys and users are nothing without theirs and are left out. */
  toPlantFile(): PlantFile {
    return {
      ...plantContents((kind) => this.#state.contents[kind]),
      machines: this.list('machines'),
      apiKeys: [],
      users: [],
    };
  }

  /**
   * Seeds and updates what the file names, all or nothing; the rest of the plant and live state stay as they are. The
   * same file again writes nothing. Gives what was changed. Fault paths are the file's: `machines[3].topicRoot`.
   */
  applyFile(file: PlantFile): Promise<PlantDifference> {
    return this.#inTurn(async () => {
      const changes = await this.#changesOf(file);
      const difference = plantDifference(this.#state, changes);
      await this.#commit(changes);
      return difference;
    });
  }

  /** What `applyFile` would change, or its refusal; nothing is written. */
  diff(file: PlantFile): Promise<PlantDifference> {
    return this.#inTurn(async () => plantDifference(this.#state, await this.#changesOf(file)));
  }

  /** Adds a record; `conflict` when there is one of its id. Gives it as people see it. */
  create<Kind extends PlantKind>(kind: Kind, body: unknown): Promise<PlantEntries[Kind]> {
    return this.#inTurn(async () => {
      const entry = this.#readEntry(kind, body);
      const id = PLANT_CODECS[kind].id(entry);
      if (this.#state.find(kind, id) !== undefined)
        throw new CodedError('conflict', `${named(kind, id)} exists already`);
      return this.#putEntry(kind, id, entry);
    });
  }

  /**
   * Adds or replaces a record: what the body leaves out takes its default. Live state of an existing one stays (it
   * changes by its own operations alone), and so does a secret that the body does not give.
   */
  put<Kind extends PlantKind>(kind: Kind, id: string, body: unknown): Promise<PlantEntries[Kind]> {
    return this.#inTurn(async () => {
      const entry = this.#readEntry(kind, body);
      const { idField, id: idOf } = PLANT_CODECS[kind];
      if (idOf(entry) === id) return this.#putEntry(kind, id, entry);
      throw invalidInput([{ path: idField, found: JSON.stringify(idOf(entry)), expected: JSON.stringify(id) }]);
    });
  }

  /** Takes a record away; `conflict`, naming who, when another record refers to it. */
  remove(kind: PlantKind, id: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state.find(kind, id) === undefined) throw new CodedError('not-found', `no ${named(kind, id)}`);
      const referrers = referrersOf(this.#state.contents, kind, id, MAX_REFERRERS_NAMED);
      if (referrers.length > 0) {
        throw new CodedError('conflict', `${named(kind, id)} is referred to by ${referrers.join(', ')}`);
      }
      await this.#commit(removal(kind, id));
    });
  }

  #readEntry<Kind extends PlantKind>(kind: Kind, body: unknown): PlantEntries[Kind] {
    const entry = this.#ports.shapes[kind](body);
    if (!entry.ok) throw invalidInput(entry.faults);
    return entry.value;
  }

  async #putEntry<Kind extends PlantKind>(
    kind: Kind,
    id: string,
    entry: PlantEntries[Kind],
  ): Promise<PlantEntries[Kind]> {
    const record = PLANT_CODECS[kind].record(entry, this.#state.find(kind, id));
    const file: PlantFile = { ...EMPTY_PLANT, [kind]: [entry] };
    const changes = await this.#checkedChanges(file, { ...EMPTY_PLANT, [kind]: [record] }, (fault) => {
      return { ...fault, path: fault.path.replace(`${kind}[0].`, '') };
    });
    await this.#commit(changes);
    return PLANT_CODECS[kind].view(this.#state.find(kind, id) ?? record);
  }

  #changesOf(file: PlantFile): Promise<PlantChanges> {
    const records = plantContents((kind) =>
      file[kind].map((entry) => mergedRecord(kind, entry, this.#state.find(kind, PLANT_CODECS[kind].id(entry)))),
    );
    return this.#checkedChanges(file, records, (fault) => fault);
  }

  async #checkedChanges(file: PlantFile, records: PlantContents, told: (fault: Fault) => Fault): Promise<PlantChanges> {
    const faults = [
      ...checkPlant(records, this.#state.without(records)),
      ...missingSecrets(file, (kind, id) => this.#state.find(kind, id) !== undefined),
    ];
    if (faults.length > 0) throw invalidInput(faults.map(told));
    // A large plant takes tens of milliseconds for each of these steps: other work passes in between.
    await otherWork();
    const hashed = await withSecrets(file, records, this.#ports.secrets);
    await otherWork();
    return this.#state.changesTo(hashed);
  }

  #keepReported(part: Part): Promise<void> {
    return this.#inTurn(async () => {
      // A person may have named it while this waited.
      if (this.part(part.partId)?.isNew === false) return;
      await this.#commit(this.#state.changesTo({ ...EMPTY_PLANT, parts: [part] }));
    });
  }

  async #commit(changes: PlantChanges): Promise<void> {
    const records = storeRecords(changes);
    if (records.length === 0) return;
    await this.#ports.store.write(records);
    this.#state = this.#state.after(changes);
    for (const listener of this.#listeners) this.#tell(listener);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#ports.log.error({ error }, 'a listener to plant changes failed');
    }
  }

  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING_CHANGES) {
      throw new CodedError('rate-limited', `more than ${MAX_WAITING_CHANGES} plant changes wait their turn`);
    }
    this.#waiting++;
    const before = this.#lastChange;
    // How the one before ended is told to who asked for it; the next one waits for its end alone.
    const own = Promise.allSettled([before]).then(change);
    this.#lastChange = own;
    try {
      return await own;
    } finally {
      this.#waiting--;
    }
  }
}

function named(kind: PlantKind, id: string): string {
  return `${KIND_NAMES[kind]} ${id}`;
}

function otherWork(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
