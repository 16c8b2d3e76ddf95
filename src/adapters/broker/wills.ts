import { errorMessage } from '../../domain/error-text.ts';
import type { Incidents } from '../../flows/ports.ts';
import type { BrokerRow } from '../../flows/store-ports.ts';
import type { Arrival } from './connect/connect-handler.ts';
import type { Publications } from './general/publications.ts';
import { LIMITS } from './limits.ts';
import { refusingConnack } from './mqtt/answers.ts';
import type { Will } from './mqtt/connect-packet.ts';
import { REASON } from './mqtt/reason-codes.ts';
import { deleteRow, type Journal, KEY_SEPARATOR, putRow } from './persistence/journal.ts';
import type { Lifetimes } from './persistence/lifetimes.ts';
import type { Payload } from './readers/payload.ts';
import type { Router } from './readers/router.ts';

/** Sets the wills that the gateway keeps itself apart from those of aedes in the same table. */
export const OWN_WILL_PREFIX = `own${KEY_SEPARATOR}`;
/** After a restart, a client has this long to come back before its will is published. */
const LEFTOVER_WILL_MS = 90_000;

/** A will on disk. Wills of connected clients have no `dueAt`, which is in wall-clock milliseconds. */
interface WillRow extends Omit<Will, 'payload'> {
  readonly payload: string;
  readonly dueAt?: number | undefined;
}

interface DueWill {
  readonly will: Will;
  readonly dueAtMs: number;
}

export interface WillsOptions {
  readonly journal: Journal;
  readonly lifetimes: Lifetimes;
  readonly incidents: Incidents;
  readonly restored: readonly BrokerRow[];
  readonly publications: Publications;
  readonly router: Router;
}

/** Wills of clients: bounded in total, published when a client vanishes, at once or after their delay. */
export class Wills {
  readonly #options: WillsOptions;
  /** Wills of clients that are away. */
  readonly #due = new Map<string, DueWill>();
  /** Clients whose will is on disk. */
  readonly #saved = new Set<string>();
  #bytes = 0;

  constructor(options: WillsOptions) {
    this.#options = options;
    for (const { table, key, value } of options.restored) {
      if (table !== 'will' || !key.startsWith(OWN_WILL_PREFIX)) continue;
      const row = JSON.parse(Buffer.from(value).toString('utf8')) as WillRow;
      const { dueAt, ...will } = { ...row, payload: Buffer.from(row.payload, 'base64') };
      const clientId = key.slice(OWN_WILL_PREFIX.length);
      this.#saved.add(clientId);
      this.leftOver(clientId, will, dueAt);
    }
  }

  /** Whether there is room for a client's will until its connection ends; without room the client is refused. */
  hold({ clientConnection, packet }: Arrival): boolean {
    const bytes = packet.will === null ? 0 : willBytes(packet.will);
    if (bytes <= LIMITS.willAllowance) return true;
    if (this.#bytes + bytes > LIMITS.willBytes) {
      const text = `refused: wills of all clients hold ${LIMITS.willBytes} bytes already`;
      this.#options.incidents.report({ kind: 'limitReached', subject: packet.clientId, detail: text });
      const { version, bounds } = packet;
      clientConnection.end(refusingConnack(version, { code: REASON.quotaExceeded, text }, bounds.maximumPacketBytes));
      return false;
    }
    this.#bytes += bytes;
    clientConnection.socket.once('close', () => {
      this.#bytes -= bytes;
    });
    return true;
  }

  /** The will of a client that was connected, or away, when the process ended. */
  leftOver(clientId: string, will: Will, dueAt?: number): void {
    const { lifetimes } = this.#options;
    const graceMs = lifetimes.nowMs() + LEFTOVER_WILL_MS;
    this.#keep(clientId, {
      will,
      dueAtMs: dueAt === undefined ? graceMs : Math.max(graceMs, lifetimes.fromDisk(dueAt)),
    });
  }

  /** Keeps the will of a connected client on disk. */
  save(clientId: string, will: Will | null): void {
    if (will !== null) this.#put(clientId, will);
  }

  /** The client has said goodbye, so its will is void. */
  drop(clientId: string): void {
    if (this.#saved.delete(clientId)) deleteRow(this.#options.journal, 'will', OWN_WILL_PREFIX + clientId);
  }

  /** The client has vanished. The will comes after its delay, and with the end of the session at the latest. */
  vanished(clientId: string, will: Will, sessionExpiryMs: number): void {
    const delayMs = Math.min(will.delayMs, sessionExpiryMs);
    const hasRoom = this.#bytes + willBytes(will) <= LIMITS.willBytes;
    if (delayMs === 0 || !hasRoom) {
      this.drop(clientId);
      this.#publish(clientId, will);
      return;
    }
    const dueAtMs = this.#options.lifetimes.endOf(delayMs);
    this.#keep(clientId, { will, dueAtMs });
    this.#put(clientId, will, dueAtMs);
  }

  /** The client is back: with its session its will is void, without it the session has ended (MQTT-3.1.3-9). */
  returned(clientId: string, isSessionKept: boolean): void {
    const due = this.#take(clientId);
    if (due !== undefined && due.will.delayMs > 0 && !isSessionKept) this.#publish(clientId, due.will);
  }

  sessionEnded(clientId: string): void {
    const due = this.#take(clientId);
    if (due !== undefined) this.#publish(clientId, due.will);
  }

  /** Publishes the wills whose time has come. To be called about once a second. */
  sweep(): void {
    const nowMs = this.#options.lifetimes.nowMs();
    for (const [clientId, { will, dueAtMs }] of this.#due) {
      if (dueAtMs > nowMs) continue;
      this.#take(clientId);
      this.#publish(clientId, will);
    }
  }

  /** Publishes the will of a machine below its own topics alone, and that of another client as if it were connected. */
  #publish(clientId: string, { topic, payload, qos, retain, properties, expiryMs }: Will): void {
    const { publications, router, incidents } = this.#options;
    // The rights of its client were checked when it came in.
    const publication = {
      clientId,
      rights: null,
      sender: clientId,
      address: 'last will',
      topic,
      raw: payload,
      rawAt: 0,
      retain,
    };
    const verdict = publications.take({ ...publication, qos: 0, packetId: 0, duplicate: false, isMqtt5: false });
    if (verdict.kind === 'refused') return;
    const { stored, answer } = verdict;
    stored?.catch((error: unknown) => {
      incidents.report({ kind: 'store', subject: clientId, detail: errorMessage(error) });
    });
    router.pass({ topic, payload, qos, retain, properties, expiryMs }, clientId);
    if (answer !== null) answer.commandPublisher.send(answer.decision, 'all');
  }

  #keep(clientId: string, due: DueWill): void {
    this.#due.set(clientId, due);
    this.#bytes += willBytes(due.will);
  }

  #take(clientId: string): DueWill | undefined {
    const due = this.#due.get(clientId);
    if (due === undefined) return undefined;
    this.#due.delete(clientId);
    this.#bytes -= willBytes(due.will);
    this.drop(clientId);
    return due;
  }

  #put(clientId: string, will: Will, dueAtMs = Number.POSITIVE_INFINITY): void {
    const row: WillRow = {
      ...will,
      payload: will.payload.toString('base64'),
      dueAt: this.#options.lifetimes.toDisk(dueAtMs),
    };
    this.#saved.add(clientId);
    putRow(this.#options.journal, 'will', OWN_WILL_PREFIX + clientId, Buffer.from(JSON.stringify(row)));
  }
}

function willBytes({
  topic,
  payload,
  properties,
}: {
  readonly topic: string;
  readonly payload: Buffer;
  readonly properties: Payload;
}): number {
  return topic.length + payload.length + properties.length;
}
