import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { Part } from '../../domain/plant/plant.ts';
import { MAX_RECORDS } from '../../domain/plant/plant-entry.ts';
import type { PlantPorts } from './plant-ports.ts';

interface ReportedPart {
  readonly partId: string;
  readonly partName: string | null;
  readonly machineId: MachineId;
  readonly known: Part | undefined;
  /** The number of parts. */
  readonly count: number;
}

/** Parts that machines reported and that are not stored yet. More are not taken over. */
const MAX_ON_THEIR_WAY = 100;

/** Keeps parts that devices name and that are not configured, flagged as new (D-09), each once. */
export class ReportedParts {
  readonly #ports: Pick<PlantPorts, 'shapes' | 'log'>;
  readonly #keep: (part: Part) => Promise<void>;
  readonly #onTheirWay = new Map<string, string>();

  constructor(ports: Pick<PlantPorts, 'shapes' | 'log'>, keep: (part: Part) => Promise<void>) {
    this.#ports = ports;
    this.#keep = keep;
  }

  note(reported: ReportedPart): void {
    const { partId, known } = reported;
    // A name that a person gave stays.
    if (known !== undefined && !known.isNew) return;
    const partName = reported.partName ?? known?.partName ?? partId;
    if (known?.partName === partName || this.#onTheirWay.get(partId) === partName) return;
    const refusal = this.#refusal(reported, partName);
    if (refusal === null) this.#start({ partId, partName, isNew: true });
    else this.#ports.log.warn({ partId, machineId: reported.machineId }, `a reported part is not kept: ${refusal}`);
  }

  #refusal({ partId, known, count }: ReportedPart, partName: string): string | null {
    if (this.#onTheirWay.size >= MAX_ON_THEIR_WAY) return 'too many at once';
    if (known === undefined && count >= MAX_RECORDS.parts) return `there are ${count} parts already`;
    return this.#ports.shapes.parts({ partId, partName }).ok ? null : 'a part may not have such an id or name';
  }

  #start(part: Part): void {
    const { partId, partName } = part;
    this.#onTheirWay.set(partId, partName);
    this.#keep(part)
      .catch((error: unknown) => this.#ports.log.error({ partId, error }, 'a reported part could not be stored'))
      .finally(() => this.#onTheirWay.delete(partId));
  }
}
