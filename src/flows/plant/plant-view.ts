import type { MachineId } from '../../domain/machine/machine-id.ts';
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

/** The plant as it is now, in memory: what flows and adapters may ask without waiting. */
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
  /** A device named a part that nobody configured: it is kept and flagged as new (D-09). */
  noteReportedPart(partId: string, partName: string | null, machineId: MachineId): void;
  /** Called after a change is committed and the view shows it. */
  onChange(listener: () => void): void;
}
