import type { Machine } from '../plant/plant.ts';

const WAREHOUSE_CLAIM = 'service.machine.warehouse';

/** Whether a machine's warehouse tasks are business clients' to see (TASK-03). */
export function isWarehouseLicensed({ claims }: Machine): boolean {
  return claims.includes(WAREHOUSE_CLAIM);
}
