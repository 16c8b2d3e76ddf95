import type { Clock } from '../../../flows/ports.ts';
import type { BrokerRow, StoreRecord } from '../../../flows/store-ports.ts';
import type { Will } from '../mqtt/connect-packet.ts';
import type { GatheredCommits } from '../persistence/gathered-commits.ts';
import { deleteRow, type Journal } from '../persistence/journal.ts';
import { reachOf } from '../topics.ts';
import type { CommandPublisher } from './command-publisher.ts';
import { DeviceSession } from './device-session.ts';

interface SessionRow {
  readonly clean: boolean;
  readonly filters: readonly (readonly [string, number])[];
  readonly will: (Omit<Will, 'payload'> & { readonly payload: string }) | null;
  /** The time by which the session outlives its connection; left out where it has no end. */
  readonly expiryMs?: number;
  /** The wall-clock time since which the device is away. */
  readonly awaySince?: number;
}

/** The row of a CONNECT waits this long for the SUBSCRIBE that follows its answer. */
const GATHER_MS = 50;
/** More rows at once would delay all machines. */
const MAX_GATHERED = 100;

/** Sets the rows of machines' own sessions apart from those of aedes' clients in the same table. */
export const DEVICE_KEY_PREFIX = 'device\u0000';

/** Machines' own sessions on disk: subscriptions outlive a restart (MQTT-10), and so does a will whose client never came back. */
export class DeviceSessions {
  readonly #journal: Journal;
  readonly #commits: GatheredCommits;
  readonly #clock: Clock;
  readonly #saved = new Map<string, string>();
  readonly #restored = new Map<string, SessionRow>();
  readonly #changed = new Map<string, DeviceSession>();
  #gathering: NodeJS.Timeout | null = null;

  constructor(
    {
      journal,
      commits,
      clock,
    }: { readonly journal: Journal; readonly commits: GatheredCommits; readonly clock: Clock },
    rows: readonly BrokerRow[],
  ) {
    this.#journal = journal;
    this.#commits = commits;
    this.#clock = clock;
    for (const row of rows) {
      const machineId = row.key.slice(DEVICE_KEY_PREFIX.length);
      const text = Buffer.from(row.value).toString('utf8');
      this.#saved.set(machineId, text);
      this.#restored.set(machineId, JSON.parse(text) as SessionRow);
    }
  }

  /** Wills of devices that were connected when the process ended, by machine. */
  leftoverWills(): Map<string, Will> {
    const wills = new Map<string, Will>();
    for (const [machineId, { will }] of this.#restored)
      if (will !== null) wills.set(machineId, { ...will, payload: Buffer.from(will.payload, 'base64') });
    return wills;
  }

  /**
   * Gives a command publisher the session that its device had before the restart, unless the topics no longer belong to
   * the machine.
   */
  restore(commandPublisher: CommandPublisher): void {
    const { machineId, topicRoot } = commandPublisher.route;
    const row = this.#restored.get(machineId);
    this.#restored.delete(machineId);
    if (row === undefined || row.clean) return;
    const reaches = row.filters.map(([filter, qos]) => ({ filter, qos, ...reachOf(filter, topicRoot) }));
    const isMoved = reaches.length > 0 && reaches.every(({ commands }) => commands.length === 0);
    if (isMoved) {
      this.forget(machineId);
      return;
    }
    const session = new DeviceSession(row.expiryMs ?? Number.POSITIVE_INFINITY);
    for (const { filter, qos, commands } of reaches) session.subscribe(filter, commands, qos);
    session.missedAll();
    const { monotonicMs, wallMs } = this.#clock.now();
    session.awaySinceMs = monotonicMs - Math.max(0, wallMs - (row.awaySince ?? wallMs));
    commandPublisher.session = session;
  }

  /** Forgets the sessions that no machine was given, because those machines are gone. */
  forgetUnclaimed(): void {
    for (const machineId of this.#restored.keys()) this.forget(machineId);
    this.#restored.clear();
  }

  /** Gives a promise that resolves when a session is on disk, or null if it was handed over before. */
  commit(machineId: string, session: DeviceSession): Promise<void> | null {
    this.#changed.delete(machineId);
    const put = this.#putOf(machineId, session);
    return put === null ? null : this.#commits.write(put);
  }

  save(machineId: string, session: DeviceSession): void {
    this.#changed.set(machineId, session);
    if (this.#changed.size >= MAX_GATHERED) this.flush();
    else this.#gathering ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  forget(machineId: string): void {
    this.#changed.delete(machineId);
    if (this.#saved.delete(machineId)) deleteRow(this.#journal, 'session', DEVICE_KEY_PREFIX + machineId);
  }

  /** Hands over the changed sessions. */
  flush(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
    for (const [machineId, session] of this.#changed) {
      const put = this.#putOf(machineId, session);
      if (put !== null) this.#journal.record([put]);
    }
    this.#changed.clear();
  }

  /** The row of a session; null if it was handed over before. */
  #putOf(machineId: string, session: DeviceSession): StoreRecord | null {
    const text = JSON.stringify(this.#rowOf(session));
    if (this.#saved.get(machineId) === text) return null;
    this.#saved.set(machineId, text);
    const row = { table: 'session', key: DEVICE_KEY_PREFIX + machineId, value: Buffer.from(text) } as const;
    return { kind: 'brokerPut', row };
  }

  #rowOf({ will, filters, expiryMs, awaySinceMs }: DeviceSession): SessionRow {
    const { monotonicMs, wallMs } = this.#clock.now();
    return {
      clean: expiryMs === 0,
      filters,
      will: will === null ? null : { ...will, payload: will.payload.toString('base64') },
      ...(Number.isFinite(expiryMs) && expiryMs > 0 && { expiryMs }),
      ...(Number.isFinite(expiryMs) &&
        awaySinceMs !== null && { awaySince: Math.round(wallMs - (monotonicMs - awaySinceMs)) }),
    };
  }
}
