import type { MirroredTable, ReadingScope } from '../../../../flows/mirror/mirror-ports.ts';
import type { Connection } from '../database/connection.ts';
import type { UpstreamNames } from '../forwarding/upstream-names.ts';
import type { OrderWriter } from '../orders/order-writer.ts';
import type { OwnOrders } from '../orders/own-orders.ts';
import type { ProfileQueries } from '../profiles/profile-queries.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { OrderReading } from './order-reading.ts';
import { ProfileReading } from './profile-reading.ts';
import { SmallLists } from './small-lists.ts';
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
