import type { Command } from 'commander';
import type { ConfigRequest } from '../config/load-config.ts';
import type { CommandIo } from './command-io.ts';

/** Declares a command of the program. */
export type AddCommand = (name: string, description: string) => Command;

/** The surroundings of the commands of a group. */
export interface Surroundings {
  readonly io: CommandIo;
  readonly onExitCode: (code: number) => void;
  /**
   * The data directory of the gateway; null if the configuration has faults, which were printed. `withoutChosen`: the
   * settings chosen at the page are not read, because the command replaces them.
   */
  readonly dataDirOf: (options: { readonly config?: string }, withoutChosen?: boolean) => Promise<string | null>;
  /** The source of the configuration. */
  readonly configRequest: (options: { readonly config?: string }) => ConfigRequest;
}

export interface GroupOptions {
  readonly config?: string;
  readonly json?: true;
}

/** The option of commands about one plant. */
export const OF_PLANT = ['--plant <id>', 'one of several plants of a central server; default: its first one'] as const;

/** The option of commands that make a key or a person: it may be given several times. */
export const PLANTS_OPTION = [
  '--plant <id>',
  'a plant of a central server that it is for, or "*" for all; may be given several times',
  (plantId: string, before: readonly string[] = []): readonly string[] => [...before, plantId],
] as const;

export interface CommandGroup {
  /** A command of the group, as `list` or `discard <id>`. */
  readonly command: (words: string, description: string) => Command;
  /** Acts on the chosen gateway, and ends with the code that `act` gives. */
  readonly run: (options: GroupOptions, act: (dataDir: string) => Promise<number>) => Promise<void>;
}

/** Commands below one of plantgate's that speak to the running gateway (contract.md, The program). */
export function commandGroup(parent: Command, { onExitCode, dataDirOf }: Surroundings): CommandGroup {
  return {
    command: (words, description) =>
      parent.command(words).description(description).option('--config <file>', 'configuration file'),
    run: async (options, act) => {
      const dataDir = await dataDirOf(options);
      if (dataDir !== null) onExitCode(await act(dataDir));
    },
  };
}
