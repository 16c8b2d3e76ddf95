import { impossibleBoot } from '../../domain/machine/counters/impossible-boot.ts';
import type { Sender } from '../../domain/machine/counters/sender.ts';
import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineState } from '../../domain/machine/machine-state.ts';
import type { CounterAnomaly } from '../../domain/machine/records.ts';
import type { Incident, Incidents } from '../ports.ts';
import type { MachineRegistry } from './machine-registry.ts';
import { addressOf } from './message-notes.ts';

type TwoSenders = Extract<MachineEffect, { type: 'twoSenders' }>;

/**
 * Reports devices whose counters cannot be counted rightly: mSecSinceBoot goes back or counters fall without a reboot,
 * or two devices send under one machineId.
 */
export function reportMiscounts(registry: Pick<MachineRegistry, 'onChange'>, incidents: Incidents): void {
  registry.onChange((live, effects, before) => {
    const { address } = live;
    const origin = address === null ? {} : { address };
    for (const effect of effects) {
      const found = miscountOf(effect, before, live.state);
      if (found !== null) incidents.report({ subject: live.machine.machineId, ...origin, ...found });
    }
  });
}

function miscountOf(
  effect: MachineEffect,
  before: MachineState,
  after: MachineState,
): Omit<Incident, 'subject'> | null {
  switch (effect.type) {
    case 'reboot': {
      const detail = impossibleBoot(before, after);
      return detail === null ? null : { kind: 'deviceClock', detail };
    }
    case 'anomaly':
      return { kind: 'counterFell', ...fallText(effect.anomaly) };
    case 'twoSenders':
      return { kind: 'twoSenders', detail: twoSenders(effect), ...addressOf(effect.senders[1] ?? {}) };
    default:
      return null;
  }
}

function fallText({ counter, from, to }: CounterAnomaly): Pick<Incident, 'detail' | 'example'> {
  const detail = `${counter} fell without a reboot: counting goes on from the new value. A counter may only start again when mSecSinceBoot does`;
  return { detail, example: `${counter} fell from ${from} to ${to}` };
}

/** One sentence for each pair of clients: uptimes would make each message another fault. */
function twoSenders({ senders: [one, other] }: TwoSenders): string {
  const [first, second] = [nameOf(one), nameOf(other)].sort();
  const found =
    first === second
      ? `${first} sends uptimes or counters of two devices`
      : `two devices send under this machineId: ${first} and ${second}`;
  return `${found}: nothing is counted until one of them is silent for 10 s. ${CURE}`;
}

const CURE =
  'Give each device its own machineId. If it is one device: mSecSinceBoot must be the milliseconds since its boot';

function nameOf(sender: Sender | null): string {
  if (sender === null) return 'an unknown client';
  const { transport, clientId, address = 'an unknown address' } = sender;
  if (transport === 'http') return `HTTP from ${address}`;
  return clientId === undefined || clientId === address
    ? `MQTT from ${address}`
    : `MQTT client ${clientId} at ${address}`;
}
