/** A decision of the flow in one line, as every sample prints it. */
export function lineOf({ mayRun, warningLight, overrideLight, message }: Readonly<Record<string, unknown>>): string {
  return `run=${Number(mayRun)} light=${Number(warningLight)} override=${Number(overrideLight)} message=${message}`;
}
