import type { PresentProgram } from '../../../domain/update/update-header.ts';
import type { Disk } from './disk.ts';
import type { UpdatePlaces } from './update-places.ts';

/** The service that runs the installed program. */
export interface ServiceControl {
  stop(): Promise<void>;
  /** Starts the service without waiting until it serves; another part checks that. */
  start(): Promise<void>;
  /** The reason for which it will not serve any more; null while it may. */
  failure(): string | null;
  /** Lets an interrupted update be settled when the computer starts. */
  guardStart(): void;
}

/** The ports of an update to the outside. */
export interface UpdateParts {
  readonly places: UpdatePlaces;
  readonly dataDir: string;
  readonly disk: Disk;
  readonly present: PresentProgram;
  /** Null if no service runs the program, for example in an image: then it is only replaced. */
  readonly service: ServiceControl | null;
  /** The version that a program reports; null if it cannot be run here. */
  readonly versionOf: ((program: string) => string | null) | null;
  /** The version that serves at present, or null. */
  readonly servingVersion: () => Promise<string | null>;
  /** Lets the running gateway write a verified backup; gives an exit code. */
  readonly backUp: (file: string) => Promise<number>;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => Date;
}
