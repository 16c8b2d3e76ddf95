import { locatedFaultText } from '../../../config/located-fault.ts';
import { readFileBounded } from '../../../config/read-file.ts';
import { readYaml } from '../../../config/yaml/yaml-source.ts';
import { at, listOf, numberAt, textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { type LocalClient, openLocalClient, printFailure } from '../../local-client.ts';
import { alignedLines, printable } from '../../terminal-text.ts';

const GROUPS = '/api/local/fleet/groups';
/** A larger file is no plan (limits.ts of the HTTP adapter). */
const MAX_PLAN_BYTES = 1_048_576;
/** The passwords of a plan are hashed one after the other. */
const PLAN_TIMEOUT_MS = 10 * 60_000;

interface FleetCommand {
  readonly dataDir: string;
}

/** A command about one group, which people name by its name. */
export interface GroupCommand extends FleetCommand {
  readonly group: string;
}

export interface GroupAct extends GroupCommand {
  readonly method: 'PUT' | 'POST' | 'DELETE';
  /** Below the path of the group. */
  readonly path: string;
  readonly body?: object;
  /** What is printed once it is done. */
  readonly done: string;
}

interface PlanCommand extends GroupCommand {
  readonly file: string;
  readonly note: string;
  readonly overwrite: boolean;
}

/** `plantgate fleet list`: the groups of gateways, and how far their plans are. Gives the exit code. */
export async function listGroups({ dataDir, json }: FleetCommand & { readonly json: boolean }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', GROUPS);
  if (!answer.ok) return printFailure(answer, io);
  const groups = listOf(answer.body);
  if (json) io.stdout(JSON.stringify(answer.body, null, 2));
  else if (groups.length === 0) io.stdout('There are no groups. "plantgate fleet create" makes one.');
  else for (const line of alignedLines([LIST_COLUMNS, ...groups.map(groupRow)])) io.stdout(line);
  return EXIT.done;
}

const LIST_COLUMNS = ['GROUP', 'ROLLED OUT', 'NEWEST', 'GATEWAYS', 'APPLIED', 'REFUSED', 'DEVIATING'];

function groupRow(group: unknown): readonly string[] {
  const gateways = listOf(at(group, 'gateways'));
  const count = (standing: string) => String(gateways.filter((one) => textAt(one, 'standing') === standing).length);
  return [
    textAt(group, 'name') ?? '-',
    versionOf(group, 'rollOut'),
    versionOf(at(group, 'newest'), 'version'),
    String(gateways.length),
    count('applied'),
    count('refused'),
    String(gateways.filter((one) => (numberAt(one, 'deviationCount') ?? 0) > 0).length),
  ];
}

/** `plantgate fleet show`: where each gateway of a group stands. */
export function showGroup(command: GroupCommand & { readonly json: boolean }, io: CommandIo): Promise<number> {
  return withGroup(command, io, async (client, place) => {
    const answer = await client.call('GET', place);
    if (!answer.ok) return printFailure(answer, io);
    if (command.json) io.stdout(JSON.stringify(answer.body, null, 2));
    else for (const line of groupLines(answer.body)) io.stdout(line);
    return EXIT.done;
  });
}

const SHOW_COLUMNS = ['GATEWAY', 'STANDING', 'VERSION', 'APPLIED', 'DEVIATIONS'];

function groupLines(group: unknown): readonly string[] {
  const gateways = listOf(at(group, 'gateways'));
  const rows = gateways.map((gateway) => [
    textAt(gateway, 'gatewayId') ?? '-',
    textAt(gateway, 'standing') ?? '-',
    versionOf(gateway, 'version'),
    textAt(gateway, 'appliedAt') ?? '-',
    String(numberAt(gateway, 'deviationCount') ?? 0),
  ]);
  return [...alignedLines([SHOW_COLUMNS, ...rows]), ...gateways.flatMap(detailLines).map(printable)];
}

function detailLines(gateway: unknown): readonly string[] {
  const name = textAt(gateway, 'gatewayId') ?? '-';
  const refused = listOf(at(at(gateway, 'refused'), 'faults')).map((fault) => `${name} refuses: ${String(fault)}`);
  const deviations = listOf(at(gateway, 'deviations')).map(
    (one) => `${name} deviates: ${textAt(one, 'kind')} ${textAt(one, 'id')} (${textAt(one, 'why')})`,
  );
  const preview = at(gateway, 'preview');
  const faults = listOf(at(preview, 'faults')).map((fault) => `${name} would refuse: ${String(fault)}`);
  const changes = listOf(at(preview, 'changes')).map((one) => `${name} would ${changeText(one)}`);
  return [...refused, ...deviations, ...faults, ...changes];
}

/** `plantgate fleet create`: makes a group. */
export async function createGroup(
  { dataDir, name }: FleetCommand & { readonly name: string },
  io: CommandIo,
): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('POST', GROUPS, { name });
  if (!answer.ok) return printFailure(answer, io);
  io.stdout(printable(`Group ${name} has no gateways yet: "plantgate fleet join" puts some into it.`));
  return EXIT.done;
}

/** Changes one thing of a group, and says so. */
export function actOnGroup({ method, path, body, done, ...command }: GroupAct, io: CommandIo): Promise<number> {
  return withGroup(command, io, async (client, place) => {
    const answer = await client.call(method, `${place}${path}`, body);
    if (!answer.ok) return printFailure(answer, io);
    io.stdout(printable(done));
    return EXIT.done;
  });
}

/** `plantgate fleet plan`: keeps the records of a file as the next version of a group's plan. Exit code 78: a faulty file. */
export async function addVersion({ file, note, overwrite, ...command }: PlanCommand, io: CommandIo): Promise<number> {
  const bytes = readFileBounded(file, MAX_PLAN_BYTES);
  if (bytes === null) {
    io.stderr(printable(`${file}: no such file`));
    return EXIT.badConfiguration;
  }
  const yaml = readYaml(bytes, { file, maxBytes: MAX_PLAN_BYTES });
  if (!yaml.ok) {
    for (const fault of yaml.faults) io.stderr(locatedFaultText(fault));
    return EXIT.badConfiguration;
  }
  return withGroup(command, io, async (client, place) => {
    const query = new URLSearchParams({ note, overwrite: String(overwrite) });
    const answer = await client.call('POST', `${place}/versions?${query}`, yaml.value, PLAN_TIMEOUT_MS);
    if (!answer.ok) return printFailure(answer, io);
    const version = versionOf(answer.body, 'version');
    const isNew = at(answer.body, 'isNew') === true;
    const next = `"plantgate fleet preview ${command.group} ${version}" asks the gateways what it would change.`;
    io.stdout(printable(isNew ? `Version ${version} is kept. ${next}` : `The file is version ${version} already.`));
    return EXIT.done;
  });
}

/** `plantgate fleet versions`: the versions of a group's plan, the newest first. */
export function listVersions(command: GroupCommand & { readonly json: boolean }, io: CommandIo): Promise<number> {
  return withGroup(command, io, async (client, place) => {
    const answer = await client.call('GET', `${place}/versions`);
    if (!answer.ok) return printFailure(answer, io);
    const rows = listOf(answer.body).map((one) => [
      versionOf(one, 'version'),
      textAt(one, 'at') ?? '-',
      textAt(one, 'who') ?? '-',
      versionOf(one, 'records'),
      at(one, 'overwrite') === true ? 'yes' : 'no',
      textAt(one, 'note') ?? '',
    ]);
    if (command.json) io.stdout(JSON.stringify(answer.body, null, 2));
    else for (const line of alignedLines([VERSION_COLUMNS, ...rows])) io.stdout(line);
    return EXIT.done;
  });
}

const VERSION_COLUMNS = ['VERSION', 'AT', 'BY', 'RECORDS', 'OVERWRITES', 'NOTE'];

/** `plantgate fleet difference`: the changes from one version to another; version 0 is an empty plan. */
export function showDifference(
  { from, to, ...command }: GroupCommand & { readonly from: string; readonly to: string },
  io: CommandIo,
): Promise<number> {
  return withGroup(command, io, async (client, place) => {
    const answer = await client.call('GET', `${place}/difference?${new URLSearchParams({ from, to })}`);
    if (!answer.ok) return printFailure(answer, io);
    const changes = listOf(answer.body);
    for (const change of changes) io.stdout(printable(changeText(change)));
    if (changes.length === 0) io.stdout('They are equal.');
    return EXIT.done;
  });
}

function changeText(change: unknown): string {
  const fields = listOf(at(change, 'fields')).map(String);
  const named = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
  return `${textAt(change, 'change')} ${textAt(change, 'kind')} ${textAt(change, 'id')}${named}`;
}

function versionOf(value: unknown, field: string): string {
  return String(numberAt(value, field) ?? '-');
}

/** Finds the group by its name or id. Exit code 64: there is none. */
export async function withGroup(
  { dataDir, group }: GroupCommand,
  io: CommandIo,
  act: (client: LocalClient, place: string) => Promise<number>,
): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', GROUPS);
  if (!answer.ok) return printFailure(answer, io);
  const isNamed = (one: unknown) =>
    textAt(one, 'name')?.toLowerCase() === group.toLowerCase() || textAt(one, 'groupId') === group;
  const groupId = textAt(listOf(answer.body).find(isNamed), 'groupId');
  if (groupId !== null) return act(opened.client, `${GROUPS}/${encodeURIComponent(groupId)}`);
  io.stderr(printable(`There is no group ${JSON.stringify(group)}. "plantgate fleet list" shows them.`));
  return EXIT.usage;
}
