import Database from 'better-sqlite3';
import { migrate } from '../../src/adapters/store/thread/database/migrations.ts';
import {
  DeliveryQueries,
  PAGE_BOUNDS,
  type PageBounds,
} from '../../src/adapters/store/thread/profiles/delivery-queries.ts';
import { ProfileWriter } from '../../src/adapters/store/thread/profiles/profile-writer.ts';
import { Subscriptions } from '../../src/adapters/store/thread/profiles/subscriptions.ts';
import { machineId } from '../../src/domain/machine/machine-names.ts';
import type { Machine, MachineStanding } from '../../src/domain/plant/plant.ts';
import { archivedProfile, createdProfile, revisedProfile } from '../../src/domain/profile/library.ts';
import type { Profile } from '../../src/domain/profile/profile.ts';
import { DeliveryFlow } from '../../src/flows/library/delivery-flow.ts';
import type { Incident } from '../../src/flows/ports.ts';

/** The library's tables and the delivery flow without threads, and machines that a test controls. */

const EDIT = { principal: 'erp', date: '2026-03-04T08:00:00.000Z' };

export interface Change {
  readonly change: 'upsert' | 'remove';
  readonly profileId: string;
  readonly revision?: number;
}

interface Answer {
  readonly cursor: string;
  readonly more: boolean;
  readonly reset?: boolean;
  readonly changes: readonly Change[];
}

interface Backup {
  readonly bytes: Buffer;
  readonly profiles: readonly (readonly [string, Profile])[];
  readonly machines: readonly Machine[];
}

export class Library {
  readonly profiles = new Map<string, Profile>();
  readonly machines: Machine[] = [];
  readonly incidents: Incident[] = [];
  questions = 0;
  readonly flow: DeliveryFlow;
  readonly #bounds: PageBounds;
  #connection = new Database(':memory:');
  #writer: ProfileWriter;
  #queries: DeliveryQueries;
  #subscriptions: Subscriptions;
  #lastId = 0;
  #backup: Backup | null = null;

  constructor(bounds: Partial<PageBounds> = {}) {
    this.#bounds = { ...PAGE_BOUNDS, ...bounds };
    migrate(this.#connection);
    ({ writer: this.#writer, queries: this.#queries, subscriptions: this.#subscriptions } = this.#open());
    this.flow = new DeliveryFlow({
      machines: () => this.machines,
      incidents: { report: (incident) => this.incidents.push(incident) },
      clock: { now: () => ({ wallMs: 0, monotonicMs: 0 }) },
      store: {
        profile: async () => null,
        profileChanges: async (cursor, subscriber) => {
          this.questions += 1;
          return this.#queries.changes(cursor, subscriber);
        },
      },
    });
  }

  addMachine(serialNumber: string, catalogs: readonly number[]): void {
    const id = machineId(serialNumber);
    if (id === null) throw new Error(`${serialNumber} is no machine id`);
    const rest = { location: null, registrationKeyHash: null, claims: [], variables: [], mqttPasswordHash: null };
    const machine = {
      machineId: id,
      name: id,
      topicRoot: id,
      serialNumber,
      catalogs,
      state: 'active',
      ...rest,
    } as const;
    this.#configure(machine);
  }

  set(serialNumber: string, change: { catalogs?: readonly number[]; state?: MachineStanding }): void {
    const machine = this.machines.find((candidate) => candidate.serialNumber === serialNumber);
    if (machine !== undefined) this.#configure({ ...machine, ...change });
  }

  /** Removes a machine and adds it again. */
  replaceMachine(serialNumber: string, catalogs: readonly number[]): void {
    const machine = this.machines.find((candidate) => candidate.serialNumber === serialNumber);
    if (machine === undefined) return;
    this.#writeMachine(machine.machineId, null);
    this.#configure({ ...machine, catalogs });
  }

  create(owningCatalogId: number): string {
    this.#lastId += 1;
    const profileId = `P-${this.#lastId}`;
    const content = { profileName: profileId, description: null, category: null, subCategory: null, paintedSide: null };
    const features = [{ type: 'Straight', length: 1, hemHeight: 0 }] as const;
    this.#keep(createdProfile(profileId, { ...content, owningCatalogId, features }, EDIT));
    return profileId;
  }

  /** Changes a profile, and moves it if a catalog is given. An archived one stays unchanged. */
  update(profileId: string, owningCatalogId?: number): void {
    const profile = this.#find(profileId);
    if (profile.archived) return;
    this.#keep(
      revisedProfile(profile, { ...profile, owningCatalogId: owningCatalogId ?? profile.owningCatalogId }, EDIT),
    );
  }

  archive(profileId: string): void {
    this.#keep(archivedProfile(this.#find(profileId), EDIT));
  }

  /** The profiles that a machine with these catalogs must hold: ids with their revisions. */
  expected(catalogs: readonly number[]): ReadonlyMap<string, number> {
    const wanted = [...this.profiles.values()].filter(
      ({ archived, owningCatalogId }) => !archived && catalogs.includes(owningCatalogId),
    );
    return new Map(wanted.map(({ profileId, revision }) => [profileId, revision]));
  }

  /** Restarts the gateway. */
  reopen(): void {
    ({ writer: this.#writer, queries: this.#queries, subscriptions: this.#subscriptions } = this.#open());
    this.flow.noteChange();
  }

  backup(): void {
    this.#backup = { bytes: this.#connection.serialize(), profiles: [...this.profiles], machines: [...this.machines] };
  }

  restore(): void {
    if (this.#backup === null) return;
    this.#connection = new Database(this.#backup.bytes);
    this.profiles.clear();
    for (const [profileId, profile] of this.#backup.profiles) this.profiles.set(profileId, profile);
    this.machines.splice(0, Number.POSITIVE_INFINITY, ...this.#backup.machines);
    this.reopen();
  }

  /** Leaves the saved part of a damaged database: its profiles and stays, but not the epoch of their numbers. */
  salvage(): void {
    this.#connection.exec('DELETE FROM profile_epoch');
    this.reopen();
  }

  #open() {
    return {
      writer: new ProfileWriter(this.#connection),
      queries: new DeliveryQueries(this.#connection, this.#bounds),
      subscriptions: new Subscriptions(this.#connection),
    };
  }

  #configure(machine: Machine): void {
    const place = this.machines.findIndex(({ serialNumber }) => serialNumber === machine.serialNumber);
    this.machines.splice(place < 0 ? this.machines.length : place, 1, machine);
    this.#writeMachine(machine.machineId, JSON.stringify(machine));
  }

  #writeMachine(id: string, json: string | null): void {
    this.#subscriptions.note({ kind: 'machines', id, json });
    if (json === null) this.#connection.prepare("DELETE FROM plant WHERE kind = 'machines' AND id = ?").run(id);
    else this.#connection.prepare("REPLACE INTO plant VALUES ('machines', ?, ?)").run(id, json);
    this.flow.noteChange();
  }

  #find(profileId: string): Profile {
    const profile = this.profiles.get(profileId);
    if (profile === undefined) throw new Error(`no profile ${profileId}`);
    return profile;
  }

  #keep(profile: Profile): void {
    this.profiles.set(profile.profileId, profile);
    this.#writer.write({ kind: 'profile', profile, thumbnail: profile.archived ? null : 'data:image/png;base64,' });
    this.flow.noteChange();
  }
}

/** The fate of an answer: taken; lost on the way; or taken, but the cursor is lost before it is kept. */
export type Fate = 'taken' | 'lost' | 'cursorLost';

export class SyncingMachine {
  readonly held = new Map<string, number>();
  readonly seen: Change[] = [];
  cursor: string | null = null;
  /** All cursors since it last threw away its profiles; older cursors do not describe its present ones. */
  readonly cursors: (string | null)[] = [null];
  readonly #library: Library;
  readonly serialNumber: string;

  constructor(library: Library, serialNumber: string, catalogs: readonly number[]) {
    this.#library = library;
    this.serialNumber = serialNumber;
    library.addMachine(serialNumber, catalogs);
  }

  /** One request. Gives whether there is more. */
  async ask(fate: Fate = 'taken'): Promise<boolean> {
    const answer = await this.#answer();
    if (fate === 'lost') return answer.more;
    if (answer.reset === true) {
      this.held.clear();
      this.cursors.splice(1);
    }
    for (const change of answer.changes) {
      this.seen.push(change);
      if (change.change === 'upsert') this.held.set(change.profileId, change.revision ?? 0);
      else this.held.delete(change.profileId);
    }
    if (fate === 'taken') this.cursor = answer.cursor;
    if (fate === 'taken') this.cursors.push(answer.cursor);
    return answer.more;
  }

  /** Asks until there is no more; gives the changes that it got. */
  async sync(): Promise<readonly Change[]> {
    const before = this.seen.length;
    for (let pages = 0; await this.ask(); pages += 1) if (pages > 10_000) throw new Error('there is always more');
    return this.seen.slice(before);
  }

  async #answer(): Promise<Answer> {
    const answer = await this.#library.flow.changes(this.serialNumber, this.cursor);
    return 'bytes' in answer ? (JSON.parse(new TextDecoder().decode(answer.bytes)) as Answer) : answer;
  }
}
