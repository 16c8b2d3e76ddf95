import { CodedError, foundText, noSuch } from '../../domain/error.ts';
import type { Contact } from '../../domain/fleet/contact.ts';
import type { GatewayReport } from '../../domain/fleet/gateway-health.ts';
import { needThere, receivedState } from '../../domain/fleet/received-state.ts';
import { jsonOrNull } from '../../domain/json/json.ts';
import { isoTimeOrNull } from '../../domain/time.ts';
import type { Fleet } from './fleet.ts';
import { contactView } from './gateway-view.ts';
import type { ReceivedMachine } from './receive-ports.ts';
import type { SeenGateways } from './seen-gateways.ts';

export interface ReceivedMachinesOptions {
  readonly seen: SeenGateways;
  /** Null if no batches of other gateways are taken. */
  readonly fleet: Pick<Fleet, 'gateway'> | null;
  /** The name of a machine as its gateway told it; null: it told none. */
  readonly nameOf: (gatewayId: string, machineId: string) => string | null;
}

/** Which machines of all gateways are listed. */
export interface MachineSearch {
  /** Those that need a person, also those of silent gateways that needed one; or those in this state; or all. */
  readonly only: 'need' | 'unknown' | null;
  readonly gatewayId: string | null;
  /** `gatewayId/machineId` of the last one of the page before. */
  readonly after: string | null;
  readonly limit: number;
}

/** Machines in one question to the store, so that it answers others in between. */
const MACHINES_AT_ONCE = 250;

const NOT_JUDGED: { readonly contact: Contact; readonly told: GatewayReport | null; readonly lastContactAt: number } = {
  contact: { state: 'awaited' },
  told: null,
  lastContactAt: 0,
};

/** The machines of gateways that a caller sees, in the order of their ids. */
export class ReceivedMachines {
  readonly #options: ReceivedMachinesOptions;

  constructor(options: ReceivedMachinesOptions) {
    this.#options = options;
  }

  /** All machines of one gateway. Rejects with `not-found`. */
  async ofGateway(gatewayId: string): Promise<readonly ReceivedMachine[]> {
    const machines: ReceivedMachine[] = [];
    for await (const page of this.#pages(gatewayId, null)) machines.push(...page);
    if (machines.length > 0) return machines;
    if ((await this.#options.seen.find(gatewayId)) !== null) return [];
    throw noSuch('sending gateway', gatewayId);
  }

  /** A page of the machines of all gateways; `next` is what `after` of the next page is, null at the end. */
  async search(search: MachineSearch) {
    const { only, gatewayId, limit } = search;
    const machines: ReturnType<ReceivedMachines['brief']>[] = [];
    for await (const page of this.#pages(gatewayId, afterOf(search.after))) {
      for (const row of page) {
        const machine = this.brief(row);
        const isWanted = only === null || (only === 'need' ? machine.need !== null : machine.state === only);
        if (isWanted) machines.push(machine);
        if (machines.length === limit) return { machines, next: `${row.gatewayId}/${row.machineId}` };
      }
    }
    return { machines, next: null };
  }

  /** Rejects with `not-found`. */
  async known(gatewayId: string, machineId: string): Promise<ReceivedMachine> {
    const machine = await this.#options.seen.machine(gatewayId, machineId);
    if (machine !== null) return machine;
    throw noSuch(`machine of gateway ${foundText(gatewayId)}`, machineId);
  }

  /** A machine without its last status. */
  readonly brief = (row: ReceivedMachine) => {
    const { gatewayId, plantId, machineId, statusAt, activity, activityAt, openStop } = row;
    const { contact, told, lastContactAt } = this.#options.fleet?.gateway(gatewayId) ?? NOT_JUDGED;
    const need = needThere(row, told);
    return {
      gatewayId,
      plantId,
      machineId,
      name: this.#nameOf(row, told),
      contact: contactView(contact, lastContactAt),
      state: receivedState(contact, need, activity),
      need: need === null ? null : { need: need.need, since: isoTimeOrNull(need.since) },
      activity,
      activitySince: isoTimeOrNull(activityAt),
      openStop: openStop === null ? null : { ...openStop, startedAt: isoTimeOrNull(openStop.startedAt) },
      statusAt: isoTimeOrNull(statusAt),
    };
  };

  /** A machine with its last status, as the device sent it. */
  readonly whole = (row: ReceivedMachine) => {
    return { ...this.brief(row), status: parsed(row.status), part: parsed(row.part) };
  };

  /** A gateway of an earlier version names the machines that need a person alone. */
  #nameOf({ gatewayId, machineId }: ReceivedMachine, report: GatewayReport | null): string | null {
    const needing = report?.health.needs.find((one) => one.machineId === machineId);
    return this.#options.nameOf(gatewayId, machineId) ?? needing?.name ?? null;
  }

  async *#pages(
    gatewayId: string | null,
    start: ReceivedMachineKey | null,
  ): AsyncGenerator<readonly ReceivedMachine[]> {
    let after = start;
    for (;;) {
      const page = await this.#options.seen.machines({ gatewayId, after, take: MACHINES_AT_ONCE });
      yield page;
      after = page.at(-1) ?? null;
      if (page.length < MACHINES_AT_ONCE) return;
    }
  }
}

type ReceivedMachineKey = Pick<ReceivedMachine, 'gatewayId' | 'machineId'>;

function afterOf(after: string | null): ReceivedMachineKey | null {
  if (after === null) return null;
  const at = after.lastIndexOf('/');
  if (at > 0) return { gatewayId: after.slice(0, at), machineId: after.slice(at + 1) };
  throw new CodedError('invalid-input', `after: found ${foundText(after)}, expected next of the page before`);
}

/** A gateway may send anything as the status of a device. */
function parsed(json: string | null): unknown {
  return json === null ? null : jsonOrNull(json);
}
