import type { PresentProgram } from '../../../domain/update/update-header.ts';
import type { Disk } from './disk.ts';
import type { UpdatePlaces } from './update-places.ts';

/** The service that runs the installed program. */
export interface ServiceControl {
  stop(): Promise<void>;
  /** Does not wait until it serves; whether it serves is seen elsewhere. */
  start(): Promise<void>;
  /** Why it will not serve any more; null while it may. */
  failure(): string | null;
  /** Lets an interrupted update be settled when the computer starts. */
  guardStart(): void;
}

/** The outside that an update needs. */
export interface UpdateParts {
  readonly places: UpdatePlaces;
  readonly dataDir: string;
  readonly disk: Disk;
  readonly present: PresentProgram;
  /** Null where nothing runs the program, as in an image: it is replaced, and that is all. */
  readonly service: ServiceControl | null;
  /** The version that a program says it has; null: it cannot be run, or not here. */
  readonly versionOf: ((program: string) => string | null) | null;
  /** The version that serves at present; null: none. */
  readonly servingVersion: () => Promise<string | null>;
  /** Has the running gateway write a verified backup; gives an exit code. */
  readonly backUp: (file: string) => Promise<number>;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => Date;
}
