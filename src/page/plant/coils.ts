import type { Coil } from '../../domain/plant/plant.ts';
import { callBusiness, type Outcome } from '../api/call.ts';

export type { Coil };

export interface FoundCoils {
  readonly total: number;
  readonly items: readonly Coil[];
}

/** Coils that the list shows at first, and by which it grows. */
export const COILS_SHOWN = 40;

export function searchCoils(sought: string, take: number): Promise<Outcome<FoundCoils>> {
  return callBusiness('GET', `/coils/search?take=${take}&q=${encodeURIComponent(sought)}`);
}

export function readCoil(coilId: string): Promise<Outcome<Coil>> {
  return callBusiness('GET', `/coils/${encodeURIComponent(coilId)}`);
}

/** The coils that exist, of these. */
export async function readCoils(coilIds: readonly string[]): Promise<Outcome<readonly Coil[]>> {
  const outcomes = await Promise.all(coilIds.map(readCoil));
  return { kind: 'done', value: outcomes.flatMap((outcome) => (outcome.kind === 'done' ? [outcome.value] : [])) };
}

/** The legacy system is written first; then the coil moves here. */
export function moveCoil(coilId: string, location: string): Promise<Outcome<unknown>> {
  return callBusiness('POST', `/coils/${encodeURIComponent(coilId)}/location`, { location });
}
