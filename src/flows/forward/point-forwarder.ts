import type { ConnectionEvent } from '../../domain/sync/connection-states.ts';
import { isoTime } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import { type After, ForwardLoop } from './forward-loop.ts';
import { brokenOff, verdictOf } from './operation-sender.ts';
import type { PointsPage, PointsPost, SyncQueries, SyncRecord } from './sync-ports.ts';
import type { CentralServer } from './upstream-ports.ts';

export interface PointForwarderOptions {
  readonly store: Pick<SyncQueries, 'pointsPage'> & { write(records: readonly SyncRecord[]): Promise<void> };
  readonly server: CentralServer;
  readonly clock: Clock;
  readonly after: After;
  readonly incidents: Incidents;
  readonly shiftDateAt: (wallMs: number) => string;
  readonly onConnection: (event: ConnectionEvent) => void;
  readonly onSent: (records: number) => void;
}

const IDLE_MS = 1_000;
const POSTS_AT_ONCE = 200;
const MACHINES_SIDE_BY_SIDE = 4;

/** A page under way, and its points that were not posted yet, by machine: posted points are not posted again. */
interface OpenPage {
  readonly page: PointsPage;
  readonly shiftDate: string;
  readonly left: readonly PointsPost[][];
  /** Rows with points that were refused, or came too late: they are kept for a server that takes them. */
  readonly heldRows: Set<number>;
}

/**
 * Posts variables of the present shift date to a server with the interface alone, in order for each machine, each with
 * its `timestamp`; older ones are held for a server with the batch extension (D-26).
 */
export class PointForwarder extends ForwardLoop {
  readonly #options: PointForwarderOptions;
  #open: OpenPage | null = null;

  constructor(options: PointForwarderOptions) {
    super(options.after);
    this.#options = options;
  }

  protected override async turn(): Promise<number> {
    try {
      this.#open ??= await this.#nextPage();
      if (this.#open === null) return IDLE_MS;
      if (this.#open.shiftDate !== this.#presentShiftDate()) holdRest(this.#open);
      return await this.#post(this.#open);
    } catch (error) {
      this.#report('queue', `what came of its variables could not be kept: ${String(error)}`);
      return IDLE_MS;
    }
  }

  async #nextPage(): Promise<OpenPage | null> {
    const shiftDate = this.#presentShiftDate();
    const page = await this.#options.store.pointsPage(shiftDate, POSTS_AT_ONCE);
    if (page === null) return null;
    const left = [...Map.groupBy(page.posts, ({ machineId }) => machineId).values()].map((posts) => [...posts]);
    return { page, shiftDate, left, heldRows: new Set() };
  }

  #presentShiftDate(): string {
    const { clock, shiftDateAt } = this.#options;
    return shiftDateAt(clock.now().wallMs);
  }

  async #post(open: OpenPage): Promise<number> {
    const { page, left, heldRows } = open;
    const lines = Array.from({ length: MACHINES_SIDE_BY_SIDE }, (_, place) =>
      this.#postEach(
        left.filter((_posts, index) => index % MACHINES_SIDE_BY_SIDE === place),
        open,
      ),
    );
    const waits = await Promise.all(lines);
    if (left.some((posts) => posts.length > 0)) return Math.max(...waits);
    await this.#options.store.write([
      { kind: 'pointsSent', rows: page.rows.filter((row) => !heldRows.has(row)) },
      { kind: 'pointsHeld', rows: [...heldRows, ...page.olderRows] },
    ]);
    this.#open = null;
    return 0;
  }

  /** Posts the machines of one line until all are done or a failure stops it; gives the wait in that case. */
  async #postEach(machines: readonly PointsPost[][], open: OpenPage): Promise<number> {
    for (const posts of machines) {
      for (let post = posts[0]; post !== undefined; post = posts[0]) {
        const waitMs = this.isOn ? await this.#postOne(post, open) : IDLE_MS;
        if (waitMs !== null) return waitMs;
        posts.shift();
      }
    }
    return 0;
  }

  /** Gives null if the post is done, else the wait before the next try. */
  async #postOne({ row, machineId, at, values }: PointsPost, open: OpenPage): Promise<number | null> {
    const { server, onConnection, onSent } = this.#options;
    const body = JSON.stringify({ ...values, machineId, timestamp: isoTime(at) });
    const path = '/api/device/vars';
    const answer = await server.ask({ method: 'POST', path, body });
    if (answer.kind !== 'answered') {
      onConnection({ type: 'failed', detail: answer.detail });
      return IDLE_MS;
    }
    const verdict = verdictOf(answer);
    switch (verdict.kind) {
      case 'taken':
        if (answer.extent === 'cutOff') {
          onConnection({ type: 'failed', detail: brokenOff(path).detail });
          return IDLE_MS;
        }
        onConnection({ type: 'acknowledged' });
        onSent(1);
        return null;
      case 'refused':
        if (verdict.doubtsKey) onConnection({ type: 'doubted' });
        open.heldRows.add(row);
        this.#report(machineId, `its variables are refused, and held: ${verdict.reason}`);
        return null;
      case 'later':
        if (verdict.forMs === null) onConnection({ type: 'failed', detail: verdict.detail });
        return verdict.forMs ?? IDLE_MS;
      case 'unauthorized':
        onConnection({ type: 'unauthorized', detail: verdict.detail });
        return IDLE_MS;
    }
  }

  #report(subject: string, detail: string): void {
    this.#options.incidents.report({ kind: 'upstream', subject, detail });
  }
}

/** The shift date has changed in an outage: the server would put the rest into the present one. */
function holdRest(open: OpenPage): void {
  for (const { row } of open.left.flat()) open.heldRows.add(row);
  for (const posts of open.left) posts.length = 0;
}
