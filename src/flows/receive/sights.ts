import { isInScope, type PlantName } from '../../domain/plant/plant-scope.ts';
import { type Sight, WHOLE_SIGHT } from '../../domain/plant/sight.ts';
import type { Actor } from '../ports.ts';
import type { Fleet } from './fleet.ts';

export interface SightsOptions {
  readonly plants: readonly PlantName[];
  /** Null if no batches of other gateways are taken. */
  readonly fleet: Pick<Fleet, 'gateway'> | null;
}

/** Knows which gateways a caller may know of: those of its plants, as of the newest look at them (D-109). */
export class Sights {
  readonly #options: SightsOptions;

  constructor(options: SightsOptions) {
    this.#options = options;
  }

  of({ plants = 'all' }: Pick<Actor, 'plants'>): Sight {
    if (this.#options.plants.every(({ plantId }) => isInScope(plants, plantId))) return WHOLE_SIGHT;
    const ofPlant = (plantId: string) => isInScope(plants, plantId);
    const ofGateway = (gatewayId: string) => {
      const gateway = this.#options.fleet?.gateway(gatewayId) ?? null;
      return gateway !== null && ofPlant(gateway.plantId);
    };
    return { isWhole: false, ofPlant, ofGateway };
  }
}
