import type { AlertRecord } from '../../flows/alert/alert-ports.ts';
import type { PlantRow, StoreRecord } from '../../flows/store-ports.ts';
import type { OpenedAlerts } from '../alerts.ts';
import type { Base } from '../gateway-parts.ts';
import type { People } from '../people.ts';
import type { Profiles } from '../profiles.ts';
import type { Warehouse } from '../warehouse.ts';

export interface Followers {
  readonly people: People;
  readonly alerts: OpenedAlerts;
  readonly warehouse: Warehouse;
  readonly profiles: Profiles;
}

/** What other nodes of a central server write is shown here as well: in memory, and to pages that listen. */
export function followNodes({ central, plant }: Pick<Base, 'central' | 'plant'>, followers: Followers): void {
  central?.business.onRecords((records) => {
    const rows = records.flatMap((record): PlantRow[] => (record.kind === 'plant' ? [record.row] : []));
    if (rows.length > 0) plant.follow(rows);
    const ofAlerts = records.filter((record) => record.kind === 'alert' || record.kind === 'alertSetting');
    if (ofAlerts.length > 0) followers.alerts.alerts.follow(ofAlerts satisfies readonly AlertRecord[]);
    for (const record of records) follow(record, followers);
  });
}

function follow(record: StoreRecord, { people, warehouse, profiles }: Followers): void {
  switch (record.kind) {
    case 'personSession':
    case 'personSessionEnded':
      people.people.follow(record);
      return;
    case 'legacyWrite':
    case 'legacyWriteSettled':
      warehouse.legacyWrites.follow(record);
      return;
    case 'taskProgress':
      warehouse.changes.taskChanged(record.taskId);
      return;
    case 'coilLocation':
      warehouse.changes.coilChanged(record.coilId);
      return;
    case 'warehouseSeed':
      if (record.seed.of === 'tasks') warehouse.changes.taskChanged(record.seed.entry.taskId);
      else warehouse.changes.coilChanged(record.seed.entry.coilId);
      return;
    case 'warehouseRemoval':
      if (record.of === 'tasks') warehouse.changes.taskChanged(record.id);
      else warehouse.changes.coilChanged(record.id);
      return;
    case 'profile':
      profiles.noteChange();
      return;
    default:
  }
}
