/** Statuses whose fault lies with our key (401, 403, 407) or our rate (425, 429): nothing was done, and the request was valid. */
export const NOT_THE_CALLERS_FAULT: readonly number[] = [401, 403, 407, 425, 429];

/** The refusal of the gateway itself, for the incident. */
export function refusalOfUs(status: number): string {
  const cure =
    status === 425 || status === 429
      ? 'it takes no more requests at present'
      : 'it does not take the access of the gateway';
  return `HTTP status ${status}: ${cure}`;
}
