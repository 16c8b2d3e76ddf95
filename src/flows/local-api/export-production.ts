import type { LiveMachine } from '../device/live-machine.ts';
import type { ProductionRow } from './local-api-ports.ts';
import type { MachineHistory } from './machine-history.ts';
import { productionView } from './machine-view.ts';

/** A page for each machine of each production day. It is read when the one before it is sent. */
export async function* exportedProduction(
  machines: readonly LiveMachine[],
  shiftDates: readonly string[],
  history: Pick<MachineHistory, 'shifts'>,
): AsyncIterable<readonly ProductionRow[]> {
  for (const shiftDate of shiftDates) {
    for (const live of machines) {
      const { shifts } = productionView(shiftDate, await history.shifts(live, shiftDate));
      const { machineId, name: machineName } = live.machine;
      yield shifts.map((shift) => ({ shiftDate, machineId, machineName, ...shift }));
    }
  }
}
