import type { BatchHeader } from '../../adapters/store/thread/received/check-batch.ts';
import { asReceived } from '../../adapters/store/thread/received/fact-writer.ts';
import type { CatchUp, Downtime, ShiftRecord, WorkSession } from '../../domain/machine/records.ts';
import type { BatchRecord } from '../../domain/sync/batch.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { anomaly, downtime, machinePart, span, workSession } from '../postgres/schema/machines.ts';
import { storableJson, upsertInto } from '../postgres/upsert-rows.ts';
import { ChangedMachines } from '../production/changed-machines.ts';
import { CatchUps } from './catch-ups.ts';
import type { StreamStanding } from './stream-positions.ts';
import { StreamTotals } from './stream-totals.ts';

type Sample = Extract<BatchRecord, { kind: 'status' }>['sample'];
type Kept = NonNullable<ReturnType<typeof asReceived>>['record'];
type Plain = Exclude<Kept, { kind: 'shift' | 'workSession' | 'catchUp' }>;

const ENTER = `
  INSERT INTO central.machine (gateway_id, machine_id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`;
/**
 * Within a stream the later status is the newer one; between two streams the status with the later time is. `newestAt`
 * is the latest time of the machine's statuses in the batch, and `at` that of the last.
 */
const STATUS = `
  UPDATE central.machine SET status_at = own.at, status = own.json, status_stream = $2
  FROM jsonb_to_recordset($3::jsonb) AS own ("machineId" text, at float8, "newestAt" float8, json text)
  WHERE gateway_id = $1 AND machine_id = own."machineId"
    AND (status_at IS NULL OR status_stream = $2 OR status_at <= own."newestAt")`;
const CATEGORIES = `
  SELECT downtime_id AS "downtimeId", reason_id AS "reasonId", note, user_name AS "userName" FROM central.downtime
  WHERE downtime_id = ANY ($1::text[]) AND reason_id IS NOT NULL`;
const REMOVE_DOWNTIMES = 'DELETE FROM central.downtime WHERE downtime_id = ANY ($1::text[])';

const put = {
  part: upsertInto(machinePart),
  downtime: upsertInto(downtime),
  span: upsertInto(span),
  workSession: upsertInto(workSession),
  anomaly: upsertInto(anomaly),
};

/**
 * Writes the history of machines. The records of a batch are sorted by their kind, the last one under each key counts,
 * and each kind is one statement.
 */
export class FactWriter {
  readonly totals: StreamTotals;
  readonly #postgres: Postgres;
  readonly #catchUps: CatchUps;
  readonly #changed: ChangedMachines;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.totals = new StreamTotals(postgres);
    this.#changed = new ChangedMachines(postgres);
    this.#catchUps = new CatchUps(postgres, this.totals);
  }

  /** Operations are not written here: they were carried out before. `pointMachines`: machines that the batch has points of. */
  async write(
    header: BatchHeader,
    records: readonly BatchRecord[],
    standing: StreamStanding,
    pointMachines: Iterable<string>,
  ): Promise<void> {
    const sorted = sort(header.gatewayId, records);
    for (const machineId of pointMachines) sorted.machines.add(machineId);
    await this.#enter(header.gatewayId, sorted.machines);
    await this.#putStatuses(header, sorted.statuses);
    await this.#changed.note(header.gatewayId, changesIn(sorted));
    await this.#putPlain(sorted, standing);
    await this.#putCounted(header, sorted, standing);
  }

  async #enter(gatewayId: string, machines: ReadonlySet<string>): Promise<void> {
    if (machines.size > 0) await this.#postgres.run(ENTER, [gatewayId, [...machines]]);
  }

  async #putStatuses({ gatewayId, stream }: BatchHeader, statuses: SortedRecords['statuses']): Promise<void> {
    if (statuses.size === 0) return;
    await this.#postgres.run(STATUS, [gatewayId, stream, storableJson([...statuses.values()])]);
  }

  async #putPlain({ plain, removed, categories }: SortedRecords, standing: StreamStanding): Promise<void> {
    const postgres = this.#postgres;
    const of = <Kind extends Plain['kind']>(kind: Kind) =>
      [...plain.values()].filter((record): record is Extract<Plain, { kind: Kind }> => record.kind === kind);
    if (removed.size > 0) await postgres.run(REMOVE_DOWNTIMES, [[...removed]]);
    const downtimes = of('downtime').map((record) => record.downtime);
    await put.downtime(
      postgres,
      standing.otherStreams > 0 ? await this.#categorized(downtimes, categories) : downtimes,
    );
    await put.span(
      postgres,
      of('span').map((record) => record.span),
    );
    await put.anomaly(
      postgres,
      of('anomaly').map(({ anomaly: { from, to, ...rest } }) => ({ ...rest, fromCount: from, toCount: to })),
    );
    const parts = of('part').map(({ machineId, part, at }) => {
      return { machineId, json: part === null ? null : JSON.stringify(part), at };
    });
    await put.part(postgres, parts);
  }

  /**
   * If several data directories sent under this name, a downtime without a category may be older than the one that had
   * it.
   */
  async #categorized(
    downtimes: readonly Downtime[],
    inBatch: ReadonlyMap<string, Downtime>,
  ): Promise<readonly Downtime[]> {
    const open = downtimes.filter(({ reasonId }) => reasonId === null).map(({ downtimeId }) => downtimeId);
    if (open.length === 0) return downtimes;
    const known = await this.#postgres.query<Pick<Downtime, 'downtimeId' | 'reasonId' | 'note' | 'userName'>>(
      CATEGORIES,
      [open],
    );
    const stored = new Map(known.map((category) => [category.downtimeId, category]));
    return downtimes.map((one) => {
      const category = inBatch.get(one.downtimeId) ?? stored.get(one.downtimeId);
      if (one.reasonId !== null || category === undefined) return one;
      return { ...one, reasonId: category.reasonId, note: category.note, userName: category.userName };
    });
  }

  /** A catch-up changes how the totals behind it count, so it ends a run of them. */
  async #putCounted(header: BatchHeader, { counted }: SortedRecords, { hasCatchUps }: StreamStanding): Promise<void> {
    let isCaughtUp = hasCatchUps;
    for (const { catchUp, shifts, sessions } of counted) {
      if (catchUp !== null && (await this.#catchUps.note(header, catchUp))) isCaughtUp = true;
      const [own, worked] = isCaughtUp
        ? await this.#continued(header, shifts, sessions)
        : [[...shifts.values()], [...sessions.values()]];
      await this.totals.noteShifts(header, own);
      await put.workSession(this.#postgres, await this.totals.noteSessions(header, worked));
    }
  }

  async #continued(header: BatchHeader, shifts: CountedRun['shifts'], sessions: CountedRun['sessions']) {
    const own: ShiftRecord[] = [];
    for (const shift of shifts.values()) own.push(await this.#catchUps.countedOn(header, shift));
    const worked: WorkSession[] = [];
    for (const session of sessions.values()) worked.push(await this.#catchUps.workedOn(header, session));
    return [own, worked] as const;
  }
}

/** Totals up to the next catch-up, by their keys. */
interface CountedRun {
  /** The catch-up before them; null for the first run. */
  readonly catchUp: CatchUp | null;
  readonly shifts: Map<string, ShiftRecord>;
  readonly sessions: Map<string, WorkSession>;
}

interface SortedRecords {
  readonly machines: Set<string>;
  readonly statuses: Map<string, Sample & { readonly newestAt: number }>;
  /** By kind and key; downtimes that were removed later are not here. */
  readonly plain: Map<string, Plain>;
  readonly removed: Set<string>;
  /** Downtimes as they were categorized last in the batch. */
  readonly categories: Map<string, Downtime>;
  readonly counted: CountedRun[];
}

function* changesIn({ plain, removed, counted }: SortedRecords): Iterable<Exclude<Kept, { kind: 'catchUp' }>> {
  yield* plain.values();
  for (const downtimeId of removed) yield { kind: 'downtimeRemoved', downtimeId };
  for (const { shifts, sessions } of counted) {
    for (const shift of shifts.values()) yield { kind: 'shift', shift };
    for (const session of sessions.values()) yield { kind: 'workSession', session };
  }
}

function sort(gatewayId: string, records: readonly BatchRecord[]): SortedRecords {
  const sorted: SortedRecords = {
    machines: new Set(),
    statuses: new Map(),
    plain: new Map(),
    removed: new Set(),
    categories: new Map(),
    counted: [{ catchUp: null, shifts: new Map(), sessions: new Map() }],
  };
  for (const record of records) {
    if (record.kind === 'status') addStatus(sorted, record.sample);
    else {
      const own = asReceived(gatewayId, record);
      if (own === null) continue;
      if (own.machineId !== null) sorted.machines.add(own.machineId);
      addFact(sorted, own.record);
    }
  }
  return sorted;
}

function addStatus({ machines, statuses }: SortedRecords, sample: Sample): void {
  const { machineId, at } = sample;
  machines.add(machineId);
  const newestAt = Math.max(at, statuses.get(machineId)?.newestAt ?? at);
  statuses.set(machineId, { ...sample, newestAt });
}

function addFact({ plain, removed, categories, counted }: SortedRecords, record: Kept): void {
  const run = counted.at(-1);
  switch (record.kind) {
    case 'catchUp':
      counted.push({ catchUp: record.catchUp, shifts: new Map(), sessions: new Map() });
      return;
    case 'shift': {
      const { machineId, shiftDate, shiftName } = record.shift;
      run?.shifts.set(`${machineId}\n${shiftDate}\n${shiftName}`, record.shift);
      return;
    }
    case 'workSession':
      run?.sessions.set(record.session.sessionId, record.session);
      return;
    case 'downtimeRemoved':
      plain.delete(`downtime ${record.downtimeId}`);
      categories.delete(record.downtimeId);
      removed.add(record.downtimeId);
      return;
    default:
      if (record.kind === 'downtime' && record.downtime.reasonId !== null)
        categories.set(record.downtime.downtimeId, record.downtime);
      plain.set(keyOf(record), record);
  }
}

function keyOf(record: Exclude<Plain, { kind: 'downtimeRemoved' }>): string {
  switch (record.kind) {
    case 'downtime':
      return `downtime ${record.downtime.downtimeId}`;
    case 'span':
      return `span ${record.span.spanId}`;
    case 'anomaly':
      return `anomaly ${record.anomaly.machineId} ${record.anomaly.at} ${record.anomaly.counter}`;
    case 'part':
      return `part ${record.machineId}`;
  }
}
