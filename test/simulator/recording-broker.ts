import { type Broker, createBroker } from '../../src/adapters/broker/broker.ts';
import type { Decision } from '../../src/domain/machine/decision.ts';
import { type MachineId, machineId } from '../../src/domain/machine/machine-names.ts';
import type { DeviceInbox } from '../../src/flows/device/device-ports.ts';
import type { SimulatedMachine } from '../../src/simulator/machine/machine-design.ts';

/** A message of a device; `topic` is relative to its TopicRoot. */
interface Heard {
  readonly machineId: string;
  readonly topic: string;
  readonly text: string;
}

export interface RecordingBroker {
  readonly url: string;
  readonly port: number;
  readonly broker: Broker;
  readonly heard: Heard[];
  /** The answer to every status from now on. */
  decision: Decision;
  readonly troubles: string[];
}

export const ALLOW: Decision = { runEnabled: true, attentionNeeded: false, message: null };
export const HOLD: Decision = { runEnabled: false, attentionNeeded: true, message: 'Part not selected' };

export function idOf(text: string): MachineId {
  const id = machineId(text);
  if (id === null) throw new Error(`${text} is no machine id`);
  return id;
}

/** The product's own MQTT server, which notes the messages of machines and answers each status with one decision. */
export async function openRecordingBroker(machines: readonly SimulatedMachine[], port = 0): Promise<RecordingBroker> {
  const heard: Heard[] = [];
  const troubles: string[] = [];
  const note = (id: string, topic: string, text: string) => heard.push({ machineId: id, topic, text });
  const state: { decision: Decision } = { decision: ALLOW };
  const inbox: DeviceInbox = {
    status: (id, text) => {
      note(id, 'status', text);
      return { kind: 'command', decision: state.decision };
    },
    namedStatus: () => {
      throw new Error('no HTTP here');
    },
    namedVariables: () => Promise.reject(new Error('no HTTP here')),
    undecoded: () => {
      throw new Error('no HTTP here');
    },
    statusField: (id, name, text) => {
      note(id, `status/${name}`, text);
      return null;
    },
    variables: (id, text) => {
      note(id, 'vars', text);
      return { stored: Promise.resolve(), report: null };
    },
    variable: (id, name, text) => {
      note(id, `vars/${name}`, text);
      return { stored: Promise.resolve(), report: null };
    },
    presence: (id, topic, text) => {
      note(id, topic, text);
      return { stored: null, report: null };
    },
    unmatched: (clientId, topic, text) => {
      note(clientId, topic, text);
      return null;
    },
    decision: () => state.decision,
    cause: () => null,
  };
  const broker = await createBroker({
    host: '127.0.0.1',
    port,
    tls: null,
    maxPacketBytes: 262_144,
    access: 'known',
    legacyCommandTopics: false,
    runId: 'test',
    accounts: [],
    journal: { record: () => undefined, write: () => Promise.resolve(), synced: () => Promise.resolve() },
    restored: [],
    routes: machines.map((machine) => ({
      machineId: idOf(machine.machineId),
      topicRoot: machine.topicRoot,
      mqttPasswordHash: null,
    })),
    inbox,
    incidents: { report: ({ kind, subject, detail }) => troubles.push(`${kind} ${subject}: ${detail}`) },
    verifySecret: () => Promise.resolve(false),
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) },
  });
  const bound = await broker.listen();
  return {
    url: `mqtt://127.0.0.1:${bound.port}`,
    port: bound.port,
    broker,
    heard,
    troubles,
    get decision() {
      return state.decision;
    },
    set decision(decision) {
      state.decision = decision;
    },
  };
}
