import { signal } from '@preact/signals';
import type { LateWriteView } from '../../flows/warehouse/warehouse-ports.ts';
import { onEvent } from '../api/live.ts';
import { listOf } from './resource.ts';

export type LateWrite = LateWriteView;

/** Writes to the legacy system whose outcome is unknown (D-16). There are few, and seldom any. */
const open = signal<readonly LateWrite[]>([]);
const { load } = listOf('/lateWrites', open);

/** The write of a coil whose outcome is unknown; null if all outcomes are known. */
export function lateWriteOf(coilId: string): LateWrite | null {
  return open.value.find((write) => write.coilId === coilId) ?? null;
}

export function followLateWrites(mayLoad: () => boolean): void {
  for (const name of ['reset', 'lateWrite'] as const) onEvent(name, () => mayLoad() && load());
}
