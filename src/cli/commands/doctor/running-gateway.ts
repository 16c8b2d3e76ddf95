import type { Config } from '../../../config/config-schema.ts';
import { at, listOf, numberAt, textAt } from '../../answer-values.ts';
import { EXIT } from '../../command-io.ts';
import { openLocalClient } from '../../local-client.ts';
import { COMMANDS, type Installation, installationOf } from '../service/installation.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The running gateway's report about itself. */
export interface RunningGateway {
  readonly addresses: {
    readonly httpPort: number | null;
    readonly deviceHttpPort: number | null;
    readonly mqttPort: number | null;
    readonly mqttTlsPort: number | null;
  };
  /** The expiry of each certificate that it uses, by its setting. */
  readonly certificatesUntilMs: ReadonlyMap<string, number>;
}

export interface GatewayCheck {
  readonly findings: readonly Finding[];
  readonly running: RunningGateway | null;
  /** Whether this user may not ask it. */
  readonly isHidden: boolean;
}

/** Asks the gateway of this data directory, if one runs. */
export async function checkGateway({ dataDir }: Config, timeoutMs: number): Promise<GatewayCheck> {
  const opened = await openLocalClient(dataDir, timeoutMs);
  const answer = opened.ok ? await opened.client.call('GET', '/api/local/system') : opened;
  if (!answer.ok)
    return {
      findings: [notAnswering(answer, installationOf(dataDir))],
      running: null,
      isHidden: answer.exitCode === EXIT.notPermitted,
    };
  const { body } = answer;
  const found = `${textAt(body, 'version') ?? '?'} runs as ${textAt(body, 'gatewayId') ?? '?'}`;
  return {
    isHidden: false,
    findings: [ok('gateway', found), diskFinding(body)],
    running: {
      addresses: {
        httpPort: numberAt(body, 'addresses', 'httpPort'),
        deviceHttpPort: numberAt(body, 'addresses', 'deviceHttpPort'),
        mqttPort: numberAt(body, 'addresses', 'mqttPort'),
        mqttTlsPort: numberAt(body, 'addresses', 'mqttTlsPort'),
      },
      certificatesUntilMs: certificatesUntilMs(body),
    },
  };
}

function certificatesUntilMs(system: unknown): ReadonlyMap<string, number> {
  const named = listOf(at(system, 'certificates')).map((one): [string, number] => [
    textAt(one, 'setting') ?? '',
    Date.parse(textAt(one, 'validUntil') ?? ''),
  ]);
  return new Map(named.filter(([, untilMs]) => !Number.isNaN(untilMs)));
}

function notAnswering(
  { exitCode, sentence }: { readonly exitCode: number; readonly sentence: string },
  { service }: Installation,
): Finding {
  const found = sentence.split(/[.:] (?=[A-Z])/)[0] ?? sentence;
  if (exitCode === EXIT.notPermitted) {
    return warning('gateway', found, 'Run this as root: what the running gateway says is missing here.');
  }
  return warning('gateway', found, `Start it with "systemctl start ${service}" or "${COMMANDS[service]}".`);
}

function diskFinding(system: unknown): Finding {
  const state = textAt(system, 'disk', 'state') ?? '?';
  const commitMs = numberAt(system, 'disk', 'commitMs');
  const commit = commitMs === null ? 'nothing was written yet' : `the newest commit took ${commitMs} ms`;
  if (state !== 'ok')
    return fault('storage', `the database is ${state}`, 'Look into /readyz and the log for the reason.');
  const setAside = textAt(system, 'disk', 'setAside', 'file');
  if (setAside === null) return ok('storage', commit);
  const lost = listOf(at(system, 'disk', 'setAside', 'losses')).map((loss) => textAt(loss, 'table') ?? 'all tables');
  const found = `the database was damaged and lies in ${setAside}; not whole: ${lost.length === 0 ? 'nothing' : lost.join(', ')}`;
  return fault(
    'storage',
    found,
    'Restore a backup, or move the damaged file away: see "Damaged database" in operate.md.',
  );
}
