import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../command-group.ts';

const gatewayActs = () => import('./gateways.ts');

/** The commands below `plantgate gateways`. */
export function addGatewayCommands(gateways: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(gateways, surroundings);
  command('list', 'list gateways that send to this one, and refused copies of them')
    .option('--json', 'print it as JSON')
    .action((options: GroupOptions) =>
      run(options, async (dataDir) => (await gatewayActs()).listGateways({ dataDir, json: options.json === true }, io)),
    );
  command('grant <gatewayId> <stream>', 'choose which data directory may use a gatewayId').action(
    (gatewayId: string, stream: string, options: GroupOptions) =>
      run(options, async (dataDir) => (await gatewayActs()).grantName({ dataDir, gatewayId, stream }, io)),
  );
  command('rename <gatewayId> [name]', 'give a gateway a name for people, or take it away').action(
    (gatewayId: string, name: string | undefined, options: GroupOptions) =>
      run(options, async (dataDir) =>
        (await gatewayActs()).renameGateway({ dataDir, gatewayId, name: name ?? '' }, io),
      ),
  );
  command('retire <gatewayId>', 'take a silent gateway out of all lists').action(
    (gatewayId: string, options: GroupOptions) =>
      run(options, async (dataDir) => (await gatewayActs()).retireGateway({ dataDir, gatewayId }, io)),
  );
}
