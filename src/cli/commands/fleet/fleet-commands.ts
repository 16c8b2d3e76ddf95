import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../../command-group.ts';
import type { GroupAct } from './fleet.ts';

const fleetActs = () => import('./fleet.ts');
const updateActs = () => import('./fleet-update.ts');

interface PlanOptions extends GroupOptions {
  readonly note?: string;
  readonly overwrite?: true;
}

/** The commands below `plantgate fleet`: groups of gateways and their plans (D-106). */
export function addFleetCommands(fleet: Command, surroundings: Surroundings): void {
  addGroupCommands(fleet, surroundings);
  addPlanCommands(fleet, surroundings);
  addUpdateCommands(fleet, surroundings);
}

function addGroupCommands(fleet: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(fleet, surroundings);
  const act = (options: GroupOptions, given: Omit<GroupAct, 'dataDir'>) =>
    run(options, async (dataDir) => (await fleetActs()).actOnGroup({ dataDir, ...given }, io));
  command('list', 'list groups of gateways')
    .option('--json', 'print it as JSON')
    .action((options: GroupOptions) =>
      run(options, async (dataDir) => (await fleetActs()).listGroups({ dataDir, json: options.json === true }, io)),
    );
  command('show <group>', 'say where each gateway of a group stands')
    .option('--json', 'print it as JSON')
    .action((group: string, options: GroupOptions) =>
      run(options, async (dataDir) =>
        (await fleetActs()).showGroup({ dataDir, group, json: options.json === true }, io),
      ),
    );
  command('create <name>', 'make a group of gateways').action((name: string, options: GroupOptions) =>
    run(options, async (dataDir) => (await fleetActs()).createGroup({ dataDir, name }, io)),
  );
  command('rename <group> <name>', 'give a group another name').action(
    (group: string, name: string, options: GroupOptions) =>
      act(options, {
        group,
        method: 'PUT',
        path: '',
        body: { name },
        done: `Group ${group} is called ${name} from now on.`,
      }),
  );
  command('remove <group>', 'remove a group and its plan').action((group: string, options: GroupOptions) =>
    act(options, {
      group,
      method: 'DELETE',
      path: '',
      done: `Group ${group} is removed. Its gateways keep what they have.`,
    }),
  );
  command('join <group> <gatewayId>', 'put a gateway into a group').action(
    (group: string, gatewayId: string, options: GroupOptions) =>
      act(options, {
        group,
        method: 'PUT',
        path: memberPath(gatewayId),
        done: `${gatewayId} is in group ${group} from now on, and in no other.`,
      }),
  );
  command('leave <group> <gatewayId>', 'take a gateway out of a group').action(
    (group: string, gatewayId: string, options: GroupOptions) =>
      act(options, {
        group,
        method: 'DELETE',
        path: memberPath(gatewayId),
        done: `${gatewayId} is in no group from now on, and keeps what it has.`,
      }),
  );
}

function addPlanCommands(fleet: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(fleet, surroundings);
  const choose = (options: GroupOptions, group: string, what: string, version: string, done: string) => {
    if (!/^[1-9]\d{0,8}$/.test(version)) fleet.error(`error: expected the number of a version, found ${version}`);
    const act = { group, method: 'PUT', path: `/${what}`, body: { version: Number(version) }, done } as const;
    return run(options, async (dataDir) => (await fleetActs()).actOnGroup({ dataDir, ...act }, io));
  };
  command('plan <group> <file>', 'keep a file as the next version of a group’s plan')
    .option('--note <text>', 'a note for people', '')
    .option('--overwrite', 'records that were edited at a gateway are overwritten')
    .action((group: string, file: string, { note = '', overwrite, ...options }: PlanOptions) =>
      run(options, async (dataDir) =>
        (await fleetActs()).addVersion({ dataDir, group, file, note, overwrite: overwrite === true }, io),
      ),
    );
  command('versions <group>', 'list the versions of a group’s plan')
    .option('--json', 'print it as JSON')
    .action((group: string, options: GroupOptions) =>
      run(options, async (dataDir) =>
        (await fleetActs()).listVersions({ dataDir, group, json: options.json === true }, io),
      ),
    );
  command('difference <group> <from> <to>', 'compare two versions; 0 is an empty plan').action(
    (group: string, from: string, to: string, options: GroupOptions) =>
      run(options, async (dataDir) => (await fleetActs()).showDifference({ dataDir, group, from, to }, io)),
  );
  command('preview <group> <version>', 'ask the gateways what a version would change there').action(
    (group: string, version: string, options: GroupOptions) =>
      choose(options, group, 'preview', version, `"plantgate fleet show ${group}" has their answers within 30 s.`),
  );
  command('roll-out <group> <version>', 'have each gateway apply a version, all or nothing').action(
    (group: string, version: string, options: GroupOptions) =>
      choose(options, group, 'rollOut', version, `"plantgate fleet show ${group}" has the results within 30 s.`),
  );
}

interface UpdateOptions extends GroupOptions {
  readonly canary?: readonly string[];
  readonly atOnce: string;
}

function addUpdateCommands(fleet: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(fleet, surroundings);
  const act = (options: GroupOptions, group: string, what: 'stop' | 'goOn', done: string) =>
    run(options, async (dataDir) =>
      (await fleetActs()).actOnGroup({ dataDir, group, method: 'POST', path: `/update/${what}`, done }, io),
    );
  command('send <file>', 'send a signed update for gateways to this server').action(
    (file: string, options: GroupOptions) =>
      run(options, async (dataDir) => (await updateActs()).sendArchive({ dataDir, file }, io)),
  );
  command('archives', 'list the updates that were sent')
    .option('--json', 'print it as JSON')
    .action((options: GroupOptions) =>
      run(options, async (dataDir) => (await updateActs()).listArchives({ dataDir, json: options.json === true }, io)),
    );
  command('update <group> <version>', 'give an update to the gateways of a group, in steps')
    .option('--canary <gatewayId...>', 'gateways that get it before all others')
    .option('--at-once <number>', 'gateways that get it at a time after them', '1')
    .action((group: string, version: string, { canary = [], atOnce, ...options }: UpdateOptions) =>
      run(options, async (dataDir) =>
        (await updateActs()).beginUpdate({ dataDir, group, version, canaries: canary, atOnce: Number(atOnce) }, io),
      ),
    );
  command('progress <group>', 'say how far the update of a group is')
    .option('--json', 'print it as JSON')
    .action((group: string, options: GroupOptions) =>
      run(options, async (dataDir) =>
        (await updateActs()).showProgress({ dataDir, group, json: options.json === true }, io),
      ),
    );
  command('stop <group>', 'stop the update of a group').action((group: string, options: GroupOptions) =>
    act(options, group, 'stop', `No further gateway of ${group} gets it. One at which it is being installed goes on.`),
  );
  command('go-on <group>', 'go on with a stopped update').action((group: string, options: GroupOptions) =>
    act(options, group, 'goOn', `It goes on. Gateways of ${group} that have failed are passed over.`),
  );
}

function memberPath(gatewayId: string): string {
  return `/gateways/${encodeURIComponent(gatewayId)}`;
}
