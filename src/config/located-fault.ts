import { CodedError, type Fault, faultText } from '../domain/error.ts';

/** A fault and its position: line and column from 1; null without a position, as for an environment variable. */
export interface LocatedFault extends Fault {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** `plantgate.yaml:3:9: http.port: found "x", expected …` */
export function locatedFaultText(fault: LocatedFault): string {
  const place = fault.line === null ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  return `${place}: ${faultText(fault)}`;
}

/**
 * A configuration that cannot be used; the program ends with exit code 78. Carries every fault, in the order of their
 * places. Its code is `not-permitted` if this user may not read the file: another user may find no fault.
 */
export class ConfigError extends CodedError {
  override readonly faults: readonly LocatedFault[];

  constructor(faults: readonly LocatedFault[], code: 'invalid-input' | 'not-permitted' = 'invalid-input') {
    super(code, faults.map(locatedFaultText).join('\n'), faults);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
