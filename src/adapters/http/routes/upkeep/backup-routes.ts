import * as Type from 'typebox';
import type { Backups } from '../../../../flows/backup/backups.ts';
import { type ApiRoute, described, get, json, route } from '../../requests/api-route.ts';
import { COUNT, DATE_TIME, text } from '../shapes.ts';

const BACKUP = Type.Object({ file: text(), takenAt: DATE_TIME, bytes: COUNT }, { title: 'Backup' });

/** Backups of all state (contract.md, `/backups`). */
export function backupRoutes(backups: Backups): readonly ApiRoute[] {
  return [
    get('/backups', 'admin', described('Lists backups', Type.Array(BACKUP)), async () => json(await backups.list())),
    route({
      method: 'POST',
      path: '/backups',
      role: 'admin',
      description: described('Takes a backup and verifies it', BACKUP, 201),
      answer: async () => json(await backups.take(), 201),
    }),
  ];
}
