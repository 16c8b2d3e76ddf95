import { CodedError } from '../../domain/error.ts';

/** Why a store cannot be opened at all. */
export type StoreRefusal = 'locked' | 'newer-schema' | 'cannot-create' | 'disk';

const EXIT_CODE: Readonly<Record<StoreRefusal, number>> = {
  locked: 73,
  'cannot-create': 73,
  disk: 74,
  'newer-schema': 78,
};

/** The data directory cannot be used; the program ends with `exitCode` (contract.md, The program). */
export class StoreOpenError extends CodedError {
  readonly refusal: StoreRefusal;
  readonly exitCode: number;

  constructor(refusal: StoreRefusal, message: string) {
    super(refusal === 'locked' ? 'conflict' : 'store-unavailable', message);
    this.name = 'StoreOpenError';
    this.refusal = refusal;
    this.exitCode = EXIT_CODE[refusal];
  }
}
