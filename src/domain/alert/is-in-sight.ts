import { FIRST_PLANT } from '../plant/plant-scope.ts';
import type { Sight } from '../plant/sight.ts';
import type { AlertCause } from './alert.ts';
import { isFleetRule } from './alert-rule.ts';

/** Whether a caller may know of an alert: about a gateway or a machine of its plants, or about the server (D-109). */
export function isInSight(
  { kind, subject, machineId }: Pick<AlertCause, 'kind' | 'subject' | 'machineId'>,
  sight: Sight,
) {
  if (sight.isWhole) return true;
  if (isFleetRule({ kind })) return sight.ofGateway(subject);
  // Machines of our own are those of the first plant.
  return machineId === null || sight.ofPlant(FIRST_PLANT);
}
