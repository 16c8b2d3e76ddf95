import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

const SILENT = new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * Reads a secret: typed on a terminal without being shown, else the first line of standard input. Empty if none was
 * given.
 */
export function readSecret(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write(prompt);
  const lines = createInterface({ input: process.stdin, output: SILENT, terminal: isTerminal });
  return new Promise((resolve) => {
    let secret = '';
    lines.once('line', (line) => {
      secret = line;
      lines.close();
    });
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      resolve(secret);
    });
  });
}
