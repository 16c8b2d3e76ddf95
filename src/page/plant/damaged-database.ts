import { signal } from '@preact/signals';
import type { SystemView } from '../../flows/local-api/system-ports.ts';
import { call } from '../api/call.ts';
import { onEvent } from '../api/live.ts';

export type DamagedDatabase = NonNullable<SystemView['disk']['setAside']>;

/** The damaged database that lies beside the present one; null if no such file lies there, or if the person may not know. */
export const damagedDatabase = signal<DamagedDatabase | null>(null);

/** A database is set aside only while the gateway or its store starts, and then the page loads everything again. */
export function followDamage(mayKnow: () => boolean): void {
  onEvent('reset', () => void loadDamage(mayKnow));
}

/** At a panel another person may be there when the answer comes, or nobody. */
export async function loadDamage(mayKnow: () => boolean): Promise<void> {
  const outcome = mayKnow() ? await call<SystemView>('GET', '/system') : null;
  if (!mayKnow()) damagedDatabase.value = null;
  else if (outcome?.kind === 'done') damagedDatabase.value = outcome.value.disk.setAside;
}
