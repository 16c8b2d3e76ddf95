import { Aedes, type AedesOptions, type AedesPublishPacket, type Client, type PublishPacket } from 'aedes';
import type { BrokerPersistence } from './persistence/broker-persistence.ts';
import { topicFault } from './topic-filter.ts';

type Done = (error?: Error) => void;

/** What aedes has but does not declare. */
interface AedesInternals {
  readonly clients: Readonly<Record<string, Client>>;
}

const AedesWithInternals = Aedes as unknown as new (options: AedesOptions) => Aedes & AedesInternals;

export interface AedesCoreOptions extends AedesOptions {
  readonly id: string;
  readonly mq: { emit(packet: object, done: Done): unknown };
  readonly persistence: BrokerPersistence;
}

/** aedes, but for what its hooks cannot mend. */
export class AedesCore extends AedesWithInternals {
  readonly #mq: AedesCoreOptions['mq'];
  readonly #persistence: BrokerPersistence;
  #publications = 0;

  constructor(options: AedesCoreOptions) {
    super(options);
    this.#mq = options.mq;
    this.#persistence = options.persistence;
  }

  /** `publisher`: the client it came from; null or left out for our own. */
  override publish(message: PublishPacket, publisher: Client | null | Done, done?: Done): void {
    if (typeof publisher === 'function') this.#publish(message, null, publisher);
    else this.#publish(message, publisher, done ?? (() => undefined));
  }

  /**
   * Retains, queues and emits in one go. aedes takes turns for it, so that one message can overtake another, and then
   * takes the one overtaken for a duplicate: whoever listens to both never gets it.
   */
  #publish(message: PublishPacket, publisher: Client | null, done: Done): void {
    const fault = topicFault(message.topic);
    if (fault !== null) {
      done(new Error(`topic ${fault}`));
      return;
    }
    const { topic, payload = Buffer.alloc(0), qos = 0, retain = false, dup = false } = message;
    const numbered = { cmd: 'publish', brokerId: this.id, brokerCounter: ++this.#publications } as const;
    const packet = { ...numbered, topic, payload, qos, retain, dup, ...(publisher && { clientId: publisher.id }) };
    if (retain) this.#persistence.retained.store(packet, publisher?.id);
    if (qos > 0) this.#persistence.queue(packet);
    this.#mq.emit(packet, (error) => {
      if (error) done(error);
      else this.published(message as AedesPublishPacket, publisher as Client, (failure) => done(failure ?? undefined));
    });
  }
}
