import { PacketWriter } from '../mqtt/command-encoder.ts';
import { PACKET } from '../mqtt/frame.ts';
import type { PublishView } from '../mqtt/packet-checks.ts';

/** Room for the acknowledgements of one commit; the writer grows if there are more. */
const FIRST_BYTES = 64;

/** Gathers acknowledgements: one commit stores many messages of a machine, and their acknowledgements are one write. */
export class Acknowledgements {
  readonly #write: (packets: Buffer) => void;
  #writer: PacketWriter | null = null;

  constructor(write: (packets: Buffer) => void) {
    this.#write = write;
  }

  /** Acknowledges a message in the present turn of the event loop. */
  add(view: Pick<PublishView, 'qos' | 'packetId'>): void {
    if (view.qos === 0) return;
    if (this.#writer === null) {
      this.#writer = new PacketWriter(FIRST_BYTES);
      queueMicrotask(() => this.#flush());
    }
    acknowledge(this.#writer, view);
  }

  #flush(): void {
    const packets = this.#writer?.take();
    this.#writer = null;
    if (packets !== undefined) this.#write(packets);
  }
}

/** Writes the acknowledgement of a message; QoS 0 has none. */
export function acknowledge(
  writer: PacketWriter,
  { qos, packetId }: Pick<PublishView, 'qos' | 'packetId'>,
): PacketWriter {
  if (qos > 0) writer.acknowledgement(qos === 1 ? PACKET.puback : PACKET.pubrec, packetId);
  return writer;
}
