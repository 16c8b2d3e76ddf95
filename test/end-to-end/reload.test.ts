import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import path from 'node:path';
import { connect } from 'node:tls';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { programUnderTest } from '../cli/program-under-test.ts';
import { Program, statusOf } from './program.ts';

const PATIENCE = { timeout: 15_000, interval: 50 };
const TLS = 'tls: { cert: ./certs/server.pem, key: ./certs/server.key';

let cli: ReturnType<typeof programUnderTest>;
let program: Program;
let mqttTlsPort: number;

function configure(dir: string, level: string, more = ''): void {
  const http = `http: { host: 127.0.0.1, port: 0, ${TLS} } }`;
  const mqtt = `mqtt: { host: 127.0.0.1, port: 0, ${TLS}, port: 0 } }`;
  writeFileSync(
    path.join(dir, 'plantgate.yaml'),
    `plant: ./plant.yaml\n${http}\n${mqtt}\nlog: { level: ${level} }\n${more}`,
  );
}

const makeCertificate = () => cli.run('cert', path.join(program.dir, 'certs'), '--host', '127.0.0.1', 'localhost');

const authority = () => readFileSync(path.join(program.dir, 'certs/ca.pem'));

/** The certificate that a server shows to a client that trusts the authority. */
function shownBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority() }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function metrics(): Promise<string> {
  return new Promise((resolve, reject) => {
    const address = { host: '127.0.0.1', port: program.httpPort, path: '/metrics', ca: authority(), agent: false };
    get(address, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts).toString()));
    }).on('error', reject);
  });
}

beforeAll(async () => {
  cli = programUnderTest();
  const dir = Program.prepare();
  configure(dir, 'info');
  const { exitCode } = await cli.run('cert', path.join(dir, 'certs'), '--host', '127.0.0.1', 'localhost');
  expect(exitCode).toBe(0);
  program = await Program.start({ dir });
  const ready = program.log.find((line) => line.includes('"msg":"ready"')) ?? '{}';
  ({ mqttTlsPort } = JSON.parse(ready));
});
afterAll(async () => {
  await program.end();
  cli.cleanUp();
});

describe('SIGHUP', () => {
  it('MQTT-11 gives new connections the renewed certificate, and keeps the open ones', async () => {
    const url = `mqtts://127.0.0.1:${mqttTlsPort}`;
    const machine = await connectAsync(url, { clientId: 'RF-01', ca: authority(), reconnectPeriod: 0 });
    const lost = vi.fn();
    machine.on('close', lost);
    const before = [await shownBy(program.httpPort), await shownBy(mqttTlsPort)];
    expect(before[0]).toBe(before[1]);

    expect((await makeCertificate()).exitCode).toBe(0);
    expect(await shownBy(mqttTlsPort)).toBe(before[1]);
    program.process.kill('SIGHUP');
    await vi.waitFor(async () => expect(await shownBy(mqttTlsPort)).not.toBe(before[1]), PATIENCE);
    expect(await shownBy(program.httpPort)).toBe(await shownBy(mqttTlsPort));

    const expiry = /^plantgate_certificate_expiry_timestamp_seconds\{setting="http.tls.cert"\} (\d+)$/m;
    expect(Number(expiry.exec(await metrics())?.[1]) * 1_000).toBeGreaterThan(Date.now());
    await machine.publishAsync('plant1/rollformer-1/status', JSON.stringify(statusOf()), { qos: 1 });
    expect(lost).not.toHaveBeenCalled();
    await machine.endAsync();
  });

  it('changes nothing if a file is faulty, and gives the reason', async () => {
    const before = await shownBy(mqttTlsPort);
    const key = path.join(program.dir, 'certs/server.key');
    const sound = readFileSync(key);
    writeFileSync(key, 'no key');
    program.process.kill('SIGHUP');
    await vi.waitFor(() => expect(program.log.join('\n')).toMatch(/http\.tls\.key.*nothing was read again/), PATIENCE);
    writeFileSync(key, sound);
    expect(await shownBy(mqttTlsPort)).toBe(before);
  });

  it('takes the log level, and names the changed keys that need a restart', async () => {
    configure(program.dir, 'debug', 'devices: { timeoutSeconds: 33 }\n');
    program.process.kill('SIGHUP');
    const told = '"logLevel":"debug","needRestart":["devices.timeoutSeconds"]';
    await vi.waitFor(() => expect(program.log.join('\n')).toContain(told), PATIENCE);
  });
});
