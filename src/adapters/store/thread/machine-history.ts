import type { ShiftTotals } from '../../../domain/machine/counters/counters.ts';
import { eachTotal, isEmpty, plus } from '../../../domain/machine/counters/counters.ts';
import { isSameShift } from '../../../domain/machine/counters/counting.ts';
import type { MachineId } from '../../../domain/machine/machine-names.ts';
import type { OverrideSpan, PartSelection, ProductionQuarter, ShiftRecord } from '../../../domain/machine/records.ts';
import type { Shift } from '../../../domain/shift/shift-calendar.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { ClockChange, OverrideChange, SelectedPart, TimeRange } from '../../../flows/store-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { productionQuarter, selectedPart, shiftTotals } from './database/schema/machines.ts';
import { ADDED_TOTALS, NAMED_TOTALS } from './shift-columns.ts';

/** The maximum number of spans in one answer; of more the newest are given. */
const MAX_SPANS = 1_000;
/** Parts remembered per machine. */
const MAX_SELECTED_PARTS = 20;

/** The history of machines: production by the quarter of an hour, the parts that were made, and the overrides. */
export class MachineHistoryRows {
  readonly production: ProductionQuarters;
  readonly #begin;
  readonly #end;
  readonly #spans;
  readonly #select;
  readonly #forget;
  readonly #selected;

  constructor(connection: Connection) {
    this.production = new ProductionQuarters(connection);
    this.#begin = connection.prepare(
      `INSERT INTO override_span (machine_id, started_at, ended_at, epoch) SELECT @machineId, @at, NULL, @epoch
       WHERE NOT EXISTS (SELECT 1 FROM override_span WHERE machine_id = @machineId AND ended_at IS NULL)
       ON CONFLICT DO UPDATE SET ended_at = NULL, epoch = excluded.epoch`,
    );
    this.#end = connection.prepare(
      'UPDATE override_span SET ended_at = max(started_at, @at) WHERE machine_id = @machineId AND ended_at IS NULL',
    );
    this.#spans = connection.prepare<[string, number, number, number], OverrideSpan>(
      `SELECT started_at AS startedAt, ended_at AS endedAt FROM override_span
       WHERE machine_id = ? AND started_at < ? AND (ended_at IS NULL OR ended_at > ?) ORDER BY started_at DESC LIMIT ?`,
    );
    this.#select = insertInto(connection, selectedPart, { or: 'REPLACE' });
    this.#forget = connection.prepare(
      `DELETE FROM selected_part WHERE machine_id = @machineId AND part_id NOT IN (
         SELECT part_id FROM selected_part WHERE machine_id = @machineId ORDER BY selected_at DESC LIMIT @kept)`,
    );
    this.#selected = connection.prepare<[string], SelectedPart>(
      `SELECT part_id AS partId, selected_at AS selectedAt FROM selected_part WHERE machine_id = ?
       ORDER BY selected_at DESC`,
    );
  }

  /** Notes the part that is selected; of many parts the newest stay. */
  noteSelection(machineId: MachineId, { partId, selectedAt }: PartSelection): void {
    this.#select({ machineId, partId, selectedAt });
    this.#forget.run({ machineId, kept: MAX_SELECTED_PARTS });
  }

  /** The newest first. */
  selectedParts(machineId: MachineId): SelectedPart[] {
    return this.#selected.all(machineId);
  }

  /** An override that lasts is begun once. */
  noteOverride({ machineId, isOn, at }: OverrideChange, epoch: number): void {
    if (isOn) this.#begin.run({ machineId, at, epoch });
    else this.#end.run({ machineId, at });
  }

  /** Oldest first. */
  overrides(machineId: MachineId, { from, to }: TimeRange): OverrideSpan[] {
    return this.#spans.all(machineId, to, from, MAX_SPANS).reverse();
  }
}

const QUARTER_MS = 15 * MINUTE_MS;
/** Totals are recorded at least this often, so what is new in them is not older. */
const RECORDED_EVERY_MS = MINUTE_MS;

type ShiftKey = Pick<ShiftRecord, 'machineId' | 'shiftDate' | 'shiftName'>;
/** The production from `startsAt` to `endsAt`, by the clock of its epoch. */
type Made = ShiftKey & ShiftTotals & { readonly startsAt: number; readonly endsAt: number; readonly epoch: number };
type WrittenRow = Made & { readonly correctionMs: number };

const OF_SHIFT = 'machine_id = @machineId AND shift_date = @shiftDate AND shift_name = @shiftName';

/**
 * The totals of shifts, by the quarter of an hour in which they were made. Totals of a shift come each minute, so the
 * difference to the totals before belongs to the quarter in which they come. Times stay as they were written, like those
 * of points (clock-epochs.ts). To be called within a transaction.
 */
export class ProductionQuarters {
  readonly #totals;
  readonly #extend;
  readonly #add;
  readonly #remove;
  readonly #quarters;
  readonly #machines;
  readonly #sinceBoot;
  readonly #addTotals;
  readonly #correctReading;
  /** The time of the last totals of each machine, by the present clock. */
  readonly #recordedUpTo = new Map<string, number>();

  constructor(connection: Connection) {
    this.#totals = connection.prepare<ShiftKey, ShiftTotals>(
      `SELECT ${NAMED_TOTALS} FROM shift_totals WHERE ${OF_SHIFT}`,
    );
    this.#add = insertInto(connection, productionQuarter, {
      onConflict: `ON CONFLICT DO UPDATE SET ends_at = max(ends_at, excluded.ends_at), ${ADDED_TOTALS}`,
    });
    this.#extend = connection
      .prepare<ShiftKey & { readonly epoch: number; readonly quarter: number; readonly at: number }, number>(
        `SELECT starts_at FROM production_quarter
         WHERE ${OF_SHIFT} AND epoch = @epoch AND starts_at >= @quarter AND starts_at <= @at ORDER BY starts_at LIMIT 1`,
      )
      .pluck();
    this.#remove = connection.prepare<Made>(
      `DELETE FROM production_quarter WHERE ${OF_SHIFT} AND starts_at = @startsAt AND epoch = @epoch`,
    );
    this.#quarters = connection.prepare<[string, string], ProductionQuarter>(
      `SELECT shift_name AS shiftName, starts_at + coalesce(correction_ms, 0) AS startsAt, good_parts AS goodParts,
         bad_parts AS badParts FROM production_quarter LEFT JOIN clock_epoch ON id = epoch
       WHERE machine_id = ? AND shift_date = ? ORDER BY startsAt`,
    );
    this.#machines = connection.prepare<[], string>('SELECT DISTINCT machine_id FROM production_quarter').pluck();
    this.#sinceBoot = connection.prepare<[string, string], WrittenRow>(
      `SELECT machine_id AS machineId, shift_date AS shiftDate, shift_name AS shiftName, starts_at AS startsAt,
         ends_at AS endsAt, epoch, correction_ms AS correctionMs, ${NAMED_TOTALS}
       FROM production_quarter JOIN clock_epoch ON id = epoch WHERE machine_id = ? AND boot_id = ?`,
    );
    this.#addTotals = insertInto(connection, shiftTotals, {
      without: ['reading'],
      onConflict: `ON CONFLICT DO UPDATE SET ${ADDED_TOTALS}`,
    });
    this.#correctReading = connection.prepare(
      `UPDATE shift_totals SET reading = json_set(reading, '$.at', (reading ->> 'at') + @deltaMs)
       WHERE ${OF_SHIFT} AND reading ->> 'at' BETWEEN @sinceAt AND @untilAt`,
    );
  }

  /** Notes totals up to `at`. To be called before they replace those that are stored. */
  note({ machineId, shiftDate, shiftName, totals }: ShiftRecord, at: number, epoch: number): void {
    const key = { machineId, shiftDate, shiftName };
    const stored = this.#totals.get(key);
    const made = stored === undefined ? totals : eachTotal(totals, stored, minus);
    const quarter = Math.floor(at / QUARTER_MS) * QUARTER_MS;
    const recordedAt = this.#recordedUpTo.get(machineId) ?? 0;
    this.#recordedUpTo.set(machineId, at);
    if (isEmpty(made)) return;
    const since = Math.max(quarter, at - RECORDED_EVERY_MS, recordedAt <= at ? recordedAt : 0);
    const startsAt = this.#extend.get({ ...key, epoch, quarter, at }) ?? since;
    this.#add({ ...key, startsAt, endsAt: at, epoch, ...made });
  }

  quarters(machineId: MachineId, shiftDate: string): ProductionQuarter[] {
    return this.#quarters.all(machineId, shiftDate);
  }

  /**
   * Moves what was made since the boot to the shifts of its corrected times, and gives the shifts whose totals changed.
   * Within a quarter of an hour that lies in two shifts production counts as even.
   */
  move(bootId: string, { deltaMs, sinceAt, untilAt, shifts }: ClockChange): readonly ShiftRecord[] {
    this.#recordedUpTo.clear();
    if (shifts.length === 0) return [];
    const changes = new Map<string, ShiftRecord>();
    const change = ({ machineId, shiftDate, shiftName }: ShiftKey, made: ShiftTotals, add: typeof plus) => {
      const key = `${machineId} ${shiftDate} ${shiftName}`;
      const totals = changes.get(key)?.totals ?? eachTotal(made, made, minus);
      changes.set(key, { machineId, shiftDate, shiftName, totals: eachTotal(totals, made, add) });
    };
    for (const machineId of this.#machines.all()) {
      const rows = this.#sinceBoot.all(machineId, bootId).map((row) => ({ row, parts: partsOf(row, shifts) }));
      const moved = rows.filter(({ row, parts }) => !parts.every((part) => isSameShift(part, row)));
      // First all are removed, because a part may get the key of a row that moves on itself.
      for (const { row } of moved) {
        this.#remove.run(row);
        change(row, row, minus);
      }
      for (const part of moved.flatMap(({ parts }) => parts)) {
        this.#add(part);
        change(part, part, plus);
      }
    }
    const changed = [...changes.values()];
    for (const { totals, ...key } of changed) {
      this.#addTotals({ ...key, ...totals });
      this.#correctReading.run({ ...key, deltaMs: Math.round(deltaMs), sinceAt, untilAt });
    }
    return changed;
  }
}

/** The row, split at the ends of shifts, with the shifts of its corrected times. */
function partsOf({ correctionMs, ...row }: WrittenRow, shifts: readonly Shift[]): readonly Made[] {
  const [from, to] = [row.startsAt + correctionMs, row.endsAt + correctionMs];
  const first = shifts.findIndex(({ endMs }) => endMs > from);
  const last = shifts.findLastIndex(({ startMs }) => startMs < to || startMs === from);
  if (first < 0 || last < first) return [row];
  const over = shifts.slice(first, last + 1);
  let left: Made = row;
  return over.map(({ shiftDate, shiftName, endMs }, place) => {
    const here = { ...left, shiftDate, shiftName };
    if (place === over.length - 1) return here;
    const endsAt = endMs - correctionMs;
    const share = (endsAt - left.startsAt) / (left.endsAt - left.startsAt);
    const made = eachTotal(left, left, (total) => Math.round(total * share));
    left = { ...left, ...eachTotal(left, made, minus), startsAt: endsAt };
    return { ...here, ...made, endsAt };
  });
}

function minus(one: number, other: number): number {
  return one - other;
}
