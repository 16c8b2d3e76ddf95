import { CodedError, foundText, invalidInput } from '../../domain/error.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { PlantView } from '../plant/plant-view.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';

export interface PartFlowOptions {
  readonly registry: MachineRegistry;
  readonly plant: Pick<PlantView, 'part'>;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
}

/** A person chooses the part of a machine (D-09). The choice is on disk before the machine gets it. */
export class PartFlow {
  readonly #options: PartFlowOptions;

  constructor(options: PartFlowOptions) {
    this.#options = options;
  }

  /** Selects a part of the plant. Rejects with `not-found` for an unknown machine, `invalid-input` for an unknown part. */
  async select(machineId: string, partId: string): Promise<LiveMachine> {
    const live = requireMachine(this.#options.registry, machineId);
    const part = this.#options.plant.part(partId);
    if (part === undefined)
      throw invalidInput([{ path: 'partId', found: foundText(partId), expected: 'the id of a part of the plant' }]);
    const { partName } = part;
    const at = Math.round(this.#options.clock.now().wallMs);
    const selection = { partId, partName, selectedAt: at, selectedBy: 'person' } as const;
    await this.#options.store.write([{ kind: 'part', machineId: live.machine.machineId, part: selection, at }]);
    this.#options.registry.apply(
      live,
      { type: 'selectPart', partId, partName, at, by: 'person' },
      this.#options.clock.now(),
      'all',
    );
    return live;
  }

  /** Removes the selection: rule 2 fails until the next one. */
  async clear(machineId: string): Promise<LiveMachine> {
    const live = requireMachine(this.#options.registry, machineId);
    const at = Math.round(this.#options.clock.now().wallMs);
    await this.#options.store.write([{ kind: 'part', machineId: live.machine.machineId, part: null, at }]);
    this.#options.registry.apply(live, { type: 'clearPart', at }, this.#options.clock.now(), 'all');
    return live;
  }
}

/** The machine of that id, or the refusal `not-found`. */
export function requireMachine(registry: MachineRegistry, machineId: string): LiveMachine {
  const live = registry.get(machineId);
  if (live === undefined) throw new CodedError('not-found', `no machine ${foundText(machineId)} is configured`);
  return live;
}
