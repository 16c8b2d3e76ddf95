import type { Decision } from '../../src/domain/machine/decision.ts';
import { type MachineId, machineId } from '../../src/domain/machine/machine-names.ts';
import { DEFAULT_TIMING } from '../../src/domain/machine/machine-state.ts';
import type { Machine } from '../../src/domain/plant/plant.ts';
import type { Shift } from '../../src/domain/shift/shift-calendar.ts';
import type { Now } from '../../src/domain/time.ts';
import { DeviceInboxFlow } from '../../src/flows/device/device-inbox-flow.ts';
import type { LiveMachine } from '../../src/flows/device/live-machine.ts';
import { MachineRegistry } from '../../src/flows/device/machine-registry.ts';
import { MachineWatch } from '../../src/flows/device/machine-watch.ts';
import type { Incident } from '../../src/flows/ports.ts';
import type { StoredState, StoreRecord } from '../../src/flows/store-ports.ts';

export const NO_STORED_STATE: StoredState = {
  machineStates: [],
  parts: [],
  openDowntimes: [],
  plant: [],
  personSessions: [],
  broker: [],
  damaged: [],
  lastWrittenAt: null,
  setAside: null,
};

const MQTT = { transport: 'mqtt', duplicate: false } as const;
const ONE_DAY = { shiftDate: '2026-03-02', shiftName: 'Day', startMs: 0, endMs: Number.MAX_SAFE_INTEGER };

export function knownMachine(text: string): MachineId {
  const id = machineId(text);
  if (id === null) throw new Error(`${text} is no machine id`);
  return id;
}

export function machine(id: string, more: Partial<Machine> = {}): Machine {
  return {
    machineId: knownMachine(id),
    name: id,
    topicRoot: `plant/${id}`,
    location: null,
    serialNumber: null,
    registrationKeyHash: null,
    claims: [],
    variables: [],
    catalogs: [],
    state: 'active',
    mqttPasswordHash: null,
    ...more,
  };
}

export function status(id: string, more: Readonly<Record<string, unknown>> = {}): string {
  const plain = { machineId: id, running: true, machinePower: true, override: false, mSecSinceBoot: 1_000 };
  return JSON.stringify({ ...plain, cycle: 0, goodPart: 0, badPart: 0, ...more });
}

/**
 * Machines in memory, put together like in the gateway, with a clock that tests set and a store that only remembers.
 */
export class FloorUnderTest {
  now: Now;
  readonly records: StoreRecord[] = [];
  /** The same in the groups in which they were handed over: each goes to disk as a whole. */
  readonly handedOver: (readonly StoreRecord[])[] = [];
  readonly sent: { readonly machineId: string; readonly decision: Decision; readonly topics: 'all' | 'bits' }[] = [];
  readonly incidents: Incident[] = [];
  readonly registry: MachineRegistry;
  readonly inbox: DeviceInboxFlow;
  readonly watch: MachineWatch;
  #ids = 0;

  constructor(
    machines: readonly Machine[],
    stored: StoredState = NO_STORED_STATE,
    life = 'id',
    now: Now = { monotonicMs: 1_000_000, wallMs: Date.UTC(2026, 2, 2, 8) },
    shiftAt: (wallMs: number) => Shift = () => ONE_DAY,
  ) {
    this.now = now;
    const store = {
      record: (records: readonly StoreRecord[]) => {
        this.records.push(...records);
        this.handedOver.push(records);
      },
      write: this.#write,
    };
    const clock = { now: () => this.now };
    const incidents = { report: (incident: Incident) => void this.incidents.push(incident) };
    this.registry = new MachineRegistry({
      context: { timing: DEFAULT_TIMING, shiftAt, newId: () => `${life}-${++this.#ids}` },
      maxUpdatesPerSecond: 10,
      store,
      setupReasons: () => new Set(),
      onPartReported: () => undefined,
    });
    this.registry.onDecision((id, decision, topics) => void this.sent.push({ machineId: id, decision, topics }));
    this.registry.restore(stored);
    this.registry.configure(machines, this.now);
    const shiftDateAt = (wallMs: number) => shiftAt(wallMs).shiftDate;
    this.inbox = new DeviceInboxFlow({ registry: this.registry, store, clock, incidents, shiftDateAt });
    const shiftEndMs = (wallMs: number) => shiftAt(wallMs).endMs;
    this.watch = new MachineWatch({
      ...{ registry: this.registry, inbox: this.inbox, store, clock, incidents, shiftEndMs },
      recounts: { look: () => undefined },
    });
  }

  live(id: string): LiveMachine {
    const live = this.registry.get(id);
    if (live === undefined) throw new Error(`${id} is not configured`);
    return live;
  }

  pass(milliseconds: number): void {
    const { monotonicMs, wallMs } = this.now;
    this.now = { monotonicMs: monotonicMs + milliseconds, wallMs: wallMs + milliseconds };
  }

  status(id: string, more: Readonly<Record<string, unknown>> = {}) {
    return this.say(id, status(id, more));
  }

  /** Sends any text on the machine's status topic. */
  say(id: string, text: string) {
    return this.inbox.status(knownMachine(id), text, MQTT);
  }

  field(id: string, name: string, text: string): void {
    this.inbox.statusField(knownMachine(id), name, text, MQTT);
  }

  takeHeld(id: string): void {
    this.inbox.takeHeld(this.live(id), this.now);
  }

  readonly #write = async (records: readonly StoreRecord[]): Promise<void> => void this.records.push(...records);
}
