import { isInScope, type PlantScope } from '../../domain/plant/plant-scope.ts';
import type { MachinePage, ReceivedGateway, ReceivedMachine, ReceiveQueries } from './receive-ports.ts';

type GatewayQueries = Pick<ReceiveQueries, 'receivedGateways' | 'receivedMachines' | 'receivedMachine'>;

/** The gateways of a caller's plants, and their machines. Those of other plants are not there for it (D-108). */
export class SeenGateways {
  readonly #store: GatewayQueries;
  readonly #plants: PlantScope;

  constructor(store: GatewayQueries, plants: PlantScope) {
    this.#store = store;
    this.#plants = plants;
  }

  async all(): Promise<readonly ReceivedGateway[]> {
    const gateways = await this.#store.receivedGateways();
    return gateways.filter(({ plantId }) => isInScope(this.#plants, plantId));
  }

  /** Null: no such gateway exists, or the caller is not for its plant. */
  async find(gatewayId: string): Promise<ReceivedGateway | null> {
    return (await this.all()).find((gateway) => gateway.gatewayId === gatewayId) ?? null;
  }

  machines(page: Omit<MachinePage, 'plantIds'>): Promise<readonly ReceivedMachine[]> {
    const plantIds = this.#plants === 'all' ? null : [...this.#plants];
    return this.#store.receivedMachines({ ...page, plantIds });
  }

  /** Null like `find`. */
  async machine(gatewayId: string, machineId: string): Promise<ReceivedMachine | null> {
    const machine = await this.#store.receivedMachine(gatewayId, machineId);
    return machine !== null && isInScope(this.#plants, machine.plantId) ? machine : null;
  }
}
