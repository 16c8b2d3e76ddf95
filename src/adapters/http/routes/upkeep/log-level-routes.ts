import * as Type from 'typebox';
import { LOG_LEVELS, type LogLevel } from '../../../../domain/log-level.ts';
import type { LeveledLog } from '../../../../flows/ports.ts';
import { type ApiRoute, get, json, NO_QUERY, put } from '../../requests/api-route.ts';

const BODY = Type.Object({ level: Type.Unsafe<LogLevel>({ enum: LOG_LEVELS }) }, { additionalProperties: false });

/** The level of the log, until the next start or reload (contract.md, `/log-level`). */
export function logLevelRoutes(log: Pick<LeveledLog, 'level'>): readonly ApiRoute[] {
  return [
    get('/log-level', 'admin', NO_QUERY, () => json({ level: log.level })),
    put('/log-level', 'admin', BODY, ({ body }) => {
      log.level = body.level;
      return json({ level: log.level });
    }),
  ];
}
