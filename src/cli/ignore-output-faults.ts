/** Lets a program go on that can no longer write to its terminal, because it was closed. */
export function ignoreOutputFaults(): void {
  for (const output of [process.stdout, process.stderr])
    output.removeAllListeners('error').on('error', () => undefined);
}
