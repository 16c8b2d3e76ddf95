import type { Incidents } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';

/** Counts connections in all and per address. */
export class ConnectionBudget {
  readonly #incidents: Incidents;
  readonly #byAddress = new Map<string, number>();
  #total = 0;

  constructor(incidents: Incidents) {
    this.#incidents = incidents;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether one more connection may come from the address; it is counted if so. */
  take(address: string): boolean {
    const here = this.#byAddress.get(address) ?? 0;
    const perAddress = isLoopback(address) ? LIMITS.connections : LIMITS.connectionsPerAddress;
    if (here >= perAddress || this.#total >= LIMITS.connections) {
      this.#incidents.report({
        kind: 'limitReached',
        subject: address,
        detail: `${here} connections from there, ${this.#total} in all`,
      });
      return false;
    }
    this.#byAddress.set(address, here + 1);
    this.#total++;
    return true;
  }

  give(address: string): void {
    const here = this.#byAddress.get(address) ?? 0;
    if (here <= 1) this.#byAddress.delete(address);
    else this.#byAddress.set(address, here - 1);
    this.#total--;
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}
