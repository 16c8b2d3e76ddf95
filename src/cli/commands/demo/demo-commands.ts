import { errorMessage } from '../../../domain/error-text.ts';
import type { AddCommand } from '../../command-group.ts';
import type { CommandIo } from '../../command-io.ts';
import { exitCodeOf } from '../../exit-code-of.ts';
import type { DemoOptions, StartGateway } from './demo.ts';
import type { SimulateOptions } from './simulate.ts';

export interface DemoSurroundings {
  readonly io: CommandIo;
  readonly onExitCode: (code: number) => void;
  readonly startGateway: StartGateway;
}

/** `plantgate demo` and `plantgate simulate`, which read no configuration. */
export function addDemoCommands(command: AddCommand, { io, onExitCode, startGateway }: DemoSurroundings): void {
  command('demo', 'run a gateway with a living sample plant, on a throw-away data directory')
    .option('--machines <count>', 'simulated machines; default 6')
    .option('--port <port>', 'port of page and interfaces; default 8080, or a free one')
    .option('--mqtt-port <port>', 'port of the broker; default 1883, or a free one')
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('./demo.ts');
      onExitCode(await runDemo(options, io, startGateway).catch(told(io)));
    });
  command('simulate', 'simulated machines against any gateway')
    .option('--url <url>', 'HTTP address of the gateway, as http://127.0.0.1:8080')
    .option('--mqtt <url>', 'address of its MQTT broker, as mqtt://127.0.0.1:1883')
    .option('--machines <count>', 'simulated machines; default 6')
    .option('--rate <hz>', 'statuses per second of each machine; default: as the interface recommends')
    .action(async (options: SimulateOptions) => {
      const { runSimulate } = await import('./simulate.ts');
      onExitCode(await runSimulate(options, io));
    });
}

/** A failed command prints its reason in one sentence; scripts read the exit code. */
function told(io: CommandIo): (error: unknown) => number {
  return (error) => {
    io.stderr(errorMessage(error));
    return exitCodeOf(error);
  };
}
