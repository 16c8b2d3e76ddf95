import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { NEWEST_SCHEMA } from '../../../adapters/store/thread/database/migrations.ts';
import { VERSION } from '../../../version.ts';
import { textAt } from '../../answer-values.ts';
import type { CommandIo } from '../../command-io.ts';
import { openLocalClient } from '../../local-client.ts';
import { runBackup } from '../backup/take-backup.ts';
import { type Installation, isLive } from '../service/installation.ts';
import { isSystemdRunning } from '../service/system-programs.ts';
import { realDisk } from './disk.ts';
import { systemdService } from './systemd-service.ts';
import type { UpdateParts } from './update-parts.ts';
import { updatePlaces } from './update-places.ts';

const ASK_TIMEOUT_MS = 10_000;

/** The parts for an update of this computer, or of the image below a root. */
export function realUpdateParts(installation: Installation, dataDirOfConfig: string, io: CommandIo): UpdateParts {
  const places = updatePlaces(installation);
  const isThisComputer = isLive(installation);
  const dataDir = isThisComputer ? dataDirOfConfig : path.join(installation.root, dataDirOfConfig);
  const version = (isThisComputer ? versionOf(places.binary) : null) ?? VERSION;
  // The database itself shows which schema another version knows.
  const schema = version === VERSION ? NEWEST_SCHEMA : 0;
  return {
    places,
    dataDir,
    disk: realDisk,
    present: { version, arch: process.arch, schema },
    service: isThisComputer && isSystemdRunning() ? systemdService(places) : null,
    versionOf: isThisComputer ? versionOf : null,
    servingVersion: () => servingVersion(dataDir),
    backUp: (file) => runBackup({ dataDir, file, json: false }, { ...io, stdout: () => undefined }),
    monotonicMs: () => performance.now(),
    wait: (ms) => wait(ms),
    now: () => new Date(),
  };
}

function versionOf(program: string): string | null {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: ASK_TIMEOUT_MS });
  return status === 0 ? stdout.trim() : null;
}

/** The version of the gateway on this directory; null if none runs, or if `/readyz` says that it does not serve. */
async function servingVersion(dataDir: string): Promise<string | null> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok || typeof (await opened.client.getText('/readyz')) !== 'string') return null;
  const system = await opened.client.call('GET', '/api/local/system');
  return system.ok ? textAt(system.body, 'version') : null;
}
