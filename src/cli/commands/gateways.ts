import { at, listOf, numberAt, textAt } from '../answer-values.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { openLocalClient, printFailure } from '../local-client.ts';
import { alignedLines, printable } from '../terminal-text.ts';

interface GatewaysCommand {
  readonly dataDir: string;
}

const GATEWAYS = '/api/local/gateways';
const COLUMNS = ['GATEWAY', 'STREAM', 'STANDING', 'KEY', 'LAST HEARD', 'MACHINES', 'VERSION', 'TROUBLE'];

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

/** `plantgate gateways rename`: gives a gateway a name for people; an empty one takes it away. Exit code 64: no such gateway. */
export function renameGateway(
  { dataDir, gatewayId, name }: GatewaysCommand & { readonly gatewayId: string; readonly name: string },
  io: CommandIo,
): Promise<number> {
  const given = name === '' ? null : name;
  const done =
    given === null ? `${gatewayId} has no other name from now on.` : `${gatewayId} is called ${given} from now on.`;
  return act({ dataDir, gatewayId, method: 'PUT', body: { name: given }, done }, io);
}

/** `plantgate gateways retire`: takes a silent gateway out of all lists. Exit code 64: no such gateway. */
export function retireGateway(
  { dataDir, gatewayId }: GatewaysCommand & { readonly gatewayId: string },
  io: CommandIo,
): Promise<number> {
  const done = `${gatewayId} is retired. What it sent stays until retention deletes it; its gatewayId is free.`;
  return act({ dataDir, gatewayId, method: 'DELETE', body: undefined, done }, io);
}

interface GatewayAct extends GatewaysCommand {
  readonly gatewayId: string;
  readonly method: 'PUT' | 'DELETE';
  readonly body: object | undefined;
  /** What is printed once it is done. */
  readonly done: string;
}

async function act({ dataDir, gatewayId, method, body, done }: GatewayAct, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call(method, `${GATEWAYS}/${encodeURIComponent(gatewayId)}`, body);
  if (answer.ok) {
    io.stdout(printable(done));
    return EXIT.done;
  }
  if (answer.refusal?.status !== 404) return printFailure(answer, io);
  io.stderr(printable(`${answer.sentence} "plantgate gateways list" shows the gateways that send here.`));
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
  const isTaken = gateway === stream;
  const troubles = listOf(at(gateway, 'troubles')).map((trouble) => textAt(trouble, 'kind') ?? '-');
  return [
    nameOf(gateway),
    textAt(stream, 'stream') ?? '-',
    standing,
    textAt(stream, 'principal') ?? '-',
    heardAt,
    isTaken ? String(numberAt(gateway, 'machines')) : '-',
    (isTaken ? textAt(at(gateway, 'health'), 'version') : null) ?? '-',
    isTaken && troubles.length > 0 ? troubles.join(', ') : '-',
  ];
}

/** `Dayton (plant-7)` for a gateway that a person gave a name. */
function nameOf(gateway: unknown): string {
  const gatewayId = textAt(gateway, 'gatewayId') ?? '-';
  const name = textAt(gateway, 'name');
  return name === null ? gatewayId : `${name} (${gatewayId})`;
}
