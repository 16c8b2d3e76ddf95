import { readCommand } from './command-message.ts';
import type { DeviceLink, LinkListener } from './device-link.ts';
import type { SimulatedMachine } from './machine-design.ts';
import { MqttSession } from './mqtt-session.ts';
import { rounded } from './readings.ts';
import type { Readings, SimulatedState } from './simulated-state.ts';
import { statusJson } from './status-message.ts';

/** A machine that sends whole JSON statuses over MQTT and reads the JSON command (MQTT-01). */
export class MqttMachine implements DeviceLink {
  readonly #session: MqttSession;
  readonly #listener: LinkListener;

  constructor(url: string, machine: SimulatedMachine, listener: LinkListener) {
    this.#listener = listener;
    this.#session = new MqttSession({
      url,
      machine,
      subscriptions: ['command'],
      onMessage: (_topic, text) => listener.onCommand(readCommand(text)),
      onConnect: () => undefined,
      onTrouble: (text) => listener.onTrouble(text),
    });
  }

  get isLinked(): boolean {
    return this.#session.isLinked;
  }

  sendStatus(state: SimulatedState): void {
    if (this.#session.publish('status', statusJson(state))) this.#listener.onStatusSent();
  }

  sendReadings(readings: Readings): void {
    this.#session.publish('vars', JSON.stringify(rounded(readings)));
  }

  reboot(): void {
    this.#session.reboot();
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
