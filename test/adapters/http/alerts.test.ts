import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RULES, isFleetRule } from '../../../src/domain/alert/alert-rule.ts';
import type { Recipient } from '../../../src/domain/alert/recipient.ts';
import type { AlertView, ChannelStateView, RuleView } from '../../../src/flows/alert/alert-views.ts';
import { type GatewayUnderTest, keyOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const ask = (role: string, method: string, path: string, body?: object) =>
  gateway.as(keyOf(role), method, `/api/local/alerts${path}`, body);

const [HELD] = DEFAULT_RULES;
const { ruleId: _, ...RULE } = { ...HELD, isOn: true, limit: 0, isPlanOnly: false };
const MAIL = {
  kind: 'mail',
  name: 'Mail',
  host: 'smtp.example',
  port: 587,
  security: 'starttls',
  user: 'gate',
  from: 'g@x.example',
};
const HOOK = { kind: 'webhook', name: 'Teams', shape: 'teams' };
/** A date in UTC, so many days from now. */
const dayText = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** No other gateway sends here. */
const OWN_RULES = DEFAULT_RULES.filter((rule) => !isFleetRule(rule));
const NOBODY = { role: null, areas: [], shifts: [], quiet: null, language: 'en', ways: [] };

describe('rules', () => {
  it('are the defaults, all off, until a supervisor switches one on', async () => {
    const { body } = await ask('technician', 'GET', '/rules');
    expect(body as readonly RuleView[]).toMatchObject(
      OWN_RULES.map(({ ruleId }) => ({ ruleId, isOn: false, raised: 0 })),
    );
    expect((await ask('technician', 'PUT', '/rules/held', RULE)).status).toBe(403);
    expect((await ask('supervisor', 'PUT', '/rules/held', RULE)).body).toMatchObject({
      isOn: true,
      limit: 0,
      isDefault: true,
    });
  });

  it.each([
    ['PUT', '/rules/held', { ...RULE, limit: 2_000 }, 'limit: found 2000, expected a number from 0 to 1440'],
    ['PUT', '/rules/held', { ...RULE, kind: 'fault' }, 'kind: found fault, expected held'],
    ['POST', '/rules', { ...RULE, kind: 'variable' }, 'variable: found null'],
    ['PUT', '/rules/other', RULE, 'No rule with id "other"'],
  ])('refuse %s %s', async (method, path, rule, words) => {
    const { status, text } = await ask('supervisor', method, path, rule);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain(JSON.stringify(words).slice(1, -1));
  });

  it('can be added, and removed again', async () => {
    const variable = { name: 'motorTemp', low: null, high: 80 };
    const { body } = await ask('supervisor', 'POST', '/rules', {
      ...RULE,
      kind: 'variable',
      machineIds: ['RF-01'],
      variable,
    });
    const { ruleId } = body as RuleView;
    expect((await ask('supervisor', 'DELETE', `/rules/${ruleId}`)).status).toBe(204);
    expect((await ask('supervisor', 'DELETE', `/rules/${ruleId}`)).status).toBe(404);
  });
});

describe('D-84 channels', () => {
  it('are set up by administrators, and their secrets are in no answer and in no audit', async () => {
    const secrets = ['mail-password', 'hooks.example/secret', 'Bearer hook-key'];
    expect((await ask('supervisor', 'POST', '/channels', { ...MAIL, password: secrets[0] })).status).toBe(403);
    const mail = await ask('admin', 'POST', '/channels', { ...MAIL, password: secrets[0] });
    expect(mail.body).toMatchObject({ name: 'Mail', hasPassword: true, state: { waiting: 0 } });
    const given = { ...HOOK, webhookUrl: `https://${secrets[1]}`, authorization: secrets[2] };
    const hook = await ask('admin', 'POST', '/channels', given);
    expect(hook.body).toMatchObject({ server: 'https://hooks.example', hasAuthorization: true });
    const { channelId } = mail.body as ChannelStateView;
    expect((await ask('admin', 'PUT', `/channels/${channelId}`, { ...MAIL, name: 'Mail 2' })).body).toMatchObject({
      hasPassword: true,
    });
    const moved = await ask('admin', 'PUT', `/channels/${channelId}`, { ...MAIL, host: 'evil.example' });
    expect(moved.body).toMatchObject({ hasPassword: false });
    const list = await ask('technician', 'GET', '/channels');
    const { text: audit } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=AlertChannel');
    expect(audit).toContain('addAlertChannel');
    expect(audit).toContain('changeAlertChannel');
    for (const secret of secrets) {
      for (const text of [mail.text, hook.text, moved.text, list.text, audit]) expect(text).not.toContain(secret);
      for (const path of ['plant/machines', 'diagnostics', 'system']) {
        expect((await gateway.as(keyOf('admin'), 'GET', `/api/local/${path}`)).text).not.toContain(secret);
      }
    }
  });

  it.each([
    [{ kind: 'topic', name: 'T', topic: 'plant1/RF-01/status' }, 'topic: found'],
    [{ kind: 'topic', name: 'T', topic: 'plantgate/alerts/#' }, 'topic: found'],
    [{ ...HOOK, webhookUrl: 'file:///etc/passwd' }, 'webhookUrl: found another text'],
    [HOOK, 'webhookUrl: found nothing'],
    [{ ...MAIL, security: 'none', password: 'p' }, 'security: found'],
  ])('refuse %j', async (channel, words) => {
    const { status, text } = await ask('admin', 'POST', '/channels', channel);
    expect(status).toBe(400);
    expect(text).toContain(words);
  });

  it('say at once whether a test arrives', async () => {
    const { body } = await ask('admin', 'POST', '/channels', {
      kind: 'topic',
      name: 'Lamp',
      topic: 'plantgate/alerts/hall',
    });
    const { channelId } = body as ChannelStateView;
    expect((await ask('supervisor', 'POST', `/channels/${channelId}/test`, {})).body).toMatchObject({
      outcome: 'sent',
      detail: null,
    });
    const away = await ask('admin', 'POST', '/channels', { ...MAIL, host: '127.0.0.1', port: 1 });
    const path = `/channels/${(away.body as ChannelStateView).channelId}/test`;
    expect((await ask('supervisor', 'POST', path, {})).status).toBe(400);
    expect((await ask('supervisor', 'POST', path, { address: 'a@b.example' })).body).toMatchObject({
      outcome: 'later',
    });
  });
});

describe('recipients', () => {
  it('have addresses that fit their channels', async () => {
    const { body: channels } = await ask('technician', 'GET', '/channels');
    const mail = (channels as readonly ChannelStateView[]).find(({ kind }) => kind === 'mail');
    const channelId = mail?.channelId ?? '';
    const ways = (address: string | null) => ({ ...NOBODY, name: 'dana', ways: [{ channelId, address }] });
    for (const address of [null, 'dana', 'a@b\r\nBcc: c@d.example']) {
      expect((await ask('supervisor', 'POST', '/recipients', ways(address))).status).toBe(400);
    }
    const { body } = await ask('supervisor', 'POST', '/recipients', ways('dana@x.example'));
    expect((await ask('technician', 'GET', '/recipients')).body).toEqual([body]);
  });

  it('D-93 get the report of a shift at once, if a supervisor sends it', async () => {
    const { body: channels } = await ask('technician', 'GET', '/channels');
    const topic = (channels as readonly ChannelStateView[]).find(({ kind }) => kind === 'topic');
    const ways = [{ channelId: topic?.channelId ?? '', address: null }];
    const added = await ask('supervisor', 'POST', '/recipients', { ...NOBODY, name: 'hall', ways, reports: ['shift'] });
    expect(added.status).toBe(200);
    const days = `from=${dayText(-1)}&to=${dayText(0)}`;
    const sums = await gateway.as(keyOf('technician'), 'GET', `/api/local/production/sums?by=turn&${days}`);
    const { rows } = sums.body as { readonly rows: readonly { readonly key: string }[] };
    const [date = '', shift = ''] = rows.at(-1)?.key.split(' ') ?? [];
    const report = { period: 'shift', from: date, to: date, shift };
    expect((await ask('technician', 'POST', '/reports', report)).status).toBe(403);
    expect((await ask('supervisor', 'POST', '/reports', { ...report, from: 'yesterday' })).text).toContain('from');
    expect((await ask('supervisor', 'POST', '/reports', report)).body).toEqual({ messages: 1 });
    const day = { period: 'day', from: date, to: date };
    expect((await ask('supervisor', 'POST', '/reports', day)).body).toEqual({ messages: 0 });
    expect((await ask('supervisor', 'POST', '/reports', { ...report, shift: 'Noon' })).text).toContain('shift');
  });

  it('of a rule all get a test, each with the answer of its channel', async () => {
    const { body: people } = await ask('technician', 'GET', '/recipients');
    const [dana] = people as readonly Recipient[];
    const rule = { ...RULE, steps: [{ afterMinutes: 0, to: [dana?.recipientId] }] };
    await ask('supervisor', 'PUT', '/rules/silent', { ...rule, kind: 'silent', limit: 1 });
    expect((await ask('technician', 'POST', '/rules/silent/test', {})).status).toBe(403);
    const { body } = await ask('supervisor', 'POST', '/rules/silent/test', { language: 'de' });
    expect(body).toMatchObject([{ name: 'dana', by: 'Mail', outcome: 'later' }]);
  });
});

describe('alerts', () => {
  it('open, are taken by the person who is signed in, and come to followers as events', async () => {
    await gateway.postStatus(statusOf());
    await gateway.options.alerts.alerts.look();
    const { body } = await ask('technician', 'GET', '?state=open');
    const [alert] = body as readonly AlertView[];
    expect(alert).toMatchObject({
      kind: 'held',
      severity: 'red',
      name: 'Rollformer RF-01',
      machineId: 'RF-01',
      takenBy: null,
    });
    const path = `/${alert?.alertId}/take`;
    expect((await ask('viewer', 'POST', path, {})).status).toBe(403);
    const note = 'on the way';
    expect((await ask('technician', 'POST', path, { note })).body).toMatchObject({
      takenBy: 'technician-principal',
      note,
    });
    expect((await ask('technician', 'POST', '/nothing/take', {})).status).toBe(404);
    const { text: audit } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=takeAlert');
    expect(audit).toContain('held RF-01');
  });

  it('end with their cause and stand among those that are over', async () => {
    await gateway.as(keyOf('technician'), 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' });
    await gateway.options.alerts.alerts.look();
    gateway.pass(61_000);
    await gateway.postStatus(statusOf({ mSecSinceBoot: 2_000 }));
    await gateway.options.alerts.alerts.look();
    expect((await ask('technician', 'GET', '')).body).toEqual([]);
    const { body } = await ask('technician', 'GET', '?state=over&limit=5');
    expect(body).toMatchObject([{ kind: 'held', takenBy: 'technician-principal', endedAt: expect.any(String) }]);
    const { body: rules } = await ask('technician', 'GET', '/rules');
    expect(rules).toMatchObject([{ ruleId: 'held', raised: 1 }, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]);
    const before = (body as readonly AlertView[])[0]?.openedAt ?? '';
    expect((await ask('technician', 'GET', `?state=over&before=${before}`)).body).toEqual([]);
  });
});
