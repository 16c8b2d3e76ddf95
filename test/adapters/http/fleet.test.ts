import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlertRule } from '../../../src/domain/alert/alert-rule.ts';
import type { GatewayHealth } from '../../../src/domain/fleet/gateway-health.ts';
import { type BatchSender, points, syncCalls } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
const { freshSender, deliver, local } = syncCalls(() => gateway);

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

function report({ gatewayId, stream }: BatchSender, health: object = {}, key = keyOf('gateway')) {
  const body = { gatewayId, stream, health: { ...HEALTHY, ...health } };
  return gateway.as(key, 'POST', '/api/v1/sync/health', body);
}

async function sender(): Promise<BatchSender> {
  const made = freshSender().queue([], [points(1)]);
  expect((await deliver(made)).status).toBe(200);
  await gateway.options.fleet?.look();
  return made;
}

async function shown({ gatewayId }: BatchSender) {
  await gateway.options.fleet?.look();
  const listed = (await local('/gateways')).body as readonly { readonly gatewayId: string }[];
  return listed.find((one) => one.gatewayId === gatewayId);
}

const incidentsOf = ({ gatewayId }: BatchSender) =>
  gateway.incidents.entries('sendingGateway').flatMap(({ subject, detail }) => (subject === gatewayId ? [detail] : []));

describe('D-97 the condition of a gateway', () => {
  it('is shown at its central server', async () => {
    const known = await sender();
    const needs = [{ machineId: 'RF-01', name: 'Purlin line 1', need: 'held', forMs: 60_000 }];
    const told = await report(known, { needs, later: 'a newer version says more' });
    expect(told).toMatchObject({ status: 200, body: { isKept: true, receivedAt: expect.any(Number) } });
    expect(await shown(known)).toMatchObject({
      name: null,
      contact: { state: 'live', since: null },
      health: {
        at: expect.stringContaining('T'),
        version: '2.5.0',
        timeZone: 'America/Chicago',
        queue: { records: 0, oldestAt: null },
        disk: { freePercent: 64, leastPercent: 10 },
        backup: { newestAt: expect.stringContaining('T') },
        certificateUntil: expect.stringContaining('T'),
        clock: { aheadMs: 0, withinMs: 20 },
        needs: [{ machineId: 'RF-01', name: 'Purlin line 1', need: 'held', since: expect.stringContaining('T') }],
      },
      troubles: [],
    });
  });

  it.each<[string, object]>([
    ['version: found', { version: 'x'.repeat(65) }],
    ['timeZone: found', { timeZone: 'Mars\nOlympus' }],
    ['setAside: found', { setAside: -1 }],
    ['queue.records: found', { queue: { records: 1.5, oldestAgeMs: 0 } }],
    ['queue.oldestAgeMs: found', { queue: { records: 1, oldestAgeMs: 1e300 } }],
    ['disk.freePercent: found', { disk: { freePercent: 101, leastPercent: 10 } }],
    ['exchange.roundTripMs: found', { exchange: { sentAt: 0, roundTripMs: 1e9, receivedAt: 0 } }],
    ['needs: found', { needs: Array.from({ length: 201 }, () => ({})) }],
    ['machineId: found', { needs: [{ machineId: '../x', name: 'x', need: 'held', forMs: null }] }],
    ['disk: found', { disk: undefined }],
  ])('is refused by the name of its fault: %s', async (fault, health) => {
    const answer = await report(freshSender(), health);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(fault);
  });

  it('has only the needs that are known here', async () => {
    const known = await sender();
    const needs = ['levitates', 'fault'].map((need) => ({ machineId: 'RF-01', name: 'One', need, forMs: null }));
    expect((await report(known, { needs })).status).toBe(200);
    expect(await shown(known)).toMatchObject({ health: { needs: [{ need: 'fault', since: null }] } });
  });

  it.each([
    ['a gateway that has sent no batch', async () => [freshSender(), keyOf('gateway')] as const],
    ['another key', async () => [await sender(), keyOf('business')] as const],
    [
      'another data directory',
      async () => {
        const copy = (await sender()).copy();
        copy.restartStream();
        return [copy, keyOf('gateway')] as const;
      },
    ],
  ])('is not kept of %s', async (_, made) => {
    const [from, key] = await made();
    gateway.pass(1_001);
    expect(await report(from, {}, key)).toMatchObject({ status: 200, body: { isKept: false } });
    expect((await shown(from)) ?? { health: null }).toMatchObject({ health: null });
  });

  it.each<[string, Partial<GatewayHealth>, string]>([
    ['a wrong clock', { exchange: { sentAt: 7_200_000, roundTripMs: 0, receivedAt: 0 } }, 'is 7,200 s ahead'],
    ['a full disk', { disk: { freePercent: 4.25, leastPercent: 10 } }, 'has 4.3% left'],
    ['dead letters', { setAside: 3 }, 'records that were refused here: 3'],
    ['an old version', { version: '0.0.1' }, 'has an older version: 0.0.1'],
    ['no backup', { backups: { newestAgeMs: null } }, 'has no backup'],
    ['an old queue', { queue: { records: 9, oldestAgeMs: 3_600_000 } }, 'Records have waited at gateway'],
  ])('with %s is an incident, and another one when it is over', async (_, health, sentence) => {
    const ill = await sender();
    await report(ill, health);
    expect(await shown(ill)).toMatchObject({ troubles: [{}] });
    await gateway.options.fleet?.look();
    expect(incidentsOf(ill)).toEqual([expect.stringContaining(sentence)]);
    await report(ill);
    expect(await shown(ill)).toMatchObject({ troubles: [] });
    expect(incidentsOf(ill)).toEqual([expect.stringMatching(`^Over: .*${sentence}`)]);
  });
});

describe('D-97 a gateway that falls silent', () => {
  it('is an alert, once its rule is on, by the name that people know', async () => {
    const silent = await sender();
    const rules = await local('/alerts/rules');
    const rule = (rules.body as readonly AlertRule[]).find(({ kind }) => kind === 'gatewaySilent');
    expect(rule).toMatchObject({ isOn: false, limit: 1, unit: 'minutes' });
    const { kind, machineIds, areas, shifts, isPlanOnly, variable, steps } = rule as AlertRule;
    const change = { kind, isOn: true, limit: 2, machineIds, areas, shifts, isPlanOnly, variable, steps };
    expect(await gateway.as(keyOf('supervisor'), 'PUT', '/api/local/alerts/rules/gatewaySilent', change)).toMatchObject(
      {
        status: 200,
      },
    );
    const open = async () => {
      await shown(silent);
      await gateway.options.alerts.alerts.look();
      const { body } = await local('/alerts?state=open');
      return (body as readonly { readonly subject: string }[]).filter(({ subject }) => subject === silent.gatewayId);
    };
    gateway.pass(61_000);
    expect(await open()).toEqual([]);
    gateway.pass(60_000);
    expect(await open()).toMatchObject([{ kind: 'gatewaySilent', severity: 'red', limit: 2 }]);
  });

  it('is told after 60 s, with its last contact, and again when it is heard', async () => {
    const silent = await sender();
    await report(silent, { setAside: 1 });
    await shown(silent);
    gateway.pass(59_000);
    expect(await shown(silent)).toMatchObject({ contact: { state: 'live' } });
    gateway.pass(1_001);
    expect(await shown(silent)).toMatchObject({
      contact: { state: 'silent', since: expect.stringContaining('T') },
      troubles: [{ kind: 'silent' }, { kind: 'setAside' }],
    });
    expect(incidentsOf(silent)).toEqual([expect.stringContaining('has not been heard for 1 min')]);
    await report(silent);
    expect(await shown(silent)).toMatchObject({ contact: { state: 'live', since: null }, troubles: [] });
    expect(incidentsOf(silent)).toEqual([expect.stringMatching('^Over: ')]);
  });
});
