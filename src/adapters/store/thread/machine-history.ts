import type { MachineId } from '../../../domain/machine/machine-id.ts';
import type { OverrideSpan, PartSelection } from '../../../domain/machine/records.ts';
import type { OverrideChange, SelectedPart, TimeRange } from '../../../flows/store-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { selectedPart } from './database/schema/machines.ts';
import { ProductionQuarters } from './production-quarters.ts';

/** The maximum number of spans in one answer; of more the newest are given. */
const MAX_SPANS = 1_000;
/** Parts remembered per machine. */
const MAX_SELECTED_PARTS = 20;

/** The history of machines: production by the quarter of an hour, the parts that were made, and the overrides. */
export class MachineHistory {
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
