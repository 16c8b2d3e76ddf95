import { mirroredCoil } from '../../../../domain/mirror/mirrored-coil.ts';
import { machineSideOf, mirroredTask, updatedTask } from '../../../../domain/mirror/mirrored-task.ts';
import { taskView } from '../../../../domain/warehouse/task.ts';
import type { MachinePlace, MirroredTable } from '../../../../flows/mirror/mirror-ports.ts';
import { coilJson } from '../warehouse/coil-json.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** A row as it is to be. */
export interface StagedRow {
  readonly id: string;
  readonly machineId: string | null;
  readonly lastOperation: string | null;
  readonly json: string;
}

/** The result of reading a record of a page; `slot`: the number of its row here, null without one. */
export type ReadRow =
  | { readonly kind: 'same'; readonly slot: number }
  | { readonly kind: 'differs'; readonly slot: number | null; readonly row: StagedRow }
  | { readonly kind: 'notOurs' }
  | { readonly kind: 'refused'; readonly slot: number | null; readonly fault: string };

/** The reading of records of a kind, and their table. */
export interface TableKind {
  readonly kind: MirroredTable;
  readonly prefix: 'coil' | 'task';
  readonly key: string;
  readonly columns: readonly string[];
  /** The columns in `mirror_staged`. */
  readonly stagedColumns: readonly string[];
  read(value: unknown, machineAt: ReadonlyMap<string, string>): ReadRow;
  noteChange(id: string): void;
  noteRemoval(id: string, slot: number): void;
  noteReplacement(): void;
}

export function coilTable({ coils, coilQueries }: Warehouse): TableKind {
  return {
    kind: 'coils',
    prefix: 'coil',
    key: 'coil_id',
    columns: ['coil_id', 'json'],
    stagedColumns: ['id', 'json'],
    read: (value) => {
      const read = mirroredCoil(value);
      if (!read.ok) return { kind: 'refused', slot: slotOf(read.id, (id) => coils.stored(id)), fault: read.fault };
      const { coilId } = read.record;
      const json = coilJson(read.record);
      const stored = coils.stored(coilId);
      if (stored?.json === json) return { kind: 'same', slot: stored.slot };
      return {
        kind: 'differs',
        slot: stored?.slot ?? null,
        row: { id: coilId, machineId: null, lastOperation: null, json },
      };
    },
    noteChange: (id) => coilQueries.noteChange(id),
    noteRemoval: (id, slot) => coilQueries.noteRemoval(id, slot),
    noteReplacement: () => coilQueries.noteReplacement(),
  };
}

export function taskTable({ tasks, taskQueries }: Warehouse): TableKind {
  return {
    kind: 'tasks',
    prefix: 'task',
    key: 'task_id',
    columns: ['task_id', 'machine_id', 'last_operation', 'json'],
    stagedColumns: ['id', 'machine_id', 'last_operation', 'json'],
    read: (value, machineAt) => {
      const read = mirroredTask(value);
      if (!read.ok) return { kind: 'refused', slot: slotOf(read.id, (id) => tasks.stored(id)), fault: read.fault };
      const { view } = read.record;
      const stored = tasks.stored(view.taskId);
      const existing = tasks.find(view.taskId);
      const machineId = machineAt.get(machineSideOf(view)) ?? existing?.machineId;
      if (machineId === undefined) return { kind: 'notOurs' };
      const task = updatedTask(read.record, machineId, existing);
      const json = JSON.stringify(taskView(task));
      const { lastOperation } = task;
      const isSame =
        stored?.json === json && existing?.machineId === machineId && existing.lastOperation === lastOperation;
      if (stored !== undefined && isSame) return { kind: 'same', slot: stored.slot };
      return { kind: 'differs', slot: stored?.slot ?? null, row: { id: view.taskId, machineId, lastOperation, json } };
    },
    noteChange: (id) => taskQueries.noteChange(id),
    noteRemoval: (id, slot) => taskQueries.noteRemoval(id, slot),
    noteReplacement: () => taskQueries.noteReplacement(),
  };
}

/** Machines by their location; the first one if several share a location. */
export function machinesByPlace(machines: readonly MachinePlace[]): ReadonlyMap<string, string> {
  return new Map(machines.toReversed().map(({ location, machineId }) => [location, machineId]));
}

function slotOf(id: string | null, stored: (id: string) => { readonly slot: number } | undefined): number | null {
  return id === null ? null : (stored(id)?.slot ?? null);
}
