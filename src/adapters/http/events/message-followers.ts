import type { ServerResponse } from 'node:http';
import { CodedError } from '../../../domain/error.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import { LIMITS } from '../limits.ts';

type MessageSource = Pick<LocalApiFlow, 'messageCount' | 'newMessages'>;

/** The followers of one machine, and the number of messages that they got. */
interface Followed {
  told: number;
  readonly by: Set<ServerResponse>;
}

/**
 * Sends the messages of a machine to its followers. They are read from the machine's ring from time to time, so that a
 * message costs its machine nothing, and without followers there is no work at all.
 */
export class MessageFollowers {
  readonly #source: MessageSource;
  readonly #write: (response: ServerResponse, bytes: Buffer) => void;
  /** The machine that was read last stands last. */
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | null = null;

  constructor(source: MessageSource, write: (response: ServerResponse, bytes: Buffer) => void) {
    this.#source = source;
    this.#write = write;
  }

  /** Adds a follower from now on. An unknown machine has no messages. */
  add(response: ServerResponse, machineIds: readonly string[]): void {
    for (const machineId of machineIds) {
      const followed = this.#followed.get(machineId) ?? { told: this.#countOf(machineId), by: new Set() };
      followed.by.add(response);
      this.#followed.set(machineId, followed);
    }
    if (this.#followed.size > 0) this.#timer ??= setInterval(() => this.#tell(), LIMITS.messageTickMs).unref();
  }

  remove(response: ServerResponse): void {
    for (const [machineId, { by }] of this.#followed) {
      by.delete(response);
      if (by.size === 0) this.#followed.delete(machineId);
    }
    if (this.#followed.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Sends new messages. If the time of this turn is over, the rest is sent at the next interval. */
  #tell(): void {
    const startedMs = performance.now();
    for (const [machineId, followed] of [...this.#followed]) {
      if (performance.now() - startedMs > LIMITS.sliceMs) return;
      this.#followed.delete(machineId);
      this.#followed.set(machineId, followed);
      this.#tellOf(machineId, followed);
    }
  }

  #tellOf(machineId: string, followed: Followed): void {
    const count = this.#countOf(machineId);
    // The machine was removed from the plant and came back.
    if (count < followed.told) followed.told = 0;
    if (count === followed.told) return;
    const { total, messages } = this.#source.newMessages(machineId, followed.told);
    followed.told = total;
    const first = total - messages.length + 1;
    const text = messages
      .map((message, place) => JSON.stringify({ machineId, number: first + place, ...message }))
      .map((data) => `event: message\ndata: ${data}\n\n`)
      .join('');
    const bytes = Buffer.from(text);
    for (const response of followed.by) this.#write(response, bytes);
  }

  #countOf(machineId: string): number {
    try {
      return this.#source.messageCount(machineId);
    } catch (error) {
      if (error instanceof CodedError && error.code === 'not-found') return 0;
      throw error;
    }
  }
}
