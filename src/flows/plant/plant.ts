import { CodedError, type Fault, invalidInput, noSuch, tooMany } from '../../domain/error.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import type {
  ApiKey,
  Catalog,
  DowntimeReason,
  Location,
  Machine,
  MqttAccount,
  Part,
  ReasonCode,
  User,
} from '../../domain/plant/plant.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import {
  EMPTY_PLANT,
  type PlantContents,
  type PlantEntries,
  type PlantFile,
  type PlantKind,
  type PlantRecords,
} from '../../domain/plant/plant-entry.ts';
import { missingSecrets } from '../../domain/plant/plant-merge.ts';
import { KIND_NAMES, referrersOf, unreferenced } from '../../domain/plant/plant-references.ts';
import { plantCheck } from '../../domain/plant/plant-rules.ts';
import { scopeFaults } from '../../domain/plant/plant-scope.ts';
import { inOneGo } from '../../domain/sliced-work.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import { inSlices } from '../../runtime/slice.ts';
import { type LibraryPlan, LibrarySeeds } from '../library/library-seeds.ts';
import type { MirroredList, MirroredRecords } from '../mirror/mirror-ports.ts';
import type { PlantRow, StoreRecord } from '../store-ports.ts';
import {
  type JsonText,
  WAREHOUSE_KINDS,
  type WarehouseKind,
  type WarehouseSeed,
} from '../warehouse/warehouse-ports.ts';
import { formerDefaults } from './former-defaults.ts';
import { type PlantDifference, plantDifference } from './plant-difference.ts';
import type { PlantPorts, PlantWork } from './plant-ports.ts';
import { followedChanges, restorePlant } from './plant-restore.ts';
import { SEALED, withSecrets } from './plant-secrets.ts';
import { NO_SEEDS, PlantSeeds, type SeedPlan } from './plant-seeds.ts';
import { NO_CHANGES, type PlantChanges, type PlantState, removal, storeRecords, withoutGone } from './plant-state.ts';
import { ReportedParts } from './reported-parts.ts';

/** Plant changes that wait for their turn. One more is answered with 429. */
const MAX_WAITING_CHANGES = 1_000;
/** Records that an error names because they refer to the record that was to be removed. */
const MAX_REFERRERS_NAMED = 10;

/** The effects of a change on records in memory, and on records that are only in the store. */
interface Plan {
  readonly changes: PlantChanges;
  readonly seeds: SeedPlan;
  /** Null: no profiles and no orders. */
  readonly library: LibraryPlan | null;
}

/** Kinds of plant records with few enough records to be held in memory. */
type ResidentKind = Exclude<PlantKind, WarehouseKind>;

/** Kinds with so many records that they are listed in pages. */
export type PagedKind = WarehouseKind | 'profiles' | 'orders';

/** The principal recorded for changes that a plant file makes. */
const PLANT_FILE = 'plant file';
const AS_IT_IS = async (file: PlantFile, _state: PlantState) => file;

/**
 * The plant: restored from the store, changed by the plant file and one record at a time. Changes are made one after
 * the other; the view shows a change, and listeners get it, once it is on disk. All refusals are CodedErrors:
 * `invalid-input` with its faults, `not-found`, `conflict`, and `store-unavailable` when it could not be stored.
 */
export class Plant {
  readonly #ports: PlantPorts;
  readonly #listeners: (() => void)[] = [];
  readonly #reportedParts: ReportedParts;
  readonly #seeds: PlantSeeds;
  readonly #library: LibrarySeeds;
  #state: PlantState;
  readonly #changes = new WorkQueue(1, MAX_WAITING_CHANGES, () => tooMany('plant changes', MAX_WAITING_CHANGES));

  constructor(stored: readonly PlantRow[], ports: PlantPorts) {
    this.#ports = ports;
    this.#state = restorePlant(stored, ports);
    this.#seeds = new PlantSeeds(ports);
    this.#library = new LibrarySeeds(ports);
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

  mqttAccounts(): readonly MqttAccount[] {
    return this.#state.contents.mqttAccounts;
  }

  apiKeys(): readonly ApiKey[] {
    return this.#state.contents.apiKeys;
  }

  users(): readonly User[] {
    return this.#state.contents.users;
  }

  /** Called after a change is committed and the view shows it. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Never waits. The log names a part that cannot be kept. */
  noteReportedPart(partId: string, partName: string | null, machineId: MachineId): void {
    this.#reportedParts.note({ partId, partName, machineId, known: this.part(partId), count: this.parts().length });
  }

  /** The records of a kind for people: without hashes, each in a form that `put` takes back. */
  list<Kind extends ResidentKind>(kind: Kind): readonly PlantEntries[Kind][] {
    return this.#state.contents[kind].map((record) => PLANT_CODECS[kind].view(record));
  }

  /** Records of a kind with too many for a list, in the form of the plant file, by their ids, behind `after`. */
  page(kind: PagedKind, after: string, limit: number): Promise<JsonText> {
    const { store } = this.#ports;
    if (kind === 'profiles') return store.profileRecords(after, limit);
    return kind === 'orders' ? store.orderRecords(after, limit) : store.warehouseRecords(kind, after, limit);
  }

  async get<Kind extends PlantKind>(kind: Kind, id: string): Promise<PlantEntries[Kind] | undefined> {
    const record = await this.#find(kind, id);
    return record === undefined ? undefined : PLANT_CODECS[kind].view(record);
  }

  /**
   * Seeds and updates the records that the file names, all or nothing; the rest of the plant and live state stay
   * unchanged. The same file again writes nothing. Gives the changes. Fault paths are the file's:
   * `machines[3].topicRoot`. Profiles and orders bear the name of the principal. `fitted` gives the file for this plant.
   */
  applyFile(file: PlantFile, principal = PLANT_FILE, fitted = AS_IT_IS): Promise<PlantDifference> {
    return this.#changes.run(async () => {
      const plan = await this.#planOf(await fitted(file, this.#state));
      const difference = await this.#differenceOf(plan);
      await this.#commit(plan, principal);
      return difference;
    });
  }

  /** The changes that `applyFile` would make, or its refusal; nothing is written. */
  diff(file: PlantFile): Promise<PlantDifference> {
    return this.#changes.run(async () => this.#differenceOf(await this.#planOf(file)));
  }

  /**
   * Carries out what `make` finds to do in its turn, all or nothing: entries whose secrets are hashes, and records that go.
   * `also` gives records that are committed with them; null: nothing is written.
   */
  applyWork<Work extends PlantWork>(
    make: (state: PlantState) => Promise<Work>,
    also: ((work: Work) => readonly StoreRecord[]) | null,
  ): Promise<{ readonly work: Work; readonly difference: PlantDifference }> {
    return this.#changes.run(async () => {
      const work = await make(this.#state);
      const plan = await this.#planOf(work.file, SEALED);
      const difference = await this.#differenceOf(plan);
      const changes = withoutGone(plan.changes, work.gone);
      if (also !== null) await this.#commit({ ...plan, changes }, PLANT_FILE, also(work));
      return { work, difference };
    });
  }

  /** Adds a record; `conflict` if its id exists already. Gives the record in the form for people. */
  create<Kind extends PlantKind>(kind: Kind, body: unknown): Promise<PlantEntries[Kind]> {
    return this.#changes.run(async () => {
      this.#requireOwn(kind);
      const entry = this.#readEntry(kind, body);
      const id = PLANT_CODECS[kind].id(entry);
      if ((await this.#find(kind, id)) !== undefined)
        throw new CodedError('conflict', `${PLANT_CODECS[kind].idField}: ${named(kind, id)} exists already`);
      return this.#putEntry(kind, id, entry);
    });
  }

  /**
   * Adds or replaces a record: fields that the body leaves out take their defaults. Live state of an existing one stays
   * (it changes by its own operations alone), and so does a secret that the body does not give.
   */
  put<Kind extends PlantKind>(kind: Kind, id: string, body: unknown): Promise<PlantEntries[Kind]> {
    return this.#changes.run(async () => {
      this.#requireOwn(kind);
      const entry = this.#readEntry(kind, body);
      const { idField, id: idOf } = PLANT_CODECS[kind];
      if (idOf(entry) === id) return this.#putEntry(kind, id, entry);
      throw invalidInput([{ path: idField, found: JSON.stringify(idOf(entry)), expected: JSON.stringify(id) }]);
    });
  }

  /** Takes up what another node of a central server has written. */
  follow(rows: readonly PlantRow[]): void {
    this.#show(followedChanges(rows, this.#ports));
  }

  ids(kind: MirroredList): readonly string[] {
    return this.#state.ids(kind);
  }

  /**
   * Makes a list equal to the central server's (UP-07). A record that is gone there is removed here, unless a machine
   * refers to it, because machines belong to this gateway. A catalog that is kept is not the default beside the
   * server's.
   */
  mirror(list: MirroredRecords, gone: readonly string[]): Promise<void> {
    return this.#changes.run(async () => {
      const { contents } = this.#state;
      const changes = await inSlices(this.#state.changesTo({ ...EMPTY_PLANT, [list.of]: list.records }));
      const changed = new Map<string, unknown>(changes[list.of]);
      for (const catalog of formerDefaults(contents.catalogs, list)) changed.set(String(catalog.catalogId), catalog);
      for (const id of await inSlices(unreferenced(contents, list.of, gone))) changed.set(id, null);
      await this.#commit({ changes: { ...changes, [list.of]: changed }, seeds: NO_SEEDS, library: null });
    });
  }

  /** Removes a record; `conflict` with the names of the referring records if another record refers to it. */
  remove(kind: PlantKind, id: string): Promise<void> {
    return this.#changes.run(() => {
      const remove = () => this.#remove(kind, id);
      return kind === 'catalogs' ? this.#ports.catalogLock.write(remove) : remove();
    });
  }

  async #remove(kind: PlantKind, id: string): Promise<void> {
    this.#requireOwn(kind);
    if ((await this.#find(kind, id)) === undefined) throw noSuch(KIND_NAMES[kind], id);
    const referrers = await this.#referrersOf(kind, id);
    if (referrers.length > 0) {
      throw new CodedError('conflict', `${named(kind, id)} is referred to by ${referrers.join(', ')}`);
    }
    await this.#commit(removalPlan(kind, id));
  }

  async #find<Kind extends PlantKind>(kind: Kind, id: string): Promise<PlantRecords[Kind] | undefined> {
    return this.#state.find(kind, id) ?? (await this.#seeds.find(kind, id));
  }

  async #referrersOf(kind: PlantKind, id: string): Promise<readonly string[]> {
    const resident = referrersOf(this.#state.contents, kind, id, MAX_REFERRERS_NAMED);
    const stored = await this.#seeds.referrersOf(kind, id, MAX_REFERRERS_NAMED);
    const profiles = kind === 'catalogs' ? await this.#ports.store.profilesIn(Number(id), MAX_REFERRERS_NAMED) : [];
    const named = profiles.map((profileId) => `profile ${profileId}`);
    return [...resident, ...stored, ...named].slice(0, MAX_REFERRERS_NAMED);
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
    const plan = await this.#checkedPlan(file, { ...EMPTY_PLANT, [kind]: [record] }, 'replace', (fault) => {
      return { ...fault, path: fault.path.replace(`${kind}[0].`, '') };
    });
    await this.#commit(plan);
    return PLANT_CODECS[kind].view((await this.#find(kind, id)) ?? record);
  }

  async #planOf(file: PlantFile, secrets = this.#ports.secrets): Promise<Plan> {
    return this.#checkedPlan(file, await inSlices(this.#state.merged(file)), 'merge', (fault) => fault, secrets);
  }

  async #checkedPlan(
    file: PlantFile,
    records: PlantContents,
    mode: WarehouseSeed['mode'],
    told: (fault: Fault) => Fault,
    secrets = this.#ports.secrets,
  ): Promise<Plan> {
    const coils = await this.#seeds.coilsNamedBy(records);
    const unnamed = { ...this.#state.without(records), coils };
    const { isMirrored = () => false } = this.#ports;
    // The default catalog of the central server comes before that of the file.
    const mirrored = isMirrored('catalogs') ? this.#state.contents.catalogs : [];
    const catalogs = [...mirrored, ...records.catalogs, ...unnamed.catalogs];
    const library = await this.#libraryPlan(this.#ownOf(file), catalogs);
    const faults = [
      ...(await inSlices(plantCheck(records, unnamed, isMirrored))),
      ...missingSecrets(file, (kind, id) => this.#state.find(kind, id) !== undefined),
      ...scopeFaults(records, this.#ports.plantIds),
      ...(library?.faults ?? []),
    ];
    if (faults.length > 0) throw invalidInput(faults.map(told));
    const hashed = await withSecrets(file, records, secrets);
    const changes = await inSlices(this.#state.changesTo({ ...this.#ownOf(hashed), coils: [], tasks: [] }));
    return { changes, seeds: await this.#seeds.plan(this.#ownOf(file), mode), library };
  }

  /** The records that this gateway owns. Others may be named, and stay as the central server has them. */
  #ownOf<Contents extends PlantContents | PlantFile>(contents: Contents): Contents {
    const { isMirrored } = this.#ports;
    if (isMirrored === undefined) return contents;
    const kinds = Object.keys(contents).filter((kind) => isMirrored(kind) && kind !== 'orders');
    return { ...contents, ...Object.fromEntries(kinds.map((kind) => [kind, []])) };
  }

  #requireOwn(kind: PlantKind): void {
    if (this.#ports.isMirrored?.(kind) !== true) return;
    throw new CodedError('conflict', `${kind} are managed by the central server: change them there`);
  }

  async #libraryPlan(file: PlantFile, catalogs: readonly Catalog[]): Promise<LibraryPlan | null> {
    const isEmpty = file.profiles.length === 0 && file.orders.length === 0;
    return isEmpty ? null : this.#library.plan(file, catalogs);
  }

  async #differenceOf({ changes, seeds, library }: Plan): Promise<PlantDifference> {
    const resident = await inSlices(plantDifference(this.#state, changes));
    return [...resident, ...seeds.difference, ...(library?.difference ?? [])];
  }

  #keepReported(part: Part): Promise<void> {
    return this.#changes.run(async () => {
      // A person may have named it while this waited.
      if (this.part(part.partId)?.isNew === false) return;
      const changes = inOneGo(this.#state.changesTo({ ...EMPTY_PLANT, parts: [part] }));
      await this.#commit({ changes, seeds: NO_SEEDS, library: null });
    });
  }

  async #commit(
    { changes, seeds, library }: Plan,
    principal = PLANT_FILE,
    also: readonly StoreRecord[] = [],
  ): Promise<void> {
    const records = [...(await inSlices(storeRecords(changes))), ...seeds.records, ...also];
    const { store } = this.#ports;
    if (library !== null && library.difference.length > 0) {
      await this.#library.commit(library, principal, (more) => store.write([...records, ...more]));
    } else if (records.length === 0) return;
    else await store.write(records);
    this.#show(changes);
  }

  #show(changes: PlantChanges): void {
    this.#state = this.#state.after(changes);
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#ports.log.error({ error }, 'a listener to plant changes failed');
      }
    }
  }
}

function removalPlan(kind: PlantKind, id: string): Plan {
  const of = WAREHOUSE_KINDS.find((name) => name === kind);
  if (of === undefined) return { changes: removal(kind, id), seeds: NO_SEEDS, library: null };
  const seeds: SeedPlan = { difference: [], records: [{ kind: 'warehouseRemoval', of, id }] };
  return { changes: NO_CHANGES, seeds, library: null };
}

function named(kind: PlantKind, id: string): string {
  return `${KIND_NAMES[kind]} ${id}`;
}
