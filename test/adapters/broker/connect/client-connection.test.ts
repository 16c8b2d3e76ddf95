import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ClientConnection } from '../../../../src/adapters/broker/connect/client-connection.ts';
import { LIMITS } from '../../../../src/adapters/broker/limits.ts';
import { HeldBytes } from '../../../../src/adapters/broker/mqtt/held-bytes.ts';

const MEGABYTE = 1_048_576;
const open: { readonly server: Server; readonly client: Socket }[] = [];

async function clientConnection(): Promise<{ readonly clientConnection: ClientConnection; readonly client: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  open.push({ server, client });
  const listener = {
    refused: () => undefined,
    failed: () => undefined,
    finished: () => undefined,
    closed: () => undefined,
  };
  return {
    clientConnection: new ClientConnection(
      socket.on('error', () => undefined),
      MEGABYTE,
      listener,
      new HeldBytes(MEGABYTE, 0),
      () => 0,
    ),
    client,
  };
}

/** The bytes of buffers that are still in use. */
function heldBytes(): number {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

afterEach(() => {
  vi.useRealTimers();
  for (const { server, client } of open.splice(0)) {
    client.destroy();
    server.close();
  }
});

describe('ClientConnection.end', () => {
  it('MQTT-12 keeps no bytes that arrive afterwards', async () => {
    // The connection lasts for as long as the test needs.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const under = await clientConnection();
    under.client.pause();
    under.clientConnection.write(Buffer.alloc(32 * MEGABYTE));
    under.clientConnection.end();
    const before = heldBytes();
    const sent = Buffer.alloc(MEGABYTE);
    for (let count = 0; count < 16; count++) {
      if (!under.client.write(sent)) await once(under.client, 'drain');
    }
    await expect.poll(() => under.clientConnection.socket.bytesRead).toBe(16 * MEGABYTE);
    await expect.poll(() => heldBytes() - before).toBeLessThan(8 * MEGABYTE);
  });

  it('MQTT-12 does not wait for a client that does not read the rest of its data', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const under = await clientConnection();
    under.client.pause();
    under.clientConnection.write(Buffer.alloc(32 * MEGABYTE));
    under.clientConnection.end();
    expect(under.clientConnection.socket.destroyed).toBe(false);
    vi.advanceTimersByTime(LIMITS.lingerMs);
    expect(under.clientConnection.socket.destroyed).toBe(true);
  });
});
