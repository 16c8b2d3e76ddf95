import { expect, it } from 'vitest';
import { cannotListen } from '../../src/domain/error-text.ts';

const refused = (code: string) => Object.assign(new Error(`listen ${code}`), { code });

it.each([
  [
    'root alone may open',
    refused('EACCES'),
    "The service is not root, and this port is root's: choose a mqtt.port above 1023",
  ],
  ['is taken', refused('EADDRINUSE'), 'Choose another mqtt.port, or stop the program that uses this one'],
  ['fails for another reason', 'no reason', 'Choose another mqtt.port, or stop the program that uses this one'],
])('a port that %s has a remedy of its own', (_, error, remedy) => {
  const reason = error instanceof Error ? error.message : error;
  expect(cannotListen('mqtt.port', '0.0.0.0', 83, error)).toBe(
    `mqtt.port: cannot listen on 0.0.0.0:83: ${reason}. ${remedy}`,
  );
});
