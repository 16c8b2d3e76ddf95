import type { Machine } from '../plant/plant.ts';

const WAREHOUSE_CLAIM = 'service.machine.warehouse';

/** Whether business clients may see a machine's warehouse tasks (TASK-03). */
export function isWarehouseLicensed({ claims }: Machine): boolean {
  return claims.includes(WAREHOUSE_CLAIM);
}
