import { CodedError, foundText, noSuch } from '../../domain/error.ts';
import type { Machine } from '../../domain/plant/plant.ts';
import { isUpToDate, NOTHING_HELD } from '../../domain/profile/delivery.ts';
import { type DeliveryExplanation, explainDelivery } from '../../domain/profile/delivery-checks.ts';
import { cursorText, readCursor } from '../../domain/profile/delivery-cursor.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type { NewestChange, NoProfileChanges, ProfileQueries } from './profile-ports.ts';

export interface DeliveryFlowOptions {
  readonly machines: () => readonly Machine[];
  readonly store: Pick<ProfileQueries, 'profileChanges' | 'profile'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/**
 * Gives machines the changes in their catalogs on request (contract.md, Machine delivery; SYNC-02 to SYNC-05). It
 * remembers the newest change number, so that a machine that lacks nothing is answered without asking the store.
 */
export class DeliveryFlow {
  readonly #options: DeliveryFlowOptions;
  /** The last request of each machine since the start, by serial number, in wall-clock milliseconds. */
  readonly #lastFetches = new Map<string, number>();
  /** Null if it is not known and the store has to be asked. */
  #newest: NewestChange | null = null;
  /** Counts how often the remembered state became doubtful. */
  #doubts = 0;

  constructor(options: DeliveryFlowOptions) {
    this.#options = options;
  }

  /** To be called when a change is on disk, and when the store may have begun again. */
  noteChange(): void {
    this.#doubts += 1;
    this.#newest = null;
  }

  /** The answer to a machine that is known by its serial number; `since` is the cursor it sent, null without one. */
  async changes(serialNumber: string, since: string | null): Promise<JsonText | NoProfileChanges> {
    const machine = this.#options.machines().find((candidate) => candidate.serialNumber === serialNumber);
    if (machine === undefined) throw new CodedError('unauthenticated', 'no machine has this serial number any more');
    this.#lastFetches.set(serialNumber, this.#options.clock.now().wallMs);
    const unchanged: NoProfileChanges = { cursor: since ?? cursorText(NOTHING_HELD), more: false, changes: [] };
    if (machine.state !== 'active') return unchanged;
    const cursor = since === null ? NOTHING_HELD : readCursor(since);
    const newest = this.#newest;
    if (cursor !== null && newest !== null && isUpToDate(cursor, machine.catalogs, newest)) return unchanged;
    const doubts = this.#doubts;
    const answer = await this.#options.store.profileChanges(cursor, { serialNumber, catalogs: machine.catalogs });
    // An answer from before a change may be outdated by now.
    if (doubts === this.#doubts) this.#newest = answer.newest;
    if (answer.isForeign) this.#reportForeign(machine, since ?? '');
    return answer.text;
  }

  /** Explains whether the machine has the profile. Rejects with `not-found` if either is unknown. */
  async explain(machineId: string, profileId: string): Promise<DeliveryExplanation> {
    const machine = this.#options.machines().find((candidate) => candidate.machineId === machineId);
    if (machine === undefined) throw noSuch('machine', machineId);
    const profile = await this.#options.store.profile(profileId);
    if (profile === null) throw noSuch('profile', profileId);
    const lastFetchMs = this.#lastFetches.get(machine.serialNumber ?? '') ?? null;
    return explainDelivery(profile, machine, lastFetchMs);
  }

  #reportForeign({ machineId }: Machine, since: string): void {
    const detail = `its cursor ${foundText(since)} did not come from this gateway: it is sent all profiles again`;
    this.#options.incidents.report({ kind: 'malformed', subject: machineId, detail });
  }
}
