import { at, listOf, numberAt, textAt } from '../answer-values.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { openLocalClient, printFailure } from '../local-client.ts';
import { alignedLines, printable } from '../terminal-text.ts';

interface GatewaysCommand {
  readonly dataDir: string;
}

const GATEWAYS = '/api/local/gateways';
const COLUMNS = ['GATEWAY', 'STREAM', 'STANDING', 'KEY', 'LAST HEARD', 'MACHINES'];

/**
 * `plantgate gateways list`: the gateways that send here with their data directory, and the data directories that are
 * refused the name. `json` prints the answer of the local API. Gives the exit code.
 */
export async function listGateways({ dataDir, json }: GatewaysCommand & { readonly json: boolean }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', GATEWAYS);
  if (!answer.ok) return printFailure(answer, io);
  if (json) io.stdout(JSON.stringify(answer.body, null, 2));
  else for (const line of screen(listOf(answer.body))) io.stdout(line);
  return EXIT.done;
}

/** `plantgate gateways grant`: gives the gateway's name to a refused data directory. Exit code 64: no such directory. */
export async function grantName(
  { dataDir, gatewayId, stream }: GatewaysCommand & { readonly gatewayId: string; readonly stream: string },
  io: CommandIo,
): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('POST', `${GATEWAYS}/grant`, { gatewayId, stream });
  if (answer.ok) {
    io.stdout(printable(`Stream ${stream} is ${gatewayId} from now on; the former stream is refused.`));
    return EXIT.done;
  }
  if (answer.refusal?.status !== 404) return printFailure(answer, io);
  io.stderr(printable(`${answer.sentence} "plantgate gateways list" shows which are refused.`));
  return EXIT.usage;
}

function screen(gateways: readonly unknown[]): readonly string[] {
  if (gateways.length === 0) return ['No gateway sends here.'];
  const rows = gateways.flatMap((gateway) => [
    rowOf(gateway, gateway, 'taken', textAt(gateway, 'lastContactAt') ?? '-'),
    ...listOf(at(gateway, 'refused')).map((refusal) =>
      rowOf(
        gateway,
        refusal,
        `refused since ${textAt(refusal, 'since') ?? '-'}`,
        textAt(refusal, 'lastHeardAt') ?? '-',
      ),
    ),
  ]);
  return alignedLines([COLUMNS, ...rows]);
}

function rowOf(gateway: unknown, stream: unknown, standing: string, heardAt: string): readonly string[] {
  const machines = gateway === stream ? String(numberAt(gateway, 'machines')) : '-';
  return [
    textAt(gateway, 'gatewayId') ?? '-',
    textAt(stream, 'stream') ?? '-',
    standing,
    textAt(stream, 'principal') ?? '-',
    heardAt,
    machines,
  ];
}
