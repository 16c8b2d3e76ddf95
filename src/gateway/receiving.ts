import type { Config } from '../config/config-schema.ts';
import { errorMessage } from '../domain/error-text.ts';
import { notePlanOutcome } from '../flows/fleet-plan/note-plan-outcome.ts';
import { KeyedMutex } from '../flows/keyed-mutex.ts';
import { BatchReceiver } from '../flows/receive/batch-receiver.ts';
import { Fleet } from '../flows/receive/fleet.ts';
import { ReceivedOperationsFlow } from '../flows/receive/received-operations-flow.ts';
import { ReceivedViews, type ReceivedViewsOptions } from '../flows/receive/received-views.ts';
import { VERSION } from '../version.ts';
import { openPlans, type Plans } from './fleet/plans.ts';
import type { Base } from './gateway-parts.ts';
import type { Profiles, ProfileTools } from './profiles.ts';
import type { Warehouse } from './warehouse.ts';

export interface Receiving extends Plans {
  readonly gateways: ReceivedViews;
  /** Null if this gateway has a central server itself: then it takes no batches. */
  readonly syncReceiver: BatchReceiver | null;
  /** Null like `syncReceiver`. */
  readonly fleet: Fleet | null;
  /** Works from now on, until the function that it gives is called. */
  readonly start: () => () => void;
}

/** The pause between two messages to the other nodes about the streams that this one hears. */
const TELL_HEARD_MS = 2_000;

/** The parts that batches of other gateways change. */
interface ReceivingParts {
  readonly tools: ProfileTools;
  readonly warehouse: Pick<Warehouse, 'operations'>;
  readonly profiles: Pick<Profiles, 'noteChange'>;
  readonly shifts: ReceivedViewsOptions['shifts'];
}

/** Batches of one gateway that may wait behind one another: it sends them one by one, and repeats one now and then. */
export const MAX_WAITING_PER_GATEWAY = 8;

type ReceivingBase = Pick<Base, 'store' | 'plant' | 'secrets' | 'newId' | 'incidents' | 'audit' | 'clock' | 'central'>;

/** Puts together the parts that take batches of other gateways, and the views of their records. */
export function openReceiving(
  base: ReceivingBase & { readonly config: Pick<Config, 'upstream'> },
  parts: ReceivingParts,
): Receiving {
  const syncReceiver = base.config.upstream === undefined ? openReceiver(base, parts) : null;
  const { store, incidents, audit, clock } = base;
  const fleet =
    syncReceiver === null
      ? null
      : new Fleet({
          store,
          receiver: syncReceiver,
          incidents,
          clock,
          version: VERSION,
          onReport: (from, before, health) => notePlanOutcome(audit, from, before?.plan ?? null, health.plan ?? null),
        });
  const gateways = new ReceivedViews({ store, shifts: parts.shifts, clock, receiver: syncReceiver, fleet });
  const start = () => {
    const stopFleet = fleet?.start();
    const stopTelling = base.central !== null && syncReceiver !== null ? startTelling(syncReceiver, incidents) : null;
    return () => {
      stopFleet?.();
      stopTelling?.();
    };
  };
  return { gateways, syncReceiver, fleet, ...openPlans(base, fleet), start };
}

function startTelling(receiver: BatchReceiver, incidents: Base['incidents']): () => void {
  const tell = () =>
    receiver
      .tellHeard()
      .catch((error: unknown) =>
        incidents.report({ kind: 'store', subject: 'presence of streams', detail: errorMessage(error) }),
      );
  const timer = setInterval(() => void tell(), TELL_HEARD_MS).unref();
  return () => clearInterval(timer);
}

function openReceiver(
  { store, plant, incidents, clock, central }: ReceivingBase,
  { tools, warehouse, profiles }: ReceivingParts,
): BatchReceiver {
  const operations = new ReceivedOperationsFlow({
    store,
    warehouse: warehouse.operations,
    plant,
    artist: tools.artist,
    profileMutex: tools.profileMutex,
    catalogLock: tools.catalogLock,
    onProfileChanged: profiles.noteChange,
    incidents,
    clock,
    decisions: central?.business ?? null,
  });
  return new BatchReceiver({
    store,
    operations,
    incidents,
    clock,
    turns: central?.turns ?? new KeyedMutex('gateway', MAX_WAITING_PER_GATEWAY),
    exchange: central?.presence ?? null,
  });
}
