import type { Program } from '../program.ts';
import { type Ask, Designer, Driver, Machine, Office, type Told } from './floor-clients.ts';

/** The plant of the gateway, and its people; tasks and coils belong to the central server. */

export const LOTS = [1, 2, 3].map((number) => ({ taskId: `T-${number}`, coilId: `C-${number}` }));
const PLACES = ['WH-A1', 'WH-A2', 'WH-A3'];
const MACHINES = ['RF-01', 'RF-02'];
/** The destination of the tasks' coils: the location of the first machine. */
const TASK_PLACE = 'RF-01';
/** Each client has its own key, because the requests of a key are limited. */
const CLIENT_KEYS = 7;
const ANSWER_WITHIN_MS = 5_000;
const CUT_OFF_PAUSE_MS = 20;

function clientKey(index: number): string {
  return `client-key-${index}-0123456789`;
}

export const FLOOR_PLANT = JSON.stringify({
  locations: [{ code: TASK_PLACE, name: TASK_PLACE, category: 'Machine' }],
  machines: MACHINES.map((machineId) => ({
    machineId,
    topicRoot: `plant1/${machineId.toLowerCase()}`,
    ...(machineId === TASK_PLACE && { location: TASK_PLACE }),
    claims: ['service.machine.warehouse'],
    variables: ['lineSpeed'],
  })),
  parts: [{ partId: 'P-100', partName: 'Panel 100' }],
  apiKeys: Array.from({ length: CLIENT_KEYS }, (_, index) => ({
    principal: `client-${index}`,
    role: 'business',
    key: clientKey(index),
  })),
});

/** Asks the present process of the gateway. */
function askOf(program: () => Program, key: string): Ask {
  return async (method, path, body): Promise<Told | null> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${program().httpPort}${path}`, {
        method,
        headers: { authorization: `ApiKey ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') === true;
      return { status: answer.status, body: text === '' || !isJson ? text : JSON.parse(text) };
    } catch {
      // A client that is cut off tries again after a pause.
      await new Promise((resolve) => setTimeout(resolve, CUT_OFF_PAUSE_MS));
      return null;
    }
  };
}

export function hireCrew(program: () => Program, random: () => number) {
  const ask = (index: number) => askOf(program, clientKey(index));
  return {
    office: new Office('D', ask(0), random),
    drivers: LOTS.map(({ taskId, coilId }, index) => new Driver(taskId, coilId, PLACES, ask(1 + index), random)),
    designer: new Designer(ask(4), random),
    machines: MACHINES.map((machineId, index) => new Machine(machineId, ask(5 + index), random)),
  };
}

export type Crew = ReturnType<typeof hireCrew>;
