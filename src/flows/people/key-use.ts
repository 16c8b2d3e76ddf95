import type { ApiKey } from '../../domain/plant/plant.ts';
import type { Clock } from '../ports.ts';

/** A gateway has fewer keys; beyond this number revoked ones are forgotten. */
const MAX_REMEMBERED = 1_000;

/** The last use of each key since the gateway started. */
export class KeyUse {
  readonly #apiKeys: () => readonly ApiKey[];
  readonly #clock: Clock;
  readonly #usedAt = new Map<string, number>();

  constructor(apiKeys: () => readonly ApiKey[], clock: Clock) {
    this.#apiKeys = apiKeys;
    this.#clock = clock;
  }

  note(keyId: string): void {
    this.#usedAt.set(keyId, this.#clock.now().wallMs);
    if (this.#usedAt.size > MAX_REMEMBERED) this.list();
  }

  /** Lists the keys that still exist. */
  list(): readonly { readonly id: string; readonly lastUsedAt: number }[] {
    const ids = new Set(this.#apiKeys().map(({ id }) => id));
    for (const id of this.#usedAt.keys()) if (!ids.has(id)) this.#usedAt.delete(id);
    return [...this.#usedAt].map(([id, wallMs]) => ({ id, lastUsedAt: Math.round(wallMs) }));
  }
}
