import { LIMITS } from '../limits.ts';

/** Bytes that connections hold until a packet is whole, or until they are let in. Each may hold a little; all together are bounded. */
export class HeldBytes {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Notes that a connection holds `now` bytes instead of `before`. Gives whether there is room for them. */
  change(before: number, now: number): boolean {
    this.#total += counted(now) - counted(before);
    return counted(now) === 0 || this.#total <= LIMITS.partialPacketBytes;
  }
}

function counted(bytes: number): number {
  return bytes > LIMITS.partialPacketAllowance ? bytes : 0;
}
