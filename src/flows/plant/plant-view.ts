import type { MachineId } from '../../domain/machine/machine-names.ts';
import type {
  ApiKey,
  Catalog,
  DowntimeReason,
  Location,
  Machine,
  Part,
  ReasonCode,
  User,
} from '../../domain/plant/plant.ts';

/** The present plant in memory, which flows and adapters read without waiting. */
export interface PlantView {
  machines(): readonly Machine[];
  machine(machineId: string): Machine | undefined;
  parts(): readonly Part[];
  part(partId: string): Part | undefined;
  downtimeReasons(): readonly DowntimeReason[];
  reasonCodes(): readonly ReasonCode[];
  locations(): readonly Location[];
  catalogs(): readonly Catalog[];
  apiKeys(): readonly ApiKey[];
  users(): readonly User[];
  /** Keeps an unconfigured part that a device named, flagged as new (D-09). */
  noteReportedPart(partId: string, partName: string | null, machineId: MachineId): void;
  /** Called after a change is committed and the view shows it. */
  onChange(listener: () => void): void;
}
