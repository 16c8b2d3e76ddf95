import type { Catalog, Location, ReasonCode } from '../../domain/plant/plant.ts';
import type { Profile } from '../../domain/profile/profile.ts';

/** Ports of the mirror of the central server to the store (UP-07). Bytes are unchanged answers. */

export const MIRRORED_TABLES = ['tasks', 'coils'] as const;
/** Kinds with so many records that they are only in the store. */
export type MirroredTable = (typeof MIRRORED_TABLES)[number];

export const MIRRORED_LISTS = ['reasonCodes', 'locations', 'catalogs'] as const;
/** Kinds with few enough records to be held in memory. */
export type MirroredList = (typeof MIRRORED_LISTS)[number];

export type MirroredKind = MirroredTable | MirroredList | 'profiles' | 'orders';

/** The kinds in the order in which they are read: each before those that refer to it. */
export const MIRRORED_KINDS = [
  ...MIRRORED_LISTS,
  ...MIRRORED_TABLES,
  'profiles',
  'orders',
] as const satisfies readonly MirroredKind[];

/** The last time at which a kind was read as a whole, in wall-clock milliseconds; null if never. */
export interface MirrorAge {
  readonly kind: MirroredKind;
  readonly lastMirroredAt: number | null;
}

/** The location of a machine, because tasks name no machine. */
export interface MachinePlace {
  readonly machineId: string;
  readonly location: string;
}

/** The result of one page. */
export type PageRead =
  | { readonly kind: 'read'; readonly records: number; readonly refused: readonly string[] }
  /** The same page was there already in this reading. */
  | { readonly kind: 'repeated'; readonly records: number }
  /** The server says that it is unchanged, but its content is not known here any more. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'fault'; readonly detail: string };

/** The changes that a reading made here. */
export interface MirrorChange {
  /** Ids of records that changed, as many as can be announced one by one. */
  readonly changed: readonly string[];
  readonly changes: number;
  /** Records here that the reading lacked; they are removed once enough readings lacked them (losses.ts). */
  readonly missing: number;
}

/** The part of a kind that a reading covers. */
export type ReadingScope = 'all' | 'incomplete';

interface MirroredLists {
  readonly reasonCodes: ReasonCode;
  readonly locations: Location;
  readonly catalogs: Catalog;
}

/** The records of one list. */
export type MirroredRecords = {
  readonly [Kind in MirroredList]: { readonly of: Kind; readonly records: readonly MirroredLists[Kind][] };
}[MirroredList];

export type ListRead =
  | {
      readonly kind: 'read';
      readonly list: MirroredRecords;
      /** The faults of the records that are left out, and their ids as far as they can be read. */
      readonly refused: readonly string[];
      readonly refusedIds: readonly string[];
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'fault'; readonly detail: string };

/** The result of a page of profiles. The store keeps those that differ from ours for `mirrorNextProfiles`. */
export type ProfilePageRead = Exclude<PageRead, { kind: 'forgotten' }>;

export interface MirrorQueries {
  /** Begins a reading of a kind; a reading under way is forgotten, and nothing of it was written. */
  mirrorBegin(kind: MirroredTable | 'profiles' | 'orders', scope: ReadingScope): Promise<void>;
  /** Takes the next page; `bytes` is null if the server says that it is unchanged. */
  mirrorPage(kind: MirroredTable, bytes: Uint8Array | null, machines: readonly MachinePlace[]): Promise<PageRead>;
  /** Writes all differences of the reading at once. `isComplete` tells that the reading contained all records. */
  mirrorApply(kind: MirroredTable, at: number, isComplete: boolean): Promise<MirrorChange>;
  /** Incomplete tasks here that the reading lacked, at most `limit`. */
  mirrorUnlisted(limit: number): Promise<readonly string[]>;
  /** Writes one record as the server has it now. Gives whether that changed anything. */
  mirrorRecord(kind: MirroredTable, id: string, bytes: Uint8Array, machines: readonly MachinePlace[]): Promise<boolean>;
  mirrorList(kind: MirroredList, bytes: Uint8Array): Promise<ListRead>;
  /** Notes that the last list of a kind is written: the same list is `unchanged` from now on. */
  mirrorListTaken(kind: MirroredList): Promise<void>;
  mirrorProfilePage(bytes: Uint8Array): Promise<ProfilePageRead>;
  /** The next profiles to write, as few as the main thread can take at once; none when all were given. */
  mirrorNextProfiles(): Promise<readonly Profile[]>;
  /** The central server's id for a profile of ours. */
  mirrorProfileName(profileId: string): Promise<string>;
  /** Takes one profile that was asked for, and gives the profile to be written; null if it does not differ. */
  mirrorProfile(bytes: Uint8Array): Promise<Profile | null>;
  /** Ends the reading. Profiles here that are gone there are given by `mirrorNextProfiles`, archived. */
  mirrorEndProfiles(at: string): Promise<void>;
  /** Replaces the summaries of orders; gives null if that was done. */
  mirrorOrders(bytes: Uint8Array, at: number): Promise<{ readonly fault: string } | null>;
  /** Notes that a kind was read as a whole. */
  mirrorNote(kind: MirroredKind, at: number): Promise<void>;
  mirrorAges(): Promise<readonly MirrorAge[]>;
}
