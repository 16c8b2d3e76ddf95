import { existsSync } from 'node:fs';
import { askProgram } from './ask-program.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'service';
const UPDATE_CHECK = 'updates';
const APPLY_PATH = 'plantgate-apply.path';
const PROPERTIES = 'LoadState,ActiveState,SubState,NRestarts,WatchdogUSec,UnitFileState,Result';

const SILENT = warning(CHECK, 'systemd does not answer', 'Look at "systemctl status".');

/** Checks the state of the service in systemd, if the computer runs systemd. */
export async function checkService(timeoutMs: number): Promise<Finding> {
  if (!runsSystemd()) return ok(CHECK, 'this computer does not run systemd');
  const answer = await propertiesOf('plantgate.service', timeoutMs);
  return answer === null ? SILENT : judgeService(answer);
}

/** Checks the unit that installs updates from the page, if the computer has it. */
export async function checkApplyPath(timeoutMs: number): Promise<readonly Finding[]> {
  if (!runsSystemd()) return [];
  const answer = await propertiesOf(APPLY_PATH, timeoutMs);
  return answer === null ? [] : judgeApplyPath(answer);
}

function runsSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

async function propertiesOf(unit: string, timeoutMs: number): Promise<ReadonlyMap<string, string> | null> {
  const answer = await askProgram('systemctl', ['show', unit, `--property=${PROPERTIES}`], timeoutMs);
  return answer === null ? null : new Map(answer.split('\n').map((line) => split(line)));
}

function split(line: string): readonly [string, string] {
  const place = line.indexOf('=');
  return [line.slice(0, place), line.slice(place + 1)];
}

/** Judges the path unit. After many requests within seconds systemd does not watch any more. */
export function judgeApplyPath(properties: ReadonlyMap<string, string>): readonly Finding[] {
  const of = (name: string) => properties.get(name) ?? '';
  if (of('LoadState') === 'not-found') return [];
  if (of('ActiveState') === 'active') return [ok(UPDATE_CHECK, `${APPLY_PATH} waits for updates from the page`)];
  const found = `${APPLY_PATH} is ${of('ActiveState')}, so an update from the page is not installed`;
  const remedy = `Run "systemctl reset-failed ${APPLY_PATH} plantgate-apply.service", then "systemctl enable --now ${APPLY_PATH}".`;
  return [warning(UPDATE_CHECK, found, remedy)];
}

/** Judges the properties that `systemctl show` gives. */
export function judgeService(properties: ReadonlyMap<string, string>): Finding {
  const of = (name: string) => properties.get(name) ?? '';
  if (of('LoadState') === 'not-found') return ok(CHECK, 'not installed; "plantgate install" installs it');
  const state = `${of('ActiveState')} (${of('SubState')})`;
  if (of('ActiveState') !== 'active') {
    return fault(
      CHECK,
      `${state}, result ${of('Result')}`,
      'Read "journalctl -u plantgate -n 50", then "systemctl start plantgate".',
    );
  }
  if (of('UnitFileState') !== 'enabled') {
    return warning(CHECK, `${state}, but does not start with the computer`, 'Run "systemctl enable plantgate".');
  }
  if (!/^[1-9]/.test(of('WatchdogUSec'))) {
    return warning(
      CHECK,
      `${state}, without a watchdog`,
      'Take the unit file of "plantgate install": it has WatchdogSec=.',
    );
  }
  if (of('NRestarts') !== '0') {
    return warning(
      CHECK,
      `${state}, restarted ${of('NRestarts')} times`,
      'Read "journalctl -u plantgate" for the reason.',
    );
  }
  return ok(CHECK, `${state}, watchdog ${of('WatchdogUSec')}`);
}
