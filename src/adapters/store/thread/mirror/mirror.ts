import type { Mirrored } from '../../../../domain/mirror/mirrored.ts';
import { mirroredCatalog, mirroredLocation, mirroredReasonCode } from '../../../../domain/mirror/mirrored-plant.ts';
import type {
  ListRead,
  MirroredList,
  MirroredRecords,
  MirroredTable,
  ReadingScope,
} from '../../../../flows/mirror/mirror-ports.ts';
import type { Connection } from '../database/connection.ts';
import type { UpstreamNames } from '../forwarding/upstream-names.ts';
import type { OrderWriter } from '../orders/order-writer.ts';
import type { OwnOrders } from '../orders/own-orders.ts';
import type { ProfileQueries } from '../profiles/profile-queries.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { OrderReading } from './order-reading.ts';
import { digestOf } from './page-memory.ts';
import { ProfileReading } from './profile-reading.ts';
import { recordsOf } from './record-list.ts';
import { StagedRows } from './staged-rows.ts';
import { coilTable, taskTable } from './table-kinds.ts';
import { TableReading } from './table-reading.ts';

/** The parts that read the central server's records into the store. */
export interface Mirror {
  readonly tables: Readonly<Record<MirroredTable, TableReading>>;
  readonly lists: SmallLists;
  readonly profiles: ProfileReading;
  readonly orders: OrderReading;
  readonly staged: StagedRows;
  /** Begins a reading of a kind; one under way is forgotten. */
  begin(kind: MirroredTable | 'profiles' | 'orders', scope: ReadingScope): Promise<void>;
}

export interface MirrorParts {
  readonly connection: Connection;
  readonly warehouse: Warehouse;
  readonly profiles: ProfileQueries;
  readonly upstreamNames: UpstreamNames;
  readonly orderWriter: Pick<OrderWriter, 'noteReplacement'>;
  readonly ownOrders: OwnOrders;
  /** False: there is no central server. */
  readonly isForwarding: boolean;
}

export function openMirror(parts: MirrorParts): Mirror {
  const { connection, warehouse, profiles, upstreamNames, orderWriter, ownOrders, isForwarding } = parts;
  const { localChanges } = warehouse;
  const staged = new StagedRows(connection);
  if (!isForwarding) staged.forget();
  const tables = {
    coils: new TableReading(coilTable(warehouse), connection, localChanges, staged),
    tasks: new TableReading(taskTable(warehouse), connection, localChanges, staged),
  };
  const profileReading = new ProfileReading(connection, profiles, { localChanges, upstreamNames });
  const orders = new OrderReading(connection, ownOrders, () => orderWriter.noteReplacement());
  return {
    ...{ tables, lists: new SmallLists(), profiles: profileReading, orders, staged },
    begin: async (kind, scope) => {
      if (kind === 'profiles') profileReading.begin();
      else if (kind === 'orders') await orders.begin();
      else await tables[kind].begin(scope);
    },
  };
}

/** Refused records of one answer that diagnostics names. */
const MAX_REFUSALS_TOLD = 5;

/** Reads the lists that are held in memory elsewhere; an unchanged list is not parsed again. */
export class SmallLists {
  readonly #taken = new Map<MirroredList, string>();
  /** Lists that were read and are not written yet. */
  readonly #read = new Map<MirroredList, string>();

  read(kind: MirroredList, bytes: Uint8Array): ListRead {
    const digest = digestOf(bytes);
    if (this.#taken.get(kind) === digest) return { kind: 'unchanged' };
    this.#taken.delete(kind);
    this.#read.delete(kind);
    const list = recordsOf(bytes);
    if (!list.ok) return { kind: 'fault', detail: list.fault };
    const refusals: Refusal[] = [];
    const records = recordsOfKind(kind, list.records, refusals);
    // A list with a record that cannot be read is read again, because the record may have changed.
    if (refusals.length === 0) this.#read.set(kind, digest);
    return {
      kind: 'read',
      list: records,
      refused: refusals.slice(0, MAX_REFUSALS_TOLD).map(({ fault }) => fault),
      refusedIds: refusals.flatMap(({ id }) => id ?? []),
    };
  }

  /** The last list of a kind is written, so the same list need not be read again. */
  taken(kind: MirroredList): void {
    const digest = this.#read.get(kind);
    if (digest !== undefined) this.#taken.set(kind, digest);
  }
}

type Refusal = Extract<Mirrored<never>, { ok: false }>;

function recordsOfKind(of: MirroredList, values: readonly unknown[], refusals: Refusal[]): MirroredRecords {
  const all = <T>(read: (value: unknown) => Mirrored<T>): readonly T[] =>
    values.flatMap((value) => {
      const one = read(value);
      if (!one.ok) refusals.push(one);
      return one.ok ? [one.record] : [];
    });
  switch (of) {
    case 'reasonCodes':
      return { of, records: all(mirroredReasonCode) };
    case 'locations':
      return { of, records: all(mirroredLocation) };
    case 'catalogs':
      return { of, records: all(mirroredCatalog) };
  }
}
