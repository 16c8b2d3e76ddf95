import type { MachineId } from '../../../domain/machine/machine-id.ts';
import type { OverrideSpan, PartSelection, ProductionQuarter, ShiftRecord } from '../../../domain/machine/records.ts';
import type { OverrideChange, SelectedPart, TimeRange } from '../../../flows/store-ports.ts';
import type { Connection } from './database/connection.ts';

const QUARTER_MS = 15 * 60_000;
/** The maximum number of spans in one answer; of more the newest are given. */
const MAX_SPANS = 1_000;
/** Parts remembered per machine. */
const MAX_SELECTED_PARTS = 20;

/**
 * The course of machines' totals: production by the quarter of an hour, the parts that were made, and the times at which
 * they ran against the rules. Totals of a shift come each minute, so the difference to the totals before belongs to the
 * quarter in which they come.
 */
export class MachineCourse {
  readonly #totals;
  readonly #add;
  readonly #quarters;
  readonly #begin;
  readonly #end;
  readonly #spans;
  readonly #select;
  readonly #forget;
  readonly #selected;

  constructor(connection: Connection) {
    this.#totals = connection.prepare<[string, string, string], { good_parts: number; bad_parts: number }>(
      'SELECT good_parts, bad_parts FROM shift_totals WHERE machine_id = ? AND shift_date = ? AND shift_name = ?',
    );
    this.#add = connection.prepare(
      `INSERT INTO production_quarter VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET good_parts = good_parts + excluded.good_parts, bad_parts = bad_parts + excluded.bad_parts`,
    );
    this.#quarters = connection.prepare<[string, string], ProductionQuarter>(
      `SELECT shift_name AS shiftName, starts_at AS startsAt, good_parts AS goodParts, bad_parts AS badParts
       FROM production_quarter WHERE machine_id = ? AND shift_date = ? ORDER BY starts_at`,
    );
    this.#begin = connection.prepare(
      `INSERT INTO override_span SELECT @machineId, @at, NULL, @epoch
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
    this.#select = connection.prepare<[string, string, number]>('REPLACE INTO selected_part VALUES (?, ?, ?)');
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
    this.#select.run(machineId, partId, selectedAt);
    this.#forget.run({ machineId, kept: MAX_SELECTED_PARTS });
  }

  /** The newest first. */
  selectedParts(machineId: MachineId): SelectedPart[] {
    return this.#selected.all(machineId);
  }

  /** To be called before the totals replace those that are stored. */
  noteShift({ machineId, shiftDate, shiftName, totals }: ShiftRecord, wallMs: number): void {
    const before = this.#totals.get(machineId, shiftDate, shiftName) ?? { good_parts: 0, bad_parts: 0 };
    const [good, bad] = [totals.goodParts - before.good_parts, totals.badParts - before.bad_parts];
    if (good === 0 && bad === 0) return;
    this.#add.run(machineId, shiftDate, shiftName, Math.floor(wallMs / QUARTER_MS) * QUARTER_MS, good, bad);
  }

  /** An override that lasts is begun once. */
  noteOverride({ machineId, isOn, at }: OverrideChange, epoch: number): void {
    if (isOn) this.#begin.run({ machineId, at, epoch });
    else this.#end.run({ machineId, at });
  }

  quarters(machineId: MachineId, shiftDate: string): ProductionQuarter[] {
    return this.#quarters.all(machineId, shiftDate);
  }

  /** Oldest first. */
  overrides(machineId: MachineId, { from, to }: TimeRange): OverrideSpan[] {
    return this.#spans.all(machineId, to, from, MAX_SPANS).reverse();
  }
}
