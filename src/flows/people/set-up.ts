import { CodedError } from '../../domain/error.ts';
import type { User } from '../../domain/plant/plant.ts';
import type { Plant } from '../plant/plant.ts';
import type { SetUpAttempt, SignedIn } from './people-ports.ts';
import type { SignIns } from './sign-ins.ts';

export interface SetUpOptions {
  readonly users: () => readonly User[];
  readonly plant: Pick<Plant, 'create'>;
  readonly signIns: Pick<SignIns, 'byPassword'>;
  /** The code is new at each start, and only the log shows it. */
  readonly code: string;
}

/**
 * The first administrator of a gateway at which no person can sign in yet. A person who can read its log can set it up.
 */
export class SetUp {
  readonly #options: SetUpOptions;
  #isUnderWay = false;

  constructor(options: SetUpOptions) {
    this.#options = options;
  }

  get isNeeded(): boolean {
    return this.#options.users().length === 0;
  }

  /** The code to print; null if a person can sign in already. */
  get code(): string | null {
    return this.isNeeded ? this.#options.code : null;
  }

  /** Makes the administrator and signs in. */
  async begin({ code, ...attempt }: SetUpAttempt): Promise<SignedIn> {
    if (!this.isNeeded || this.#isUnderWay) {
      throw new CodedError('conflict', 'setup: a first person exists already, sign in with name and password');
    }
    if (plain(code) !== plain(this.#options.code)) {
      throw new CodedError(
        'unauthenticated',
        'code: this is not the set-up code; the gateway prints it when it starts',
      );
    }
    this.#isUnderWay = true;
    try {
      await this.#options.plant.create('users', { name: attempt.name, role: 'admin', password: attempt.password });
    } finally {
      this.#isUnderWay = false;
    }
    return this.#options.signIns.byPassword(attempt);
  }
}

/** People may leave out the dash and use any case. */
function plain(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase();
}
