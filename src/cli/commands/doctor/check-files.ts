import type { ConfigRequest } from '../../../config/load-config.ts';
import { EXIT, WITH_SUDO } from '../../command-io.ts';
import { runCheck } from '../check.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Checks the configuration and the plant file like `plantgate check`: a finding for each line that it writes. */
export function checkFiles(request: ConfigRequest): readonly Finding[] {
  const lines: string[] = [];
  const exitCode = runCheck({ ...request, write: (text) => lines.push(text.trimEnd()) });
  if (exitCode === EXIT.done) return lines.map((line) => ok('configuration', line));
  if (exitCode === EXIT.notPermitted) return lines.slice(0, -1).map((line) => fault('permission', line, WITH_SUDO));
  return lines.slice(0, -1).map((line) => fault('configuration', line, 'Correct it, then run "plantgate check".'));
}
