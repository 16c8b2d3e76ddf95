import type { FleetProductionQueries } from '../../flows/fleet-production/fleet-production-ports.ts';
import type { Store } from '../../flows/store-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { ChangedMachines } from '../production/changed-machines.ts';
import { readMachineRecords } from '../production/machine-records.ts';
import { ShiftFigureRows } from '../production/shift-figures.ts';
import { StopLog } from '../production/stop-log.ts';
import type { ReceivedQueries } from './received-queries.ts';

/** The answers to questions about the production of gateways' machines. */
export function productionQueries(
  postgres: Postgres,
  queries: ReceivedQueries,
): FleetProductionQueries & Pick<Store, 'stopLog' | 'longestDowntimes'> {
  const changed = new ChangedMachines(postgres);
  const figures = new ShiftFigureRows(postgres);
  const log = new StopLog(postgres);
  return {
    changedMachines: (after, take) => changed.some(after, take),
    machineRecords: (machineIds, range) => readMachineRecords(postgres, machineIds, range),
    putShiftFigures: (added) => figures.put(added),
    noteChangedPlan: (gatewayId, sinceDate) => changed.notePlan(gatewayId, sinceDate),
    fleetSums: (by, scope) => figures.sums(by, scope),
    fleetStops: (by, scope) => figures.stops(by, scope),
    fleetReasons: (scope) => figures.reasons(scope),
    fleetWork: (by, scope) => figures.work(by, scope),
    fleetTotals: (gatewayId, shiftDate) => figures.totals(gatewayId, shiftDate),
    toldPlants: () => queries.toldPlants(),
    toldPlant: (gatewayId) => queries.toldPlant(gatewayId),
    stopLog: (scope) => log.read(scope),
    longestDowntimes: (search) => log.longest(search),
  };
}
