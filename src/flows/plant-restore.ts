import { CodedError, faultText } from '../domain/error.ts';
import { PLANT_CODECS } from '../domain/plant-codecs.ts';
import { type PlantKind, type PlantRecords, plantContents } from '../domain/plant-entry.ts';
import type { PlantPorts } from './plant-ports.ts';
import { PlantState } from './plant-state.ts';
import type { PlantRow } from './ports.ts';

/** The plant as it was stored (D-03). A row that cannot be read is told in the log and left out, and stays stored. */
export function restorePlant(
  rows: readonly PlantRow[],
  { shapes, log }: Pick<PlantPorts, 'shapes' | 'log'>,
): PlantState {
  const restoreKind = <Kind extends PlantKind>(kind: Kind): readonly PlantRecords[Kind][] => {
    const records: PlantRecords[Kind][] = [];
    for (const row of rows) {
      if (row.kind !== kind || row.json === null) continue;
      try {
        records.push(restoreRecord(kind, row.json, shapes));
      } catch (error) {
        log.error({ kind, id: row.id, error }, 'a stored plant record cannot be read and is left out');
      }
    }
    return records;
  };
  return new PlantState(plantContents(restoreKind));
}

function restoreRecord<Kind extends PlantKind>(
  kind: Kind,
  json: string,
  shapes: PlantPorts['shapes'],
): PlantRecords[Kind] {
  const { record, secrets } = PLANT_CODECS[kind];
  const stored = new Map<string, unknown>(Object.entries(JSON.parse(json)));
  const hashes = secrets.map((slot) => ({ slot, hash: take(stored, slot.hashField) }));
  const entry = shapes[kind](Object.fromEntries(stored));
  if (!entry.ok) throw new CodedError('internal', entry.faults.map(faultText).join('; '));
  let restored = record(entry.value, undefined);
  for (const { slot, hash } of hashes) if (typeof hash === 'string') restored = slot.withHash(restored, hash);
  return restored;
}

function take(values: Map<string, unknown>, key: string): unknown {
  const value = values.get(key);
  values.delete(key);
  return value;
}
