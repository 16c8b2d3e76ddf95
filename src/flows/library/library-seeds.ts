import type { Fault } from '../../domain/error.ts';
import type { Catalog } from '../../domain/plant/plant.ts';
import type { PlantFile } from '../../domain/plant/plant-entry.ts';
import { type OrderPlan, OrderSeeds } from '../orders/seed-orders.ts';
import type { PlantDifference } from '../plant/plant-difference.ts';
import type { PlantPorts } from '../plant/plant-ports.ts';
import type { StoreRecord } from '../store-ports.ts';
import { type ProfilePlan, ProfileSeeds } from './seed-profiles.ts';

/** The changes that the profiles and orders of a plant file would make. */
export interface LibraryPlan {
  readonly faults: readonly Fault[];
  readonly difference: PlantDifference;
  readonly profiles: ProfilePlan;
  readonly orders: OrderPlan;
}

/** Profiles and orders of a plant file; other clients edit them through their own flows. */
export class LibrarySeeds {
  readonly #ports: Pick<PlantPorts, 'profileMutex'>;
  readonly #profiles: ProfileSeeds;
  readonly #orders: OrderSeeds;

  constructor(ports: PlantPorts) {
    this.#ports = ports;
    this.#profiles = new ProfileSeeds(ports);
    this.#orders = new OrderSeeds(ports);
  }

  /** `catalogs` are those after the change. */
  async plan(file: Pick<PlantFile, 'profiles' | 'orders'>, catalogs: readonly Catalog[]): Promise<LibraryPlan> {
    const profiles = await this.#profiles.plan(file.profiles, catalogs);
    const orders = await this.#orders.plan(file.orders);
    const faults = [...profiles.faults, ...orders.faults];
    return { faults, difference: [...profiles.difference, ...orders.difference], profiles, orders };
  }

  /** Writes the records while no other client edits these profiles. */
  commit(
    { profiles, orders }: LibraryPlan,
    principal: string,
    write: (records: readonly StoreRecord[]) => Promise<void>,
  ): Promise<void> {
    const profileIds = profiles.planned.map(({ profileId }) => profileId);
    return this.#ports.profileMutex.runExclusiveOnAll(profileIds, async () => {
      const records = await this.#profiles.records(profiles, principal);
      await write([...records, ...this.#orders.records(orders, principal)]);
    });
  }
}
