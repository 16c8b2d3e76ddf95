import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Handshakes } from '../../../src/adapters/system/handshakes.ts';
import { BrokerStage, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();

describe('a fault in our own code', () => {
  it.each(['RF-1', 'plc'])('DEV-17 triggered by a message of %s ends its connection, not the process', async (id) => {
    const under = await stage.start();
    under.inbox.statusField = () => {
      throw new Error('a fault of ours');
    };
    const client = await stage.connected(under.port, id);
    client.publish(`${ROOT}/status/running`, 'true', 1);
    await client.untilClosed();
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'internal', subject: id }));
    const back = await stage.connected(under.port, id);
    back.publish(`${ROOT}/status`, '{}', 1);
    await back.next('puback');
  });
});

function certificate(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, 'certificates', name));
}

describe('closing the broker', () => {
  it('does not wait for TLS handshakes', async () => {
    const tls = {
      port: 0,
      identity: 'none' as const,
      cert: certificate('server.pem'),
      key: certificate('server.key'),
      pace: new Handshakes().pace,
    };
    const under = await stage.start({ tls });
    const silent = connect(under.tlsPort ?? 0, '127.0.0.1').on('error', () => undefined);
    await expect.poll(() => under.broker.counters().connections).toBe(1);
    const startedMs = performance.now();
    await stage.stop(under);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    silent.destroy();
  });

  it('MQTT-11 the broker counts connections that only begin a TLS handshake', async () => {
    const tls = {
      port: 0,
      identity: 'none' as const,
      cert: certificate('server.pem'),
      key: certificate('server.key'),
      pace: new Handshakes().pace,
    };
    const under = await stage.start({ tls });
    const silent = connect(under.tlsPort ?? 0, '127.0.0.1').on('error', () => undefined);
    await expect.poll(() => under.broker.counters().connections).toBe(1);
    silent.destroy();
    await expect.poll(() => under.broker.counters().connections).toBe(0);
  });
});
