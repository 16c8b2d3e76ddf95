import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CommandIo } from '../../command-io.ts';
import { HELP_FILES } from '../completion/help-files.ts';
import { updatePlaces } from '../update/update-places.ts';
import { changeInstallation, notRoot, ofPackage, tell } from './install.ts';
import { type Installation, installationIn } from './installation.ts';
import { removePlace, type Step, step } from './place-file.ts';
import { removeServiceUser } from './service-user.ts';
import { enable, systemctl } from './system-programs.ts';

export interface UninstallOptions {
  readonly root: string;
  /** Also removes data, configuration and user. */
  readonly purge: boolean;
}

/** `plantgate uninstall`: removes the files of `plantgate install`. Gives the exit code. */
export async function runUninstall({ root, purge }: UninstallOptions, io: CommandIo): Promise<number> {
  const installation = installationIn(root);
  const refusal = ofPackage(installation, 'Remove') ?? notRoot(installation);
  if (refusal !== null) return tell(refusal, io);
  return changeInstallation(installation, 'plantgate was not removed', io, () => uninstall(installation, purge));
}

function* uninstall(installation: Installation, purge: boolean): Iterable<Step> {
  const { unit, binary, cacheDir, dataDir, configDir } = installation;
  if (existsSync(unit)) {
    yield systemctl(installation, ['stop', 'plantgate.service']);
    yield enable(installation, 'disable', ['plantgate.service']);
  }
  yield* removeUpdates(installation);
  yield removePlace(unit);
  yield systemctl(installation, ['daemon-reload']);
  yield removePlace(binary);
  yield removePlace(cacheDir);
  for (const place of Object.keys(HELP_FILES)) {
    const file = path.join(installation.root, place);
    if (existsSync(file)) yield removePlace(file);
  }
  if (!purge) {
    yield step('unchanged', `${dataDir} and ${configDir} kept; --purge removes them`);
    return;
  }
  yield removePlace(dataDir);
  const { stateDir, outcome } = updatePlaces(installation);
  yield removePlace(stateDir);
  yield removePlace(path.dirname(outcome));
  yield removePlace(configDir);
  yield removeServiceUser(installation);
}

/** Files of updates: the program before, and the units that install a requested one and settle an interrupted one. */
function* removeUpdates(installation: Installation): Iterable<Step> {
  const { applyPath, applyUnit, resumeUnit, next, previous } = updatePlaces(installation);
  if (existsSync(applyPath)) {
    yield systemctl(installation, ['stop', 'plantgate-apply.path']);
    yield enable(installation, 'disable', ['plantgate-apply.path']);
  }
  for (const unit of [applyPath, applyUnit]) yield removePlace(unit);
  if (!existsSync(resumeUnit)) return;
  yield enable(installation, 'disable', ['plantgate-update.service']);
  for (const place of [resumeUnit, next, previous]) yield removePlace(place);
}
