import type { SystemStatus } from '../../../../flows/local-api/system-status.ts';
import { type ApiRoute, get, json, NO_QUERY } from '../../requests/api-route.ts';

/**
 * The state of the computer and services under the gateway, and the growth of its queue (contract.md, `/system`,
 * `/sync/history`).
 */
export function systemRoutes(system: SystemStatus): readonly ApiRoute[] {
  return [
    get('/system', 'technician', NO_QUERY, async () => json(await system.view())),
    get('/sync/history', 'technician', NO_QUERY, () => json(system.queueHistory())),
  ];
}
