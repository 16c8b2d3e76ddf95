import type { Location, ReasonCode } from '../domain/plant.ts';
import { isWarehouseLicensed } from '../domain/warehouse/licence.ts';
import type { PlantView } from './plant-view.ts';
import type { WarehouseReads } from './warehouse-ports.ts';

export interface WarehouseReadsPorts {
  readonly plant: Pick<PlantView, 'machines' | 'reasonCodes' | 'locations'>;
}

/** What business clients read of the warehouse, within the licence (TASK-01 to TASK-05, COIL-01 to COIL-03, COIL-05). */
export class WarehouseReadsFlow implements WarehouseReads {
  readonly #ports: WarehouseReadsPorts;

  constructor(ports: WarehouseReadsPorts) {
    this.#ports = ports;
  }

  reasonCodes(): readonly ReasonCode[] {
    return this.#isLicensed() ? this.#ports.plant.reasonCodes() : [];
  }

  locations(category: Location['category'] | null): readonly Location[] {
    if (!this.#isLicensed()) return [];
    const locations = this.#ports.plant.locations();
    return category === null ? locations : locations.filter((location) => location.category === category);
  }

  #isLicensed(): boolean {
    return this.#ports.plant.machines().some(isWarehouseLicensed);
  }
}
