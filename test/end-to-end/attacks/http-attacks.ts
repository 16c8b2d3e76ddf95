import { connect, type Socket } from 'node:net';
import { type Attack, type AttackScene, stayUntilOver } from './attack.ts';

const OPENED_AT_ONCE = 100;
const HEADER_BYTES = 15_000;

const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

/** Opens connections that send `text` and read nothing. */
async function deaf({ httpPort }: AttackScene, count: number, text: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let from = 0; from < count; from += OPENED_AT_ONCE) {
    const opening = Array.from({ length: Math.min(OPENED_AT_ONCE, count - from) }, () => {
      return new Promise<Socket>((resolve) => {
        const socket = connect({ port: httpPort, host: '127.0.0.1' }, () => {
          socket.write(text);
          resolve(socket);
        });
        socket.on('error', () => resolve(socket));
      });
    });
    sockets.push(...(await Promise.all(opening)));
  }
  return sockets;
}

/** Ways in which HTTP clients without a key can make the gateway hold memory. */
export const HTTP_ATTACKS: Readonly<Record<string, Attack>> = {
  'HTTP clients ask for documents and read no answer': async (scene) => {
    const requests = ['/openapi.json', '/docs', '/metrics'].map((path) => head(`GET ${path}`)).join('');
    await deaf(scene, 300 * scene.scale, requests.repeat(2));
    await stayUntilOver(scene);
  },

  'HTTP requests with long headers wait for unread answers': async (scene) => {
    const padded = head('GET /openapi.json', `X-Pad: ${'x'.repeat(HEADER_BYTES)}\r\n`);
    await deaf(scene, 300 * scene.scale, padded.repeat(8));
    await stayUntilOver(scene);
  },

  'HTTP bodies are begun and never finished': async (scene) => {
    const begun = head('POST /api/device/status', 'Content-Length: 60000\r\n') + ' '.repeat(59_000);
    await deaf(scene, 500 * scene.scale, begun);
    await stayUntilOver(scene);
  },
};
