import { foundText, invalidInput, noSuch } from '../../domain/error.ts';
import type { MachineInput } from '../../domain/machine/machine-input.ts';
import type { PartSelection } from '../../domain/machine/records.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { Plant } from '../plant/plant.ts';

import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';

export interface PartFlowOptions {
  readonly registry: MachineRegistry;
  readonly plant: Pick<Plant, 'part'>;
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
    return this.#choose(live, selection, at, { type: 'selectPart', partId, partName, at, by: 'person' });
  }

  /** Removes the selection: rule 2 fails until the next one. */
  async clear(machineId: string): Promise<LiveMachine> {
    const live = requireMachine(this.#options.registry, machineId);
    const at = Math.round(this.#options.clock.now().wallMs);
    return this.#choose(live, null, at, { type: 'clearPart', at });
  }

  /** While the choice goes to the disk, the device may name its part, which is then the later choice. */
  async #choose(live: LiveMachine, part: PartSelection | null, at: number, input: MachineInput): Promise<LiveMachine> {
    const { store, registry, clock } = this.#options;
    const { machineId } = live.machine;
    await store.write([{ kind: 'part', machineId, part, at }]);
    registry.apply(live, input, clock.now(), 'all');
    const { selection, selectionAt } = live.state;
    if (selectionAt !== at) await store.write([{ kind: 'part', machineId, part: selection, at: selectionAt }]);
    return live;
  }
}

/** The machine of that id, or the refusal `not-found`. */
export function requireMachine(registry: MachineRegistry, machineId: string): LiveMachine {
  const live = registry.get(machineId);
  if (live === undefined) throw noSuch('machine', machineId);
  return live;
}
