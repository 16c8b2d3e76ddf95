import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, type TestContext } from 'vitest';
import { rounds } from '../../rounds.ts';
import { type GatewaySettings, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

/** Some tests wait for real time, so those of a group run side by side, each with a gateway of its own. */
async function gatewayWith({ onTestFinished }: TestContext, settings: GatewaySettings = {}) {
  const gateway = await startGateway(settings);
  onTestFinished(() => gateway.close());
  return gateway;
}

function socketTo({ onTestFinished }: TestContext, port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** Everything the other side sends until it closes. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'close');
  return text;
}

describe('a fault of the gateway itself', () => {
  it('D-11 DEV-17 is answered by 500 with a command that stops the machine; the gateway goes on serving', async (test) => {
    let broken = false;
    const shift = { shiftDate: '2026-03-04', shiftName: 'Day', startMs: 0, endMs: 0 };
    const shiftAt = () => {
      if (broken) throw new Error('the calendar is broken');
      return shift;
    };
    const gateway = await gatewayWith(test, { context: { shiftAt } });
    broken = true;
    const answer = await gateway.postStatus(statusOf());
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      machineId: 'RF-01',
      runEnabled: false,
      attentionNeeded: true,
      message: 'Server error - grain unavailable',
      timestamp: expect.any(String),
    });
    expect(gateway.incidents.entries('internal')[0]?.detail).toContain('the calendar is broken');
    broken = false;
    expect((await gateway.postStatus(statusOf({ mSecSinceBoot: 2_000 }))).status).toBe(200);
  });

  it('D-11 is answered in the same way if the flow itself throws', async (test) => {
    const inbox = {
      namedStatus: () => {
        throw new Error('out of order');
      },
      namedVariables: () => Promise.reject(new Error('out of order')),
      undecoded: () => undefined,
    };
    const gateway = await gatewayWith(test, { options: { inbox } });
    for (const path of ['/api/device/status', '/api/device/vars']) {
      const answer = await gateway.call('POST', path, statusOf());
      expect(answer.status).toBe(500);
      expect(answer.body).toMatchObject({ runEnabled: false, attentionNeeded: true });
    }
  });
});

describe('a device that sends too much', () => {
  it('D-12 DEV-18 gets an answer to each request; the newest status is taken, the shed ones are counted', async (test) => {
    const gateway = await gatewayWith(test, {
      maxUpdatesPerSecond: 10,
      machines: [machineOf('RF-01'), machineOf('RF-02')],
    });
    await gateway.postStatus(statusOf({ partId: 'P-100' }));
    for (let cycle = 1; cycle <= 40; cycle++) {
      const status = statusOf({ partId: 'P-100', cycle, goodPart: cycle, mSecSinceBoot: 1_000 + cycle });
      const { body, ...answer } = await gateway.postStatus(status);
      expect(answer.status).toBe(200);
      expect(body).toMatchObject({ machineId: 'RF-01', runEnabled: true });
    }
    expect((await gateway.postStatus(statusOf({ machineId: 'RF-02', partId: 'P-100' }))).body).toMatchObject({
      runEnabled: true,
    });
    await expect.poll(() => gateway.registry.get('RF-01')?.state.shift.totals.goodParts, { timeout: 20_000 }).toBe(40);
    expect(gateway.registry.get('RF-01')?.shedMessages).toBeGreaterThan(20);
    expect(gateway.incidents.entries('rateLimited')).toContainEqual(expect.objectContaining({ subject: 'RF-01' }));
  });
});

const anyJson = fc.jsonValue().map((value) => JSON.stringify(value));
const nearlyAStatus = fc
  .dictionary(
    fc.constantFrom('machineId', 'running', 'cycle', 'good', 'BAD_PART', 'uptimeMs', 'override', '__proto__', 'partId'),
    fc.oneof(fc.constant('RF-01'), fc.boolean(), fc.integer(), fc.jsonValue()),
  )
  .map((body) => JSON.stringify({ ...statusOf(), ...body }));
const anyBytes = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));

describe.concurrent('bodies and connections', () => {
  it.for([
    ['announced', `Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`],
    ['announced and never sent', 'Content-Length: 70000\r\n\r\n'],
    ['chunked', `Transfer-Encoding: chunked\r\n\r\n11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`],
    ['chunked without an end', `Transfer-Encoding: chunked\r\n\r\n11170\r\n${'x'.repeat(70_000)}`],
  ])('D-13 answers 413 to a body above 64 KiB, %s', async ([, rest], test) => {
    const gateway = await gatewayWith(test);
    const socket = socketTo(test, gateway.port);
    socket.write(`POST /api/device/status HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${rest}`);
    const text = await received(socket);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('expected at most 65536 bytes');
    expect(gateway.incidents.entries('packetTooLarge')).toHaveLength(1);
  });

  it('D-13 takes a body of exactly 64 KiB', async (test) => {
    const gateway = await gatewayWith(test);
    const status = JSON.stringify(statusOf({ padding: '' }));
    const padded = JSON.stringify(statusOf({ padding: 'x'.repeat(65_536 - status.length) }));
    expect(Buffer.byteLength(padded)).toBe(65_536);
    expect((await gateway.postStatus(padded)).status).toBe(200);
    expect((await gateway.postStatus(`${padded} `)).status).toBe(413);
  });

  it('HTTP-01 keeps a connection for the next poll', async (test) => {
    const { expect } = test;
    const gateway = await gatewayWith(test);
    const socket = socketTo(test, gateway.port);
    const body = JSON.stringify(statusOf());
    const request = `POST /api/device/status HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.write(request);
    await expect.poll(() => text.match(/HTTP\/1\.1 200/g)?.length).toBe(1);
    socket.write(request + request);
    await expect.poll(() => text.match(/HTTP\/1\.1 200/g)?.length).toBe(3);
    expect(text).toContain('Keep-Alive: timeout=30');
  });

  it('HTTP-01 closes a connection whose headers never come, and reports it', { timeout: 30_000 }, async (test) => {
    const gateway = await gatewayWith(test);
    const socket = socketTo(test, gateway.port);
    socket.write('POST /api/device/status HTTP/1.1\r\nHost: x\r\n');
    const silent = socketTo(test, gateway.port);
    const startedAt = performance.now();
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 408 /);
    silent.resume();
    if (!silent.closed) await once(silent, 'close');
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(gateway.incidents.entries('brokenHttp')).toHaveLength(1);
  });

  it('HTTP-02 answers bytes that are no HTTP, and oversized headers, with a reason', async (test) => {
    const gateway = await gatewayWith(test);
    const garbage = socketTo(test, gateway.port);
    garbage.write('\u0010\u0000\u0004MQTT\r\n\r\n');
    expect(await received(garbage)).toMatch(/^HTTP\/1\.1 400 .*\{"errors":\["request: .*choose mqtt\.port/s);
    const header = socketTo(test, gateway.port);
    header.write('POST /api/device/status HTTP/1.1\r\nContent Length: 5\r\n\r\n');
    expect(await received(header)).toMatch(/^HTTP\/1\.1 400 .*\(Invalid header token\)/s);
    const lengthless = socketTo(test, gateway.port);
    lengthless.write('POST /api/device/status HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(await received(lengthless)).toMatch(/^HTTP\/1\.1 400 .*has no Content-Length/s);
    const long = socketTo(test, gateway.port);
    long.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(await received(long)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('HTTP-04 serves the device endpoints, and nothing else, on a port of their own', async (test) => {
    const gateway = await gatewayWith(test, { deviceHttp: true });
    const url = `http://127.0.0.1:${gateway.devicePort}`;
    const posted = await fetch(`${url}/api/device/status`, { method: 'POST', body: JSON.stringify(statusOf()) });
    expect(posted.status).toBe(200);
    for (const path of ['/', '/healthz', '/metrics', '/api/local/machines']) {
      const answer = await fetch(url + path, { headers: { authorization: 'ApiKey admin' } });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ errors: [expect.any(String)] });
    }
  });

  it('HTTP-02 MQTT-12 the gateway answers any body with 200 or 400, and goes on', { timeout: 60_000 }, async (test) => {
    const gateway = await gatewayWith(test);
    const path = fc.constantFrom('/api/device/status', '/api/device/vars');
    await fc.assert(
      fc.asyncProperty(path, fc.oneof(anyBytes, anyJson, nearlyAStatus), async (endpoint, body) => {
        const { status } = await gateway.call('POST', endpoint, body);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: rounds(500) },
    );
    expect(gateway.incidents.entries('internal')).toEqual([]);
  });
});

// Its bound in time is for a gateway with no other work.
describe('many connections', () => {
  it('HTTP-01 serves while a thousand half-open connections wait', async (test) => {
    const gateway = await gatewayWith(test);
    const sockets = Array.from({ length: 1_000 }, () => socketTo(test, gateway.port));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write('POST /api/device/status HTTP/1.1\r\nHost: x\r\nContent-Le');
    const sentAt = performance.now();
    expect((await gateway.postStatus(statusOf())).status).toBe(200);
    expect(performance.now() - sentAt).toBeLessThan(1_000);
  });
});
