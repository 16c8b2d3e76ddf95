import { CodedError, faultText } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import { PLANT_KINDS, type PlantKind, type PlantRecords, plantContents } from '../../domain/plant/plant-entry.ts';
import type { PlantRow } from '../store-ports.ts';
import type { PlantPorts } from './plant-ports.ts';
import { inIdOrder, NO_CHANGES, type PlantChanges, PlantState } from './plant-state.ts';

/**
 * The plant as it was stored (D-03). A damaged row is left out and reported, and stays stored until it is written
 * again.
 */
export function restorePlant(
  rows: readonly PlantRow[],
  { shapes, store }: Pick<PlantPorts, 'shapes' | 'store'>,
): PlantState {
  const restoreKind = <Kind extends PlantKind>(kind: Kind): readonly PlantRecords[Kind][] => {
    const records: PlantRecords[Kind][] = [];
    for (const row of rows) {
      if (row.kind !== kind || row.json === null) continue;
      try {
        records.push(restoreRecord(kind, row.id, row.json, shapes));
      } catch (error) {
        tellDamage(row, errorMessage(error), store);
      }
    }
    return inIdOrder(kind, records);
  };
  for (const row of rows) if (!KINDS.has(row.kind)) tellDamage(row, 'not a kind of plant record', store);
  return new PlantState(plantContents(restoreKind));
}

/** The changes that stored rows make. */
export function followedChanges(
  rows: readonly PlantRow[],
  { shapes, store }: Pick<PlantPorts, 'shapes' | 'store'>,
): PlantChanges {
  const changes = new Map<PlantKind, Map<string, unknown>>();
  for (const row of rows) {
    const ofKind = changes.get(row.kind) ?? new Map<string, unknown>();
    changes.set(row.kind, ofKind);
    try {
      ofKind.set(row.id, row.json === null ? null : restoreRecord(row.kind, row.id, row.json, shapes));
    } catch (error) {
      tellDamage(row, errorMessage(error), store);
    }
  }
  return { ...NO_CHANGES, ...Object.fromEntries(changes) };
}

const KINDS: ReadonlySet<string> = new Set(PLANT_KINDS);

function tellDamage({ kind, id, json }: PlantRow, reason: string, store: PlantPorts['store']): void {
  store.record([{ kind: 'damaged', record: { table: 'plant', key: `${kind} ${id}`, content: json ?? '', reason } }]);
}

function restoreRecord<Kind extends PlantKind>(
  kind: Kind,
  id: string,
  json: string,
  shapes: PlantPorts['shapes'],
): PlantRecords[Kind] {
  const { record, secrets } = PLANT_CODECS[kind];
  const stored = new Map<string, unknown>(Object.entries(JSON.parse(json)));
  const hashes = secrets.map((slot) => ({ slot, hash: take(stored, slot.hashField) }));
  const entry = shapes[kind](Object.fromEntries(stored));
  if (!entry.ok) throw new CodedError('internal', entry.faults.map(faultText).join('; '));
  let restored = record(entry.value, undefined);
  if (PLANT_CODECS[kind].id(restored) !== id) throw new CodedError('internal', 'it names another id than its row');
  for (const { slot, hash } of hashes) if (typeof hash === 'string') restored = slot.withHash(restored, hash);
  return restored;
}

function take(values: Map<string, unknown>, key: string): unknown {
  const value = values.get(key);
  values.delete(key);
  return value;
}
