import type { ApplyingPlaces } from '../adapters/update/update-files.ts';
import type { Config } from '../config/config-schema.ts';
import { anyOf, CodedError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-text.ts';
import { FIRST_PLANT, plantNames } from '../domain/plant/plant-scope.ts';
import { notePlanOutcome } from '../flows/fleet-plan/note-plan-outcome.ts';
import { FleetProduction, type FleetProductionOptions } from '../flows/fleet-production/fleet-production.ts';
import { FleetStopLog } from '../flows/fleet-production/fleet-stop-log.ts';
import { ShiftAdder } from '../flows/fleet-production/shift-adder.ts';
import { ToldPlants, type ToldPlantsOptions } from '../flows/fleet-production/told-plants.ts';
import { KeyedMutex } from '../flows/keyed-mutex.ts';
import { BatchReceiver } from '../flows/receive/batch-receiver.ts';
import { Fleet } from '../flows/receive/fleet.ts';
import { noteMove } from '../flows/receive/note-move.ts';
import { ReceivedOperationsFlow } from '../flows/receive/received-operations-flow.ts';
import { ReceivedViews, type ReceivedViewsOptions } from '../flows/receive/received-views.ts';
import { Sights } from '../flows/receive/sights.ts';
import { VERSION } from '../version.ts';
import { openPlans, type Plans } from './fleet/plans.ts';
import { type FleetUpdates, openFleetUpdates } from './fleet/updates.ts';
import type { Base } from './gateway-parts.ts';
import type { FurtherPlant } from './plants/further-plants.ts';
import type { Profiles, ProfileTools } from './profiles.ts';
import type { Warehouse } from './warehouse.ts';

export interface Receiving extends Plans, FleetUpdates {
  readonly gateways: ReceivedViews;
  /** Null if this gateway has a central server itself: then it takes no batches. */
  readonly syncReceiver: BatchReceiver | null;
  /** Null like `syncReceiver`. */
  readonly fleet: Fleet | null;
  readonly sights: Sights;
  readonly adder: ShiftAdder;
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
  readonly shifts: ReceivedViewsOptions['shifts'] & ToldPlantsOptions['calendar'];
  /** The plants besides the first one. */
  readonly plants: readonly (Pick<FurtherPlant, 'plantId' | 'base'> & {
    readonly parts: Pick<FurtherPlant['parts'], 'warehouse' | 'profiles'>;
  })[];
  /** Null if no installed service started this program. */
  readonly applying: ApplyingPlaces | null;
}

/** Batches of one gateway that may wait behind one another: it sends them one by one, and repeats one now and then. */
export const MAX_WAITING_PER_GATEWAY = 8;

type ReceivingBase = Pick<Base, 'store' | 'plant' | 'secrets' | 'newId' | 'incidents' | 'audit' | 'clock' | 'central'>;

/** Puts together the parts that take batches of other gateways, and the views of their records. */
export function openReceiving(
  { clock: own, ...rest }: ReceivingBase & { readonly config: Pick<Config, 'upstream' | 'dataDir' | 'plants'> },
  parts: ReceivingParts,
): Receiving {
  // Nodes of a central server judge gateways by one clock.
  const base = { ...rest, clock: rest.central?.clock ?? own };
  const syncReceiver = base.config.upstream === undefined ? openReceiver(base, parts) : null;
  const { store, incidents, clock } = base;
  // Entries about a gateway are kept in the audit of its plant.
  const auditOf = (plantId: string) => parts.plants.find((one) => one.plantId === plantId)?.base.audit ?? base.audit;
  const isOnDuty = () => base.central?.business.duty.isOurs ?? true;
  const plants = new ToldPlants({ store, calendar: parts.shifts, clock });
  const production = openFleetProduction({ store, plant: base.plant, clock, plants });
  const fleet =
    syncReceiver === null
      ? null
      : new Fleet({
          store,
          receiver: syncReceiver,
          incidents,
          clock,
          plants,
          version: VERSION,
          onReport: (from, before, health) =>
            notePlanOutcome(auditOf(from.plantId), from, before?.plan ?? null, health.plan ?? null),
          onMoved: (before, now) => isOnDuty() && noteMove(auditOf, before, now),
        });
  const gateways = new ReceivedViews({
    store,
    shifts: parts.shifts,
    clock,
    receiver: syncReceiver,
    fleet,
    production,
    nameOf: (gatewayId, machineId) => plants.nameOf(gatewayId, machineId),
  });
  const sights = new Sights({ plants: plantNames(base.config.plants), fleet });
  const adder = new ShiftAdder({ store, plants, clock });
  const updates = openFleetUpdates({ ...base, auditOf }, fleet, parts.applying);
  const start = () => {
    const stopFleet = fleet?.start();
    const stopSteps = fleet === null ? null : updates.rollOuts.start();
    const stopAdding = syncReceiver === null ? null : startAdding(adder, incidents, isOnDuty);
    const stopTelling = base.central !== null && syncReceiver !== null ? startTelling(syncReceiver, incidents) : null;
    return () => {
      stopFleet?.();
      stopSteps?.();
      stopAdding?.();
      stopTelling?.();
    };
  };
  return {
    gateways,
    syncReceiver,
    fleet,
    sights,
    adder,
    ...openPlans(base, fleet, updates.archives),
    ...updates,
    start,
  };
}

/** Shifts are added up again after this pause, and after this many times as long as it took, so that little work goes into it. */
const ADD_UP_MS = 10_000;
const REST = 10;

/** One node of a central server adds up for all. */
function startAdding(adder: ShiftAdder, incidents: Base['incidents'], isOnDuty: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const add = async () => {
    const startedMs = performance.now();
    await (isOnDuty() ? adder.addUp() : Promise.resolve()).catch((error: unknown) =>
      incidents.report({ kind: 'internal', subject: 'production of gateways', detail: errorMessage(error) }),
    );
    if (!isEnded)
      timer = setTimeout(() => void add(), Math.max(ADD_UP_MS, REST * (performance.now() - startedMs))).unref();
  };
  let isEnded = false;
  timer = setTimeout(() => void add(), ADD_UP_MS).unref();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}

function openFleetProduction(
  parts: FleetProductionOptions & { readonly store: Base['store']; readonly clock: Base['clock'] },
) {
  const sums = new FleetProduction(parts);
  return { sums, log: new FleetStopLog({ production: sums, store: parts.store, clock: parts.clock }) };
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

function openReceiver(base: ReceivingBase, parts: ReceivingParts): BatchReceiver {
  const { store, incidents, clock, central } = base;
  const ofPlants = new Map([[FIRST_PLANT, receivedOperations(base, parts, parts.tools)]]);
  for (const plant of parts.plants) {
    ofPlants.set(plant.plantId, receivedOperations(plant.base, plant.parts, parts.tools));
  }
  return new BatchReceiver({
    store,
    operationsIn: (plantId) => {
      const operations = ofPlants.get(plantId);
      if (operations !== undefined) return operations;
      throw new CodedError('not-permitted', `plant: found ${plantId}, expected ${anyOf([...ofPlants.keys()])}`);
    },
    incidents,
    clock,
    turns: central?.turns ?? new KeyedMutex('gateway', MAX_WAITING_PER_GATEWAY),
    exchange: central?.presence ?? null,
  });
}

/** The business of one plant, which the operations of its gateways change. */
function receivedOperations(
  { store, plant, incidents, clock, central }: ReceivingBase,
  { warehouse, profiles }: Pick<ReceivingParts, 'warehouse' | 'profiles'>,
  { artist, profileMutex, catalogLock }: ProfileTools,
): ReceivedOperationsFlow {
  return new ReceivedOperationsFlow({
    store,
    warehouse: warehouse.operations,
    plant,
    artist,
    profileMutex,
    catalogLock,
    onProfileChanged: profiles.noteChange,
    incidents,
    clock,
    decisions: central?.business ?? null,
  });
}
