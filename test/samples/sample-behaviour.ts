import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { oddHttpGateway, oddMqttGateway } from './odd-gateway.ts';
import { type Sample, SampleDevice } from './sample-device.ts';
import { SampleGateway } from './sample-gateway.ts';

const MAY_RUN = '{"runEnabled":true,"attentionNeeded":false,"message":null,"timestamp":"2026-01-01T00:00:00Z"}';
/** Unreadable answers count as "stop, and call the operator". */
const INVALID = ['', 'run', '[]', '{"runEnabled":true', '{"runEnabled":"yes","attentionNeeded":false,"message":null}'];
/** 60 s in a plant. */
const OVERRIDE_AFTER_MS = 2_500;
const NEVER_MS = 3_600_000;

/** The interface's recommendations to every device, proved with the real gateway and with one that answers oddly. */
export function behavesAsADevice(sampleOf: () => Sample): void {
  let gateway: SampleGateway;
  let device: SampleDevice | undefined;
  beforeAll(async () => {
    gateway = await SampleGateway.start();
  });
  afterEach(() => device?.end('SIGKILL'));
  afterAll(() => gateway.cleanUp());

  function start(port: number, overrideAfterMs = NEVER_MS): SampleDevice {
    device = new SampleDevice(sampleOf(), port, overrideAfterMs);
    return device;
  }

  const portOf = () => (sampleOf().transport === 'mqtt' ? gateway.mqttPort : gateway.httpPort);

  it('MQTT-01, HTTP-01 appears with its counters and follows the decision of the gateway', async () => {
    const started = start(portOf());
    await started.decides(/run=0 light=[01] override=0 message=Part not selected/);
    await gateway.selectPart('P-100');
    await started.decides(/run=1 light=0 override=0 message=$/);
    await expect.poll(async () => (await gateway.machine()).status?.goodPart, { timeout: 20_000 }).toBeGreaterThan(2);
    const { status, decision } = await gateway.machine();
    expect(status).toMatchObject({ running: true, machinePower: true, override: false, badPart: 0 });
    expect(status.cycle).toBe(status.goodPart);
    expect(decision).toMatchObject({ runEnabled: true });
    await gateway.clearPart();
    await started.decides(/run=0 .* message=Part not selected/);
    await started.end();
  });

  it('overrides after a set time without an answer, and takes commands again after a kill -9 of the gateway', async () => {
    await gateway.selectPart('P-100');
    const started = start(portOf(), OVERRIDE_AFTER_MS);
    await started.decides(/run=[01] light=[01] override=0 message=(Downtime.*|)$/);
    await gateway.kill();
    const killedAt = performance.now();
    await started.decides(/run=1 light=0 override=1/);
    // The last answer came before the kill, by less than two intervals.
    expect(performance.now() - killedAt).toBeGreaterThan(OVERRIDE_AFTER_MS - 2_000);
    await gateway.startAgain();
    await started.decides(/run=[01] light=[01] override=0/);
    await expect.poll(async () => (await gateway.machine()).status?.override, { timeout: 20_000 }).toBe(false);
    await started.end();
  });

  it('stops and calls the operator at each answer that it cannot read', async () => {
    const odd = await (sampleOf().transport === 'mqtt' ? oddMqttGateway(MAY_RUN) : oddHttpGateway(MAY_RUN));
    try {
      const started = start(odd.port);
      for (const invalid of INVALID) {
        odd.answer = MAY_RUN;
        await started.decides(/run=1 light=0 override=0/);
        odd.answer = invalid;
        await started.decides(/run=0 light=1 override=0/);
      }
      const newest = () => JSON.parse(odd.statuses.at(-1) ?? '');
      await expect.poll(newest).toMatchObject({ machineId: 'RF-01', override: false, running: false });
      await started.end();
      if (sampleOf().transport === 'mqtt') await expectPresence(odd.others, sampleOf());
    } finally {
      odd.close();
    }
  });
}

async function expectPresence(others: readonly string[], { presence }: Sample): Promise<void> {
  const last = presence === undefined ? 'online false retained' : 'lwt false retained';
  await expect.poll(() => others).toEqual(['plant1/rollformer-1/online true retained', `plant1/rollformer-1/${last}`]);
}
