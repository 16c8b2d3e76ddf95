import type { Backups } from '../../../../flows/backup/take-backups.ts';
import { type ApiRoute, get, json, NO_QUERY, route } from '../../requests/api-route.ts';

/** Backups of all state (contract.md, `/backups`). */
export function backupRoutes(backups: Backups): readonly ApiRoute[] {
  return [
    get('/backups', 'admin', NO_QUERY, async () => json(await backups.list())),
    route({
      method: 'POST',
      path: '/backups',
      role: 'admin',
      answer: async () => json(await backups.take(), 201),
    }),
  ];
}
