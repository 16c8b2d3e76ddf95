import { type Catalog, CODE_SETS, LOCATION_CATEGORIES, type Location, type ReasonCode } from '../plant/plant.ts';
import { type Mirrored, mirrored } from './mirrored.ts';

/** The small lists of the central server (contract.md, Upstream; D-22). */

export function mirroredReasonCode(value: unknown): Mirrored<ReasonCode> {
  return mirrored(value, 'id', (code) => ({
    id: code.id('id'),
    codeSet: code.oneOf('codeSet', CODE_SETS),
    reason: code.text('reason'),
  }));
}

export function mirroredLocation(value: unknown): Mirrored<Location> {
  return mirrored(value, 'code', (location) => ({
    code: location.id('code'),
    name: location.text('name'),
    category: location.oneOf('category', LOCATION_CATEGORIES),
  }));
}

export function mirroredCatalog(value: unknown): Mirrored<Catalog> {
  return mirrored(value, 'catalogId', (catalog) => ({
    catalogId: catalog.integer('catalogId'),
    name: catalog.text('name'),
    default: catalog.flag('isDefault'),
  }));
}
