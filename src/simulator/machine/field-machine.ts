import type { StatusFieldName } from '../../domain/machine/status/status-fields.ts';
import type { DeviceLink, LinkListener } from './device-link.ts';
import type { SimulatedMachine } from './machine-design.ts';
import { MqttSession } from './mqtt-session.ts';
import { rounded } from './readings.ts';
import type { Readings, SimulatedState } from './simulated-state.ts';
import { statusFields } from './status-message.ts';

const RUN_ENABLED = 'command/run-enabled';
const ATTENTION_NEEDED = 'command/attention-needed';

/** The single values that simple PLCs can send, with the interface's spelling of their topics (interface.md, MQTT). */
const FIELD_TOPICS: readonly (readonly [StatusFieldName, string])[] = [
  ['machinePower', 'machinePower'],
  ['cycle', 'cycles'],
  ['goodPart', 'goodPart'],
  ['badPart', 'badPart'],
  ['fault', 'fault'],
  ['override', 'override'],
  ['userId', 'userId'],
  ['partId', 'partId'],
  ['running', 'running'],
  ['mSecSinceBoot', 'msecsinceboot'],
];

/** A simple PLC: sends each value on a topic of its own when it has changed, and reads the 0/1 topics (MQTT-02, MQTT-04). */
export class FieldMachine implements DeviceLink {
  readonly #session: MqttSession;
  readonly #listener: LinkListener;
  readonly #spelling: SimulatedMachine['spelling'];
  readonly #sent = new Map<string, string>();
  #runEnabled = false;
  #attentionNeeded = false;

  constructor(url: string, machine: SimulatedMachine, listener: LinkListener) {
    this.#listener = listener;
    this.#spelling = machine.spelling;
    this.#session = new MqttSession({
      url,
      machine,
      subscriptions: [RUN_ENABLED, ATTENTION_NEEDED],
      onMessage: (topic, text) => this.#hear(topic, text),
      onConnect: (sincePowerUp) => this.#introduce(sincePowerUp),
      onTrouble: (text) => listener.onTrouble(text),
    });
  }

  get isLinked(): boolean {
    return this.#session.isLinked;
  }

  sendStatus(state: SimulatedState): void {
    const fields = statusFields(state);
    for (const [name, topic] of FIELD_TOPICS)
      this.#sendChanged(`status/${this.#spelling[name] ?? topic}`, plcText(fields.get(name)));
    if (this.isLinked) this.#listener.onStatusSent();
  }

  sendReadings(readings: Readings): void {
    for (const [name, value] of Object.entries(rounded(readings))) this.#sendChanged(`vars/${name}`, String(value));
  }

  reboot(): void {
    this.#session.reboot();
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /**
   * The 0/1 topics carry only changes, so a PLC that just started would not get an earlier decision. So its drives are
   * off at first, and switching them on is a change.
   */
  #introduce(sincePowerUp: 'first' | 'again'): void {
    this.#sent.clear();
    if (sincePowerUp === 'first') this.#sendChanged(`status/${this.#spelling.machinePower ?? 'machinePower'}`, '0');
  }

  #sendChanged(topic: string, text: string): void {
    if (this.#sent.get(topic) === text) return;
    if (this.#session.publish(topic, text)) this.#sent.set(topic, text);
  }

  #hear(topic: string, text: string): void {
    if (topic === RUN_ENABLED) this.#runEnabled = text === '1';
    else this.#attentionNeeded = text === '1';
    this.#listener.onCommand({ runEnabled: this.#runEnabled, attentionNeeded: this.#attentionNeeded, message: null });
  }
}

function plcText(value: string | number | boolean | undefined): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value ?? '');
}
