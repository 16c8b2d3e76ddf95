import { stat } from 'node:fs/promises';
import { askProgram } from './ask-program.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'service';
const PROPERTIES = 'LoadState,ActiveState,SubState,NRestarts,WatchdogUSec,UnitFileState,Result';

/** Checks the state of the service in systemd, if the computer runs systemd. */
export async function checkService(timeoutMs: number): Promise<Finding> {
  if ((await stat('/run/systemd/system').catch(() => null)) === null)
    return ok(CHECK, 'this computer does not run systemd');
  const answer = await askProgram('systemctl', ['show', 'plantgate.service', `--property=${PROPERTIES}`], timeoutMs);
  if (answer === null) return warning(CHECK, 'systemd does not answer', 'Look at "systemctl status".');
  return judgeService(new Map(answer.split('\n').map((line) => split(line))));
}

function split(line: string): readonly [string, string] {
  const place = line.indexOf('=');
  return [line.slice(0, place), line.slice(place + 1)];
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
