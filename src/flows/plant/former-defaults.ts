import type { Catalog } from '../../domain/plant/plant.ts';
import type { MirroredRecords } from '../mirror/mirror-ports.ts';

/** The default catalogs that a list of the central server leaves out, if it has a default itself: without that mark. */
export function formerDefaults(catalogs: readonly Catalog[], list: MirroredRecords): readonly Catalog[] {
  if (list.of !== 'catalogs' || !list.records.some((catalog) => catalog.default)) return [];
  const listed = new Set(list.records.map(({ catalogId }) => catalogId));
  const former = catalogs.filter((catalog) => catalog.default && !listed.has(catalog.catalogId));
  return former.map((catalog) => ({ ...catalog, default: false }));
}
