import { Aedes, type AedesOptions, type AedesPublishPacket, type Client, type PublishPacket } from 'aedes';
import { topicFault } from '../mqtt/topic-filter.ts';
import type { Router } from '../readers/router.ts';

type Done = (error?: Error) => void;

/** Undeclared members of aedes. */
interface AedesInternals {
  readonly clients: Readonly<Record<string, Client>>;
}

const AedesWithInternals = Aedes as unknown as new (options: AedesOptions) => Aedes & AedesInternals;

export interface AedesCoreOptions extends AedesOptions {
  readonly router: Router;
}

/**
 * The used part of aedes: it speaks MQTT with clients other than machines, and takes their publications. These go to
 * the router, which takes them at once, so aedes never waits for a reader.
 */
export class AedesCore extends AedesWithInternals {
  readonly #router: Router;
  /** The router has these already, because they had to be on disk before their PUBACK. */
  readonly #routed = new WeakSet<object>();

  constructor({ router, ...options }: AedesCoreOptions) {
    super(options);
    this.#router = router;
  }

  /** Passes a message on before aedes acknowledges it. Gives the promise of the router. */
  publishFirst(message: PublishPacket, publisher: Client): Promise<void> | null {
    this.#routed.add(message);
    return this.#router.publish(message as PublishPacket & { payload: Buffer | string }, publisher.id);
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
    if (!this.#routed.delete(message)) {
      const { topic, payload = '', qos = 0, retain = false } = message;
      this.#router.pass({ topic, payload, qos, retain }, publisher?.id ?? topic);
    }
    this.published(message as AedesPublishPacket, publisher as Client, (failure) => done(failure ?? undefined));
  }
}
