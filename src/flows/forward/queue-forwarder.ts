import type { ConnectionEvent, ConnectionStatus, ServerKind } from '../../domain/sync/connection-states.ts';
import { isoTime, isoTimeOrNull } from '../../domain/time.ts';
import type { LiveChange } from '../local-api/local-api-ports.ts';
import type { Clock, Incidents, Log } from '../ports.ts';
import { BatchForwarder } from './batch-forwarder.ts';
import { CommandComparison, type CommandComparisonOptions, type CommandDifference } from './command-comparison.ts';
import { ConnectionFlow, type ConnectionView } from './connection-flow.ts';
import { discoverServer } from './discover-server.ts';
import { EntityForwarder, type RefusedRow } from './entity-forwarder.ts';
import type { After } from './forward-loop.ts';
import { OperationSender } from './operation-sender.ts';
import { PointForwarder } from './point-forwarder.ts';
import type { SettleQueries } from './settle-ports.ts';
import type { ForwardRecord, SyncQueries } from './sync-ports.ts';
import type { CentralServer } from './upstream-ports.ts';

export interface QueueForwarderOptions extends CommandComparisonOptions {
  readonly store: SyncQueries & { write(records: readonly ForwardRecord[]): Promise<void> };
  readonly settling: SettleQueries;
  readonly server: CentralServer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly after: After;
  readonly newId: () => string;
  readonly gatewayId: string;
  readonly incidents: Incidents;
  readonly log: Log;
  readonly shiftDateAt: (wallMs: number) => string;
  /** A change of an entity was refused: its record here follows the server's (D-18). */
  readonly refresh: (entity: string) => void;
}

/** A row that was just queued is most likely on disk by then. */
const WAKE_MS = 50;
/** The time that a task's queued operations have to reach the server before its complete or cancel is refused (D-17). */
const DRAIN_MS = 5_000;
const DRAIN_LOOK_MS = 25;
/** Requests under way get this long to be answered when the gateway stops. */
const CLOSE_GRACE_MS = 1_500;

/** Sends the waiting records to the central server, in the form that it takes (UP-01 to UP-05). */
export class QueueForwarder {
  readonly #options: QueueForwarderOptions;
  readonly #connection: ConnectionFlow;
  readonly #batches: BatchForwarder;
  readonly #entityQueues: EntityForwarder;
  readonly #points: PointForwarder;
  readonly #commands: CommandComparison;
  readonly #listeners: ((change: LiveChange) => void)[] = [];
  #sentRecords = 0;
  #isWoken = false;
  #starts = 0;

  constructor(options: QueueForwarderOptions) {
    const { server, clock, random, after } = options;
    this.#options = options;
    this.#commands = new CommandComparison(options);
    this.#connection = new ConnectionFlow({
      ...{ clock, random, after },
      discover: () => discoverServer(server),
      onForward: (kind) => this.#forward(kind),
      onPause: () => this.#pause(),
      onStatus: (status, detail) => this.#tellStatus(status, detail),
    });
    const shared = {
      ...options,
      onConnection: (event: ConnectionEvent) => this.#connection.happened(event),
      onSent: (records: number) => {
        this.#sentRecords += records;
      },
    };
    this.#batches = new BatchForwarder({ ...shared, onRefused: (count, at) => this.#tellRefusals(count, at) });
    this.#entityQueues = new EntityForwarder({
      ...shared,
      operations: new OperationSender(options),
      onRefused: (row) => this.#tellRefused(row),
      onCommand: (sample, command) => this.#commands.compare(sample, command),
    });
    this.#points = new PointForwarder(shared);
  }

  /** `lastContactAt` is the last contact with the central server in the run before, in wall-clock milliseconds. */
  start(lastContactAt: number | null = null): void {
    this.#connection.start(lastContactAt);
  }

  /** Notes that a record was, or is about to be, queued. */
  wake(): void {
    if (this.#isWoken || !this.#connection.isForwarding) return;
    this.#isWoken = true;
    this.#options.after(WAKE_MS, () => {
      this.#isWoken = false;
      this.#wakeNow(false);
    });
  }

  /** Sends now the records that were refused or that wait for another try, because a person wants it. */
  retry(): void {
    this.#wakeNow(true);
  }

  /** Checks the server, because another flow got no answer, or was not let in. */
  recheck(): void {
    this.#connection.happened({ type: 'doubted' });
  }

  onChange(listener: (change: LiveChange) => void): void {
    this.#listeners.push(listener);
  }

  connection(): ConnectionView {
    return this.#connection.view();
  }

  /** The kind of server, as far as it is known. */
  get server(): ServerKind {
    return this.#connection.server;
  }

  /** Whether forwarding is enabled and connected. */
  get isForwarding(): boolean {
    return this.#connection.isForwarding;
  }

  get sentRecords(): number {
    return this.#sentRecords;
  }

  differences(): readonly CommandDifference[] {
    return this.#commands.differences();
  }

  /** Resolves with true once no record of the entity waits, or with false if that is not possible in time (D-17). */
  async drained(entity: string): Promise<boolean> {
    const { store, clock, after } = this.#options;
    const untilMs = clock.now().monotonicMs + DRAIN_MS;
    while (await store.isQueued(entity)) {
      if (!this.#connection.isForwarding || clock.now().monotonicMs >= untilMs) return false;
      this.#wakeNow(false);
      await new Promise<void>((resolve) => after(DRAIN_LOOK_MS, resolve));
    }
    return true;
  }

  /** Sends nothing new. Requests under way get `CLOSE_GRACE_MS` to be answered; then they end unanswered. */
  async close(): Promise<void> {
    const { after, server } = this.#options;
    this.#connection.stop();
    const settled = Promise.all([this.#batches.settled(), this.#entityQueues.settled(), this.#points.settled()]);
    let cancel: () => void = () => undefined;
    const grace = new Promise<void>((resolve) => {
      cancel = after(CLOSE_GRACE_MS, resolve);
    });
    await Promise.race([settled, grace]);
    cancel();
    await server.close();
    await settled;
  }

  #wakeNow(isRetry: boolean): void {
    this.#batches.wake();
    this.#entityQueues.wake(isRetry);
  }

  #forward(kind: ServerKind): void {
    this.#starts += 1;
    if (kind === 'batch') this.#batches.start();
    else void this.#startEntityQueues(this.#starts);
  }

  /** After an outage only the statuses that production needs are sent (D-26). */
  async #startEntityQueues(start: number): Promise<void> {
    const { store, clock, incidents } = this.#options;
    try {
      await store.write([{ kind: 'statusesCondensed', before: Math.round(clock.now().wallMs) }]);
    } catch (error) {
      const detail = `the statuses of the outage are not condensed: ${String(error)}`;
      incidents.report({ kind: 'upstream', subject: 'queue', detail });
    }
    if (start !== this.#starts || !this.#connection.isForwarding) return;
    this.#entityQueues.start();
    this.#points.start();
  }

  #pause(): void {
    this.#starts += 1;
    this.#batches.pause();
    this.#entityQueues.pause();
    this.#points.pause();
  }

  #tellStatus(status: ConnectionStatus, detail: string | null): void {
    const { log } = this.#options;
    const { lastContactAt } = this.#connection.view();
    const record = { upstream: { state: status, detail, lastContactAt: isoTimeOrNull(lastContactAt) } };
    if (status === 'online') log.info({ server: this.server }, 'the central server is online');
    else if (status !== 'disabled') log.warn({ detail }, `the central server is ${status}`);
    this.#tell({ event: 'sync', key: 'upstream', record });
  }

  /** Batches report refusals only by number: the rows are looked up among those set aside. */
  #tellRefusals(count: number, at: number): void {
    const { store, incidents } = this.#options;
    const told = store.setAsideRows(count).then((rows) => {
      for (const row of rows) if (row.at >= at) this.#tellRefused(row);
    });
    told.catch((error: unknown) =>
      incidents.report({ kind: 'upstream', subject: 'queue', detail: `refusals could not be read: ${String(error)}` }),
    );
  }

  #tellRefused({ entity, operation, reason }: RefusedRow): void {
    const { incidents, clock, refresh } = this.#options;
    const { what, operator } = operation ?? { what: `a record of ${entity}`, operator: null };
    const by = operator === null ? '' : ` by ${operator}`;
    const detail = `the central server refused ${what}${by}, which is set aside: ${reason}`;
    incidents.report({ kind: 'upstream', subject: entity, detail });
    const setAside = { entity, what, userName: operator, reason, at: isoTime(clock.now().wallMs) };
    this.#tell({ event: 'sync', key: entity, record: { setAside } });
    if (operation !== null) refresh(entity);
  }

  #tell(change: LiveChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
