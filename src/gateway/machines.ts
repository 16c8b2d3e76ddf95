import { runAt } from '../adapters/system/timetable.ts';
import type { Config } from '../config/config-schema.ts';
import { CodedError, faultText } from '../domain/error.ts';
import { errorMessage } from '../domain/error-text.ts';
import { DEFAULT_TIMING } from '../domain/machine/machine-state.ts';
import { createShiftCalendar, type ShiftCalendar } from '../domain/shift/shift-calendar.ts';
import { createWorkPlan, type WorkPlan } from '../domain/shift/work-plan.ts';
import { DeviceInboxFlow } from '../flows/device/device-inbox-flow.ts';
import { MachineRegistry } from '../flows/device/machine-registry.ts';
import { MachineWatch, recordOverrides } from '../flows/device/machine-watch.ts';
import { reportMiscounts } from '../flows/device/report-miscounts.ts';
import { ShiftRecounts } from '../flows/device/shift-recounts.ts';
import { ProductionFlow } from '../flows/production/production-flow.ts';
import type { StoredState } from '../flows/store-ports.ts';
import type { Base, Stop } from './gateway-parts.ts';

/** The machines in memory, with the parts that bring them the messages of devices and the passing of time. */
export interface Floor {
  readonly calendar: ShiftCalendar;
  readonly registry: MachineRegistry;
  readonly inbox: DeviceInboxFlow;
  readonly watch: MachineWatch;
  readonly production: Production;
}

/** Restores the machines and puts together the parts that drive them. */
export function openFloor(
  {
    config,
    log,
    clock,
    newId,
    store,
    incidents,
    plant,
  }: Pick<Base, 'config' | 'log' | 'clock' | 'newId' | 'store' | 'incidents' | 'plant'>,
  restored: StoredState,
): Floor {
  const { devices } = config;
  const calendar = calendarOf(config);
  const setupReasons = () => plant.downtimeReasons().filter(({ group }) => group === SETUP_GROUP);
  const registry = new MachineRegistry({
    context: {
      timing: {
        ...DEFAULT_TIMING,
        timeoutMs: devices.timeoutSeconds * 1_000,
        minimumStopMs: devices.minimumStopSeconds * 1_000,
      },
      shiftAt: calendar.shiftAt,
      newId,
    },
    maxUpdatesPerSecond: devices.maxUpdatesPerSecond,
    store,
    setupReasons: () => new Set(setupReasons().map(({ id }) => id)),
    onPartReported: (machineId, partId, partName) => plant.noteReportedPart(partId, partName, machineId),
  });
  registry.restore(restored);
  registry.configure(plant.machines(), clock.now());
  recordOverrides(registry, store);
  const shiftDateAt = (wallMs: number) => calendar.shiftAt(wallMs).shiftDate;
  reportMiscounts(registry, incidents);
  const inbox = new DeviceInboxFlow({ registry, store, clock, incidents, shiftDateAt });
  const shiftEndMs = (wallMs: number) => calendar.shiftAt(wallMs).endMs;
  const recounts = new ShiftRecounts({ registry, store, clock, incidents });
  const watch = new MachineWatch({ registry, inbox, store, clock, incidents, shiftEndMs, recounts });
  const production = openProduction({ config, plant, store, clock, log }, { registry, calendar });
  return { calendar, registry, inbox, watch, production };
}

/** Consecutive stops of a set-up stay one downtime if its reason is of this group (D-07). */
const SETUP_GROUP = 'Setup';

function calendarOf({ shifts }: Config): ShiftCalendar {
  const made = createShiftCalendar(shifts);
  if (made.ok) return made.calendar;
  throw new CodedError('invalid-input', made.faults.map(faultText).join('; '), made.faults);
}

/** Soon after the end of a shift, and not at the minute at which everything else happens. */
const SUMMARISED_AT = '2-59/5 * * * *';

export interface Production {
  readonly flow: ProductionFlow;
  readonly plan: WorkPlan;
  /** Adds up each shift that is over. Gives the function that ends this. */
  readonly schedule: () => Stop;
}

export function openProduction(
  {
    config,
    plant,
    store,
    clock,
    log,
  }: Pick<Base, 'plant' | 'store' | 'clock' | 'log'> & { readonly config: Pick<Config, 'shifts'> },
  { registry, calendar }: Pick<Floor, 'registry' | 'calendar'>,
): Production {
  const plan = createWorkPlan(config.shifts);
  const flow = new ProductionFlow({ registry, plant, store, calendar, plan, clock });
  const summarise = () =>
    flow
      .summariseFinished()
      .catch((error: unknown) => log.error({ error: errorMessage(error) }, 'shifts cannot be added up'));
  const schedule = () => runAt({ cron: SUMMARISED_AT, timeZone: config.shifts.timeZone, log }, summarise).stop;
  return { flow, plan, schedule };
}
