import * as Type from 'typebox';
import { LOG_LEVELS, type LogLevel } from '../../../../domain/log-level.ts';
import type { LeveledLog } from '../../../../flows/ports.ts';
import { type ApiRoute, described, get, json, put } from '../../requests/api-route.ts';
import { choice } from '../shapes.ts';

const LOG_LEVEL = Type.Object({ level: choice(LOG_LEVELS) }, { title: 'LogLevel' });

const BODY = Type.Object({ level: Type.Unsafe<LogLevel>({ enum: LOG_LEVELS }) }, { additionalProperties: false });

/** The level of the log, until the next start or reload (contract.md, `/log-level`). */
export function logLevelRoutes(log: Pick<LeveledLog, 'level'>): readonly ApiRoute[] {
  return [
    get('/log-level', 'admin', described('Reads how much is logged', LOG_LEVEL), () => json({ level: log.level })),
    put(
      '/log-level',
      'admin',
      BODY,
      described('Chooses how much is logged, until the next start or SIGHUP', LOG_LEVEL),
      ({ body }) => {
        log.level = body.level;
        return json({ level: log.level });
      },
    ),
  ];
}
