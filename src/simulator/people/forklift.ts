import { HOUR_MS } from '../../domain/time.ts';
import { type CallApi, recordsOf, textOf } from '../api-caller.ts';
import { RACKS } from '../plant/sample-material.ts';
import { oneOf, type Random } from '../random.ts';
import { startWorker, type WorkerOptions } from '../worker.ts';

export interface ForkliftOptions extends WorkerOptions {
  readonly random: Random;
  readonly machineIds: readonly [string, ...string[]];
  readonly roundMs?: number;
}

/** Slow enough to be watched: a task takes three rounds. */
const ROUND_MS = 8_000;
const DRIVER = 'forklift';
const REQUIRED_FT = 1_200;

type Task = Readonly<Record<string, unknown>>;

/**
 * A forklift driver who takes one task after the other, and asks for a new one when none is ready. Leaves tasks alone
 * that another person took. Takes a supervisor's key.
 */
export function startForklift(options: ForkliftOptions): { stop(): void } {
  const { roundMs = ROUND_MS } = options;
  let asked = 0;
  return startWorker(DRIVER, roundMs, options, async (call) => {
    const tasks = recordsOf(await call('GET', '/api/v1/warehouseTasks?onlyIncomplete=true'));
    const own = tasks.find((task) => textOf(task, 'userName') === DRIVER);
    const next = own ?? tasks.find((task) => textOf(task, 'taskState') === 'Ready');
    if (next !== undefined) {
      await goOn(next, call, options);
      return;
    }
    asked += 1;
    await askForTask(`T-${Date.now()}-${asked}`, call, options);
  });
}

async function goOn(task: Task, call: CallApi, { log }: ForkliftOptions): Promise<void> {
  const taskId = textOf(task, 'taskId');
  const path = `/api/v1/warehouseTasks/${encodeURIComponent(taskId)}`;
  const destination = textOf(task, 'destinationLocation');
  switch (textOf(task, 'taskState')) {
    case 'Ready':
      await call('POST', `${path}/inProcess`, { userName: DRIVER });
      log(`${DRIVER}  took ${taskId}`);
      return;
    case 'InProcess': {
      const { preferredCoilIds } = task;
      const coilId = Array.isArray(preferredCoilIds) ? String(preferredCoilIds[0]) : '';
      await call('POST', `${path}/inTransit`, { coilId, userName: DRIVER });
      log(`${DRIVER}  drives with ${coilId} to ${destination}`);
      return;
    }
    default:
      await call('POST', `${path}/complete`, { location: destination, userName: DRIVER });
      log(`${DRIVER}  completed ${taskId} at ${destination}`);
  }
}

/** Any coil goes to a machine, or back to a rack if it lies at one. */
async function askForTask(taskId: string, call: CallApi, { random, machineIds, log }: ForkliftOptions): Promise<void> {
  const [first, ...others] = recordsOf(await call('GET', '/api/v1/coils'));
  if (first === undefined) return;
  const coil = oneOf(first, others, random);
  const location = textOf(coil, 'location');
  const goesBack = machineIds.includes(location);
  const [machineId, ...otherMachines] = machineIds;
  const machine = goesBack ? location : oneOf(machineId, otherMachines, random);
  const now = Date.now();
  await call('POST', '/api/local/plant/tasks', {
    taskId,
    machineId: machine,
    taskType: goesBack ? 'MachineToWarehouse' : 'WarehouseToMachine',
    taskState: 'Ready',
    coilType: {
      coilTypeCode: textOf(coil, 'materialCode'),
      materialType: textOf(coil, 'materialType'),
      color: textOf(coil, 'color'),
      gauge: coil.gauge,
      widthIn: coil.widthIn,
      lbsPerFt: 2.5,
    },
    requiredFt: REQUIRED_FT,
    sourceLocation: location,
    destinationLocation: goesBack ? oneOf(RACKS[0], RACKS.slice(1), random) : machine,
    requiredDate: new Date(now + HOUR_MS).toISOString(),
    availableDate: new Date(now).toISOString(),
    preferredCoilIds: [textOf(coil, 'coilId')],
  });
  log(`${DRIVER}  asked for ${taskId}: ${textOf(coil, 'coilId')} from ${location}`);
}
