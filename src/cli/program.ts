import { Command } from 'commander';
import { EarlyThread } from '../adapters/store/client/store-thread.ts';
import type { ConfigRequest } from '../config/load-config.ts';
import { nearestName } from '../domain/nearest-name.ts';
import { VERSION } from '../version.ts';
import type { AddCommand, Surroundings } from './command-group.ts';
import type { CommandIo } from './command-io.ts';
import { addAccountCommands } from './commands/access/account-commands.ts';
import { addKeyCommands } from './commands/access/key-commands.ts';
import { addUserCommands } from './commands/access/user-commands.ts';
import { addAuditCommands } from './commands/audit-commands.ts';
import { addBackupCommands } from './commands/backup/backup-commands.ts';
import { addCentralCommands } from './commands/central-commands.ts';
import { addCertCommand } from './commands/cert/cert-commands.ts';
import { addCompletionCommand } from './commands/completion/completion-commands.ts';
import { addDemoCommands } from './commands/demo/demo-commands.ts';
import { addDoctorCommand } from './commands/doctor/doctor-command.ts';
import { addFleetCommands } from './commands/fleet/fleet-commands.ts';
import { addGatewayCommands } from './commands/gateway-commands.ts';
import { addPlantCommands } from './commands/plant-commands.ts';
import { addQueueCommands } from './commands/queue-commands.ts';
import type { Role } from './commands/run.ts';
import { addServiceCommands } from './commands/service/service-commands.ts';
import { addStatusCommand } from './commands/status-command.ts';
import { addSupportCommand } from './commands/support/support-command.ts';
import { addUpdateCommand } from './commands/update/update-commands.ts';

export interface ProgramOptions {
  readonly io: CommandIo;
  readonly request: Omit<ConfigRequest, 'file' | 'ofService'>;
  /** The service's variables, for commands that read its configuration file. */
  readonly ofService?: ConfigRequest['ofService'];
  readonly storeThreadEntry: URL | string;
  /** Without it the threads of the gateway are not watched. */
  readonly watchThreadEntry?: URL | string;
  /** Given if the command was known before the program was loaded. */
  readonly earlyThread?: EarlyThread;
  readonly onExitCode: (code: number) => void;
}

interface ConfigOption {
  readonly config?: string;
}

const EXAMPLES = `Examples:
  plantgate demo                                 a sample plant with simulated machines: everything is alive
  sudo plantgate install                         install this program as a service and start it
  sudo plantgate doctor                          say what is wrong, and what to do about it
`;

const ROLES: readonly { readonly name: string; readonly description: string; readonly role: Role }[] = [
  { name: 'run', description: 'run the gateway', role: 'gateway' },
  { name: 'central', description: 'run the central server of other gateways', role: 'central' },
];

/** The commands of plantgate (contract.md, The program). Each loads its own part of the program when it is run. */
export function createProgram({ io, request, ofService, onExitCode, ...threads }: ProgramOptions): Command {
  const program = new Command('plantgate')
    .description('Edge gateway for roll-forming machines')
    .version(VERSION, '--version', 'print the version')
    .option('--config <file>', 'configuration file; default ./plantgate.yaml, then /etc/plantgate/plantgate.yaml')
    .addHelpText('before', EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout(text.replace(/\n$/, '')),
      writeErr: (text) => io.stderr(text.trimEnd()),
    })
    .helpCommand(false)
    .showHelpAfterError('(plantgate --help lists the commands)');

  const ownRequest = (own: ConfigOption): ConfigRequest => {
    const file = own.config ?? program.opts<ConfigOption>().config;
    return file === undefined ? request : { ...request, file };
  };
  const configRequest = (own: ConfigOption): ConfigRequest => ({ ...ownRequest(own), ofService });
  const command = (name: string, description: string, isDefault = false): Command =>
    program.command(name, { isDefault }).description(description).option('--config <file>', 'configuration file');

  const dataDirOf: Surroundings['dataDirOf'] = async (options, withoutChosen = false) => {
    const { loadConfigOrExitCode } = await import('./load-config-or-exit-code.ts');
    const loaded = loadConfigOrExitCode({ ...configRequest(options), withoutChosen }, io);
    if (typeof loaded !== 'number') return loaded.config.dataDir;
    onExitCode(loaded);
    return null;
  };

  const run = async (role: Role, options: ConfigOption) => {
    const { earlyThread = new EarlyThread(threads.storeThreadEntry) } = threads;
    const { runGateway } = await import('./commands/run.ts');
    onExitCode(await runGateway({ role, request: ownRequest(options), ...threads, earlyThread }, io));
  };
  const surroundings = { io, onExitCode, dataDirOf, configRequest };
  for (const { name, description, role } of ROLES) {
    const own = command(name, description, role === 'gateway');
    if (role === 'central') addCentralCommands(own, surroundings);
    own
      .allowExcessArguments()
      // A command below it has arguments of its own.
      .hook('preAction', (each, acting) => {
        if (each === acting) refuseArguments(each);
      })
      .action((options: ConfigOption) => run(role, options));
  }
  addPlantCommands(command, surroundings);
  addStatusCommand(command, surroundings);
  addBackupCommands(command, surroundings);
  addDoctorCommand(command, surroundings);
  addSupportCommand(command, surroundings);
  addAppliance(program, surroundings);
  addGroups(command, surroundings);
  addDemoCommands((name, description) => program.command(name).description(description), {
    io,
    onExitCode,
    startGateway: async (own, plantText, withHistory) => {
      const { demoGateway } = await import('./commands/demo/demo-gateway.ts');
      return demoGateway(request, threads.storeThreadEntry, io)(own, plantText, withHistory);
    },
  });
  addHelpCommand(program);
  for (const each of program.commands) pointToHelp(each, 'plantgate');
  return program;
}

/** Commands that change this computer. */
function addAppliance(program: Command, surroundings: Surroundings): void {
  addServiceCommands((name, description) => program.command(name).description(description), surroundings);
  addUpdateCommand(program, surroundings);
  addCertCommand(program, surroundings);
  addCompletionCommand(program, surroundings);
}

/** Commands that have commands of their own. */
function addGroups(command: AddCommand, surroundings: Surroundings): void {
  addGatewayCommands(command('gateways', 'gateways that send to this one'), surroundings);
  addFleetCommands(command('fleet', 'groups of gateways that send to this one, and their plans'), surroundings);
  addKeyCommands(command('key', 'API keys of the running gateway'), surroundings);
  addAccountCommands(command('account', 'MQTT accounts: clients that are no machines'), surroundings);
  addUserCommands(command('user', 'people who may sign in at the page'), surroundings);
  addAuditCommands(command('audit', 'the record of who did what'), surroundings);
  addQueueCommands(command('queue', 'records that wait for the central server'), surroundings);
}

/** After a wrong option or argument a command points to its own help. */
function pointToHelp(command: Command, parent: string): void {
  const name = `${parent} ${command.name()}`;
  if (name !== 'plantgate run') command.showHelpAfterError(`(${name} --help explains the command)`);
  for (const each of command.commands) pointToHelp(each, name);
}

/** Unknown commands reach the default command as arguments. */
function refuseArguments(command: Command): void {
  const [unknown] = command.args;
  if (unknown !== undefined) refuseUnknown(command, unknown, command.parent?.commands ?? []);
}

/** `plantgate help key create` is `plantgate key create --help`. The command of commander itself ignores an unknown name. */
function addHelpCommand(program: Command): void {
  const help = program.command('help').description('explain a command').argument('[command...]', 'its name');
  help.action((words: readonly string[]) => {
    let explained = program;
    for (const word of words) {
      const found = explained.commands.find((each) => each.name() === word);
      if (found === undefined) refuseUnknown(help, word, explained.commands);
      explained = found;
    }
    explained.help();
  });
}

/** Ends `command` with an error that names the word, and the known command that was probably meant. */
function refuseUnknown(command: Command, word: string, known: readonly Command[]): never {
  const meant = nearestName(
    word,
    known.map((each) => each.name()),
  );
  const hint = meant === null ? '' : `\n(Did you mean ${meant}?)`;
  command.error(`error: unknown command or argument '${word}'${hint}`);
}
