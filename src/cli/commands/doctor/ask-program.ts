import { execFile } from 'node:child_process';

const MAX_OUTPUT_BYTES = 16 * 1_048_576;

/** The standard output of a program of the system; null if it is missing, fails or takes too long. */
export function askProgram(program: string, words: readonly string[], timeoutMs: number): Promise<string | null> {
  const options = { timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' } as const;
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout) => resolve(error === null ? stdout : null));
  });
}
