import { Aedes, type AedesOptions, type Client, type PublishPacket } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import { errorMessage } from '../../../domain/error-text.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { topicFault } from '../mqtt/topic-filter.ts';
import type { IncomingMessages } from '../persistence/incoming-messages.ts';
import type { RoutedMessage, Router } from '../readers/router.ts';

type Done = (error?: Error) => void;

interface Sender {
  readonly clientId: string;
  readonly messageId: number;
}

/** Undeclared members of aedes. */
interface AedesInternals {
  readonly clients: Readonly<Record<string, Client>>;
}

const AedesWithInternals = Aedes as unknown as new (options: AedesOptions) => Aedes & AedesInternals;

export interface AedesCoreOptions extends AedesOptions {
  readonly router: Router;
  readonly incoming: IncomingMessages;
  readonly incidents: Incidents;
}

/**
 * The used part of aedes: it speaks MQTT with clients other than machines, and takes their publications. These go to
 * the router, which takes them at once, so aedes never waits for a reader.
 */
export class AedesCore extends AedesWithInternals {
  readonly #router: Router;
  readonly #incoming: IncomingMessages;
  readonly #incidents: Incidents;
  /** The router has these already, because they had to be on disk before their PUBACK. */
  readonly #routed = new WeakSet<object>();

  constructor({ router, incoming, incidents, ...options }: AedesCoreOptions) {
    super(options);
    // mqtt-packet would make a Buffer for each of 65,536 packet ids at the first answer, and keep them.
    writeToStream.cacheNumbers = false;
    this.#router = router;
    this.#incoming = incoming;
    this.#incidents = incidents;
  }

  /** Passes a message on before aedes acknowledges it. Gives the promise of the router. */
  publishFirst(message: PublishPacket, publisher: Client): Promise<void> | null {
    this.#routed.add(message);
    const { topic, payload = '', qos = 0, retain = false } = message;
    return this.#router.publish({ topic, payload, qos, retain }, publisher.id);
  }

  /** `publisher` is the client that sent it; null or left out for aedes' own messages. */
  override publish(message: PublishPacket, publisher: Client | null | Done, done?: Done): void {
    if (typeof publisher === 'function') this.#publish(message, null, publisher);
    else this.#publish(message, publisher, done ?? (() => undefined));
  }

  #publish(message: PublishPacket, publisher: Client | null, done: Done): void {
    const fault = topicFault(message.topic);
    if (fault !== null) {
      done(new Error(`topic ${fault}`));
      return;
    }
    if (this.#routed.delete(message)) {
      done();
      return;
    }
    const { topic, payload = '', qos = 0, retain = false, messageId = 0 } = message;
    const routed = { topic, payload, qos, retain };
    if (publisher !== null && qos === 2) {
      this.#publishExactlyOnce(routed, { clientId: publisher.id, messageId }, done);
      return;
    }
    this.#router.pass(routed, publisher?.id ?? topic);
    done();
  }

  /** The client gets its PUBREC when the message is on disk. If that fails, the client is cut off, and may send the message again. */
  #publishExactlyOnce(message: RoutedMessage, { clientId, messageId }: Sender, done: Done): void {
    const stored = this.#router.publish(message, clientId);
    Promise.all([stored, this.#router.durable()]).then(
      () => done(),
      (error: Error) => {
        this.#incidents.report({ kind: 'store', subject: clientId, detail: errorMessage(error) });
        this.#incoming.complete(clientId, messageId);
        done(error);
      },
    );
  }
}
