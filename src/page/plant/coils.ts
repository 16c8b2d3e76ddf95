import type { Coil } from '../../domain/plant/plant.ts';
import { callBusiness, type Outcome } from '../api/call.ts';

export type { Coil };

export interface FoundCoils {
  readonly total: number;
  readonly items: readonly Coil[];
}

const SHOWN = 40;

export function searchCoils(sought: string): Promise<Outcome<FoundCoils>> {
  return callBusiness('GET', `/coils/search?take=${SHOWN}&q=${encodeURIComponent(sought)}`);
}

export function readCoil(coilId: string): Promise<Outcome<Coil>> {
  return callBusiness('GET', `/coils/${encodeURIComponent(coilId)}`);
}

/** The legacy system is written first; then the coil moves here. */
export function moveCoil(coilId: string, location: string): Promise<Outcome<unknown>> {
  return callBusiness('POST', `/coils/${encodeURIComponent(coilId)}/location`, { location });
}
