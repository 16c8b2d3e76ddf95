import type { PlantKind } from '../../domain/plant/plant-entry.ts';
import type { JsonText, WarehouseKind } from '../warehouse/warehouse-ports.ts';

/** Kinds of plant records with few enough records to be held in memory. */
export type ResidentKind = Exclude<PlantKind, WarehouseKind>;

/** Kinds with so many records that they are listed in pages. */
export type PagedKind = WarehouseKind | 'profiles' | 'orders';

/** The plant's records one by one, in the form of the plant file, without their secrets. Refusals are CodedErrors. */
export interface PlantRecords {
  list(kind: ResidentKind): readonly object[];
  /** An array of records in the order of their ids, behind `after`; empty at the end. */
  page(kind: PagedKind, after: string, limit: number): Promise<JsonText>;
  get(kind: PlantKind, id: string): Promise<object | undefined>;
  create(kind: PlantKind, record: unknown): Promise<object>;
  put(kind: PlantKind, id: string, record: unknown): Promise<object>;
  remove(kind: PlantKind, id: string): Promise<void>;
}
