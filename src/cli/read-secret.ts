import { Writable } from 'node:stream';

/**
 * Reads a secret: typed on a terminal without being shown, else the first line of standard input. Empty if none was
 * given.
 */
export async function readSecret(prompt: string): Promise<string> {
  // Loaded here, because the gateway does not need it.
  const { createInterface } = await import('node:readline');
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write(prompt);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
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
