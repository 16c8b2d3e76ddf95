import type { Config } from '../config/config-schema.ts';
import type { KeyedMutex } from '../flows/keyed-mutex.ts';
import type { ThumbnailArtist } from '../flows/library/profile-ports.ts';
import type { PlantView } from '../flows/plant/plant-view.ts';
import type { Clock, Incidents } from '../flows/ports.ts';
import type { ReadWriteLock } from '../flows/read-write-lock.ts';
import { BatchReceiver } from '../flows/receive/receive-batches.ts';
import { ReceivedOperationsFlow } from '../flows/receive/receive-operations.ts';
import { ReceivedViews, type ReceivedViewsOptions } from '../flows/receive/receive-views.ts';
import type { Store } from '../flows/store-ports.ts';
import type { Profiles } from './profiles.ts';
import type { Warehouse } from './warehouse.ts';

export interface ReceivingBase {
  readonly store: Store;
  readonly plant: Pick<PlantView, 'catalogs'>;
  readonly warehouse: Pick<Warehouse, 'operations'>;
  readonly artist: ThumbnailArtist;
  readonly profileMutex: KeyedMutex;
  readonly catalogLock: ReadWriteLock;
  readonly profiles: Pick<Profiles, 'noteChange'>;
  readonly shifts: ReceivedViewsOptions['shifts'];
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly config: Pick<Config, 'upstream'>;
}

export interface Receiving {
  readonly gateways: ReceivedViews;
  /** Null if this gateway has a central server itself: then it takes no batches. */
  readonly syncReceiver: BatchReceiver | null;
}

/** Puts together the parts that take batches of other gateways, and the views of their records. */
export function openReceiving(base: ReceivingBase): Receiving {
  const syncReceiver = base.config.upstream === undefined ? openReceiver(base) : null;
  return { gateways: new ReceivedViews({ ...base, receiver: syncReceiver }), syncReceiver };
}

function openReceiver(base: ReceivingBase): BatchReceiver {
  const { warehouse, profiles } = base;
  const operations = new ReceivedOperationsFlow({
    ...base,
    warehouse: warehouse.operations,
    onProfileChanged: profiles.noteChange,
  });
  return new BatchReceiver({ ...base, operations });
}
