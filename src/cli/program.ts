import { Command } from 'commander';
import type { ConfigRequest } from '../config/load-config.ts';
import { errorMessage } from '../domain/error-text.ts';
import { VERSION } from '../version.ts';
import type { Surroundings } from './command-group.ts';
import type { CommandIo } from './command-io.ts';
import { runApply } from './commands/apply.ts';
import { addAuditCommands } from './commands/audit-commands.ts';
import { runCheck } from './commands/check.ts';
import { type DemoOptions, runDemo } from './commands/demo/demo.ts';
import { demoGateway } from './commands/demo/demo-gateway.ts';
import { runSimulate, type SimulateOptions } from './commands/demo/simulate.ts';
import { runExport } from './commands/export.ts';
import { addGatewayCommands } from './commands/gateway-commands.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { addQueueCommands } from './commands/queue-commands.ts';
import { exitCodeOf, loadOrTell, runGateway } from './commands/run.ts';
import { runStatus } from './commands/status.ts';
import { addUserCommands } from './commands/user-commands.ts';
import { printableLines } from './terminal-text.ts';

export interface ProgramOptions {
  readonly io: CommandIo;
  readonly request: Omit<ConfigRequest, 'file'>;
  readonly storeThreadEntry: URL | string;
  /** Without it the threads of the gateway are not watched. */
  readonly watchThreadEntry?: URL | string;
  readonly onExitCode: (code: number) => void;
}

interface ConfigOption {
  readonly config?: string;
}

/** The commands of plantgate (contract.md, The program). */
export function createProgram({ io, request, onExitCode, ...threads }: ProgramOptions): Command {
  const program = new Command('plantgate')
    .description('Edge gateway for roll-forming machines')
    .version(VERSION, '--version', 'print the version')
    .option('--config <file>', 'configuration file; default ./plantgate.yaml, then /etc/plantgate/plantgate.yaml')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout(text.trimEnd()), writeErr: (text) => io.stderr(text.trimEnd()) })
    .helpCommand('help [command]', 'explain a command')
    .showHelpAfterError('(plantgate --help lists the commands)');

  const configRequest = (own: ConfigOption): ConfigRequest => {
    const file = own.config ?? program.opts<ConfigOption>().config;
    return file === undefined ? request : { ...request, file };
  };
  const command = (name: string, description: string, isDefault = false): Command =>
    program.command(name, { isDefault }).description(description).option('--config <file>', 'configuration file');

  const dataDirOf = (options: ConfigOption): string | null => {
    const loaded = loadOrTell(configRequest(options), io);
    if (typeof loaded !== 'number') return loaded.config.dataDir;
    onExitCode(loaded);
    return null;
  };

  const run = command('run', 'run the gateway', true).allowExcessArguments();
  run.hook('preAction', refuseArguments).action(async (options: ConfigOption) => {
    onExitCode(await runGateway({ request: configRequest(options), ...threads }, io));
  });
  command('check', 'validate configuration and plant file').action((options: ConfigOption) => {
    const write = (text: string) => io.stdout(printableLines(text.trimEnd()));
    onExitCode(runCheck({ ...configRequest(options), write }));
  });
  command('status', 'show machines, decisions, queue and upstream of the running gateway')
    .option('--json', 'print it as JSON')
    .action(async (options: ConfigOption & { readonly json?: boolean }) => {
      const dataDir = dataDirOf(options);
      if (dataDir === null) return;
      const terminal = process.stdout.isTTY ? { columns: process.stdout.columns } : null;
      onExitCode(await runStatus({ dataDir, terminal, json: options.json === true }, io));
    });
  command('apply', 'load a plant file into the running gateway, all or nothing')
    .argument('<file>', 'the plant file')
    .option('--dry-run', 'only print what it would change')
    .option('--json', 'print what it changed as JSON')
    .action(async (file: string, options: ConfigOption & { readonly dryRun?: true; readonly json?: true }) => {
      const dataDir = dataDirOf(options);
      const { dryRun = false, json = false } = options;
      if (dataDir !== null) onExitCode(await runApply({ dataDir, file, dryRun, json }, io));
    });
  command('export', 'print the plant of the running gateway as a plant file').action(async (options: ConfigOption) => {
    const dataDir = dataDirOf(options);
    if (dataDir !== null) onExitCode(await runExport({ dataDir }, io));
  });
  addGroups(command, { io, onExitCode, dataDirOf });
  command('demo', 'run a gateway with a living sample plant, on a throw-away data directory')
    .option('--machines <count>', 'simulated machines; default 6')
    .option('--port <port>', 'port of page and interfaces; default 8080, or a free one')
    .option('--mqtt-port <port>', 'port of the broker; default 1883, or a free one')
    .action(async (options: DemoOptions) => {
      onExitCode(await runDemo(options, io, demoGateway(request, threads.storeThreadEntry, io)).catch(told(io)));
    });
  command('simulate', 'simulated machines against any gateway')
    .option('--url <url>', 'HTTP address of the gateway, as http://127.0.0.1:8080')
    .option('--mqtt <url>', 'address of its MQTT broker, as mqtt://127.0.0.1:1883')
    .option('--machines <count>', 'simulated machines; default 6')
    .option('--rate <hz>', 'statuses per second of each machine; default: as the interface recommends')
    .action(async (options: SimulateOptions) => onExitCode(await runSimulate(options, io)));
  return program;
}

/** Commands that have commands of their own. */
function addGroups(command: (name: string, description: string) => Command, surroundings: Surroundings): void {
  addGatewayCommands(command('gateways', 'gateways that send to this one'), surroundings);
  addKeyCommands(command('key', 'API keys of the running gateway'), surroundings);
  addUserCommands(command('user', 'people who may sign in at the page'), surroundings);
  addAuditCommands(command('audit', 'the record of who did what'), surroundings);
  addQueueCommands(command('queue', 'records that wait for the central server'), surroundings);
}

/** A command that could not do its work says why in one sentence; the code tells scripts. */
function told(io: CommandIo): (error: unknown) => number {
  return (error) => {
    io.stderr(errorMessage(error));
    return exitCodeOf(error);
  };
}

/** Unknown commands reach the default command as arguments. */
function refuseArguments(command: Command): void {
  const [stranger] = command.args;
  if (stranger !== undefined) command.error(`error: unknown command or argument '${stranger}'`);
}
