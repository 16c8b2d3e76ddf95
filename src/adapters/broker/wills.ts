import { errorMessage } from '../../domain/error-text.ts';
import type { DeviceInbox } from '../../flows/device/device-ports.ts';
import type { Incidents } from '../../flows/ports.ts';
import { CONNACK } from './connect/admission.ts';
import { type Arrival, connack } from './connect/connect-handler.ts';
import type { CommandPublisher } from './device/command-publisher.ts';
import { takeDeviceMessage } from './device/device-input.ts';
import type { Will } from './device/device-session.ts';
import { LIMITS } from './limits.ts';
import type { Router } from './readers/router.ts';
import { meaningOf } from './topics.ts';

export interface WillsOptions {
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly router: Router;
}

/** Wills of clients: bounded in total while their clients are connected, and published for machines that vanish. */
export class Wills {
  readonly #options: WillsOptions;
  #bytes = 0;

  constructor(options: WillsOptions) {
    this.#options = options;
  }

  /** Whether there is room for a client's will until its connection ends; without room the client is refused. */
  hold({ clientConnection, packet }: Arrival): boolean {
    const bytes = willBytesOf(packet);
    if (bytes === 0) return true;
    if (this.#bytes + bytes > LIMITS.willBytes) {
      const detail = `refused: wills of all clients hold ${LIMITS.willBytes} bytes already`;
      this.#options.incidents.report({ kind: 'limitReached', subject: packet.clientId, detail });
      clientConnection.end(connack(CONNACK.serverUnavailable, false));
      return false;
    }
    this.#bytes += bytes;
    clientConnection.socket.once('close', () => {
      this.#bytes -= bytes;
    });
    return true;
  }

  /** Publishes the will of a machine that has vanished. */
  publish(commandPublisher: CommandPublisher, { topic, payload, qos, retain }: Will): void {
    const { inbox, router } = this.#options;
    const { topicRoot, machineId } = commandPublisher.route;
    const meaning = topic.startsWith(`${topicRoot}/`) ? meaningOf(topic.slice(topicRoot.length + 1)) : null;
    if (meaning === null || meaning.kind === 'command') {
      this.#forbid(machineId, topic);
      return;
    }
    const text = payload.toString('utf8');
    const outcome = takeDeviceMessage(inbox, commandPublisher, {
      meaning,
      text,
      clientId: machineId,
      qos: 0,
      packetId: 0,
      duplicate: false,
      retain,
      transport: 'mqtt',
      address: 'last will',
      raw: payload,
      rawAt: 0,
      topic,
    });
    if (outcome.kind === 'answer') commandPublisher.send(outcome.decision, 'all');
    if (outcome.kind === 'storing') outcome.stored.catch((error: unknown) => this.#notStored(machineId, error));
    router.pass({ topic, payload, qos, retain }, machineId);
  }

  #forbid(subject: string, topic: string): void {
    const detail = `will on ${topic}, which is not its own`;
    this.#options.incidents.report({ kind: 'forbiddenPublish', subject, detail });
  }

  #notStored(subject: string, error: unknown): void {
    this.#options.incidents.report({ kind: 'store', subject, detail: errorMessage(error) });
  }
}

export function willOf({ will }: Arrival['packet']): Will | null {
  if (will === undefined) return null;
  return { topic: will.topic, payload: Buffer.from(will.payload), qos: will.qos ?? 0, retain: will.retain ?? false };
}

function willBytesOf({ will }: Arrival['packet']): number {
  const bytes = will === undefined ? 0 : will.topic.length + will.payload.length;
  return bytes > LIMITS.willAllowance ? bytes : 0;
}
