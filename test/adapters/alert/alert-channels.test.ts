import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AlertChannels } from '../../../src/adapters/alert/alert-channels.ts';
import { LIMITS } from '../../../src/adapters/alert/limits.ts';
import { reportCsv, reportHtml } from '../../../src/adapters/alert/report-mail.ts';
import type { MailChannel, WebhookChannel } from '../../../src/domain/alert/channel.ts';
import type { OutgoingMessage } from '../../../src/domain/alert/outgoing-message.ts';
import type { ReportSheet } from '../../../src/domain/production/report-sheet.ts';
import { type MailManner, MailServer } from '../../fakes/mail-server.ts';

const MESSAGE: OutgoingMessage = {
  messageId: 'M-1',
  channelId: 'C-1',
  recipientId: 'dana',
  address: 'dana@plant.example',
  language: 'en',
  at: Date.UTC(2026, 10, 24, 17, 40),
  title: '2 alerts',
  text: ['Line <1> & "2" stands for 10 min', 'T-1 is late'],
  lines: [
    { alertId: 'A-1', telling: 'opened', severity: 'red', text: 'Line <1> & "2" stands for 10 min' },
    { alertId: 'A-2', telling: 'opened', severity: 'amber', text: 'T-1 is late' },
  ],
};

const FIGURES = {
  goodParts: 1_234,
  badParts: 6,
  targetParts: 1_500,
  targetedGoodParts: 1_234,
  oeeIndex: 0.71,
  runningSeconds: 30_000,
  unplannedStopSeconds: 5_400.5,
};
const REPORT: ReportSheet = {
  period: 'shift',
  from: '2026-11-24',
  to: '2026-11-24',
  shiftName: 'Früh',
  area: null,
  total: FIGURES,
  machines: [{ ...FIGURES, name: 'Linie <1>' }],
  moreMachines: 3,
  reasons: [{ reason: null, seconds: 900, count: 1 }],
  stops: [{ at: '2026-11-24 06:12', seconds: null, machine: 'Linie <1>', reason: 'Coil', note: 'a & b' }],
  people: ['Dana'],
};

const TIMEOUT_MS = 700;
const published: [string, unknown][] = [];
const channels = new AlertChannels((topic, payload) => {
  if (topic.startsWith('plantgate/alerts/RF-1')) return false;
  published.push([topic, JSON.parse(payload.toString())]);
  return true;
}, TIMEOUT_MS);

describe('D-83 mail', () => {
  const server = new MailServer();
  let channel: MailChannel;
  beforeAll(async () => {
    const port = await server.listen();
    const login = { user: 'gate', password: 'secret-word' } as const;
    channel = {
      kind: 'mail',
      channelId: 'C-1',
      name: 'Mail',
      host: '127.0.0.1',
      port,
      security: 'none',
      ...login,
      from: 'gate@plant.example',
    };
  });
  afterAll(() => server.close());

  test('is sent as plain text, with one id for all tries', async () => {
    server.manner = 'works';
    expect(await channels.send(channel, MESSAGE)).toEqual({ kind: 'sent' });
    const [mail = ''] = server.mails;
    expect(mail).toContain('Subject: 2 alerts');
    expect(mail).toContain('To: dana@plant.example');
    expect(mail).toContain('Message-ID: <M-1@plantgate.127.0.0.1>');
    expect(mail).toContain('T-1 is late');
  });

  test('D-93 a report is a mail with tables, and a file for the spreadsheet of its language', async () => {
    server.manner = 'works';
    const before = server.mails.length;
    expect(await channels.send(channel, { ...MESSAGE, language: 'de', sheet: REPORT })).toEqual({ kind: 'sent' });
    const [mail = ''] = server.mails.splice(before);
    expect(mail).toMatch(/Content-Type: text\/plain/);
    expect(mail).toMatch(/Content-Type: text\/html/);
    expect(mail).toMatch(/Content-Disposition: attachment;\s+filename=\S*2026-11-24-Fr_h\.csv/);
  });

  test('D-93 the mail of a report has tables of plain texts, its file the numbers of the language', () => {
    const html = reportHtml(REPORT, 'de');
    expect(html).toContain('>Schichtbericht: Früh, Dienstag, 24. November</h1>');
    expect(html).toContain('>Linie &lt;1&gt;</td>');
    expect(html).toContain('und 3 weitere Maschinen');
    expect(html).toContain('>a &amp; b</td>');
    expect(reportHtml(REPORT, 'en')).toContain('1,234 good parts, 82.3% of the target, OEE 71%');
    expect(reportCsv(REPORT, 'de').split('\r\n')).toEqual([
      '\uFEFFMaschine;Gut;Ausschuss;Soll;OEE;Läuft (s);Ungeplante Stillstände (s)',
      'Linie <1>;1234;6;1500;0,71;30000;5400,5',
      'Alle;1234;6;1500;0,71;30000;5400,5',
      '',
    ]);
  });

  test.each<[MailManner, string, RegExp]>([
    ['refusesLogin', 'later', /535/],
    ['isBusy', 'later', /451/],
    ['refusesRecipient', 'refused', /550/],
    ['refusesContent', 'refused', /554/],
    ['dropsAfterData', 'later', /./],
  ])('a server that %s: %s', async (manner, kind, words) => {
    server.manner = manner;
    const outcome = await channels.send(channel, MESSAGE);
    expect(outcome).toMatchObject({ kind, detail: expect.stringMatching(words) });
    expect(JSON.stringify(outcome)).not.toContain('secret-word');
  });

  test('a server without STARTTLS gets nothing where TLS is asked for', async () => {
    server.manner = 'works';
    const outcome = await channels.send({ ...channel, security: 'starttls' }, MESSAGE);
    expect(outcome.kind).toBe('later');
    expect(server.mails).toHaveLength(1);
  });

  test.each(['saysNothing', 'hangsAfterData'] as const)('a server that %s is given up in time', async (manner) => {
    server.manner = manner;
    const begin = performance.now();
    expect((await channels.send(channel, MESSAGE)).kind).toBe('later');
    expect(performance.now() - begin).toBeLessThan(TIMEOUT_MS + 500);
  });

  test('a port without a server is tried later', async () => {
    expect(await channels.send({ ...channel, port: 1 }, MESSAGE)).toMatchObject({ kind: 'later' });
  });
});

describe('D-83 webhooks', () => {
  let answer: { status: number; headers?: Record<string, string>; body?: string } | 'cut' | 'none' = { status: 200 };
  const requests: { body: unknown; headers: IncomingMessage['headers'] }[] = [];
  let server: Server;
  let channel: WebhookChannel;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      requests.push({ body: JSON.parse(text), headers: request.headers });
      if (answer === 'none') return;
      if (answer === 'cut') request.socket.destroy();
      else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path`;
    channel = {
      kind: 'webhook',
      channelId: 'C-2',
      name: 'Hook',
      shape: 'json',
      webhookUrl,
      authorization: 'Bearer secret-word',
    };
  });
  afterEach(() => requests.splice(0));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ['json', { messageId: 'M-1', recipientId: 'dana', title: '2 alerts', alerts: MESSAGE.lines }],
    ['teams', { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] }],
    ['slack', { text: '*2 alerts*\n• Line &lt;1&gt; &amp; "2" stands for 10 min\n• T-1 is late' }],
    ['ntfy', { topic: 'dana', title: '2 alerts', priority: 4 }],
  ] as const)('the shape %s', async (shape, body) => {
    answer = { status: 200 };
    expect(await channels.send({ ...channel, shape }, { ...MESSAGE, address: 'dana' })).toEqual({ kind: 'sent' });
    expect(requests).toMatchObject([
      { body, headers: { authorization: 'Bearer secret-word', 'idempotency-key': 'M-1' } },
    ]);
  });

  test.each([
    [
      { status: 500, body: 'no\nroom' },
      { kind: 'later', detail: '500: no room', afterMs: null },
    ],
    [{ status: 401 }, { kind: 'later', detail: '401', afterMs: null }],
    [
      { status: 429, headers: { 'retry-after': '30' } },
      { kind: 'later', detail: '429', afterMs: 30_000 },
    ],
    [
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      { kind: 'later', detail: '302', afterMs: null },
    ],
    [
      { status: 400, body: 'x'.repeat(10_000) },
      { kind: 'refused', detail: `400: ${'x'.repeat(LIMITS.messageLength)}` },
    ],
    [{ status: 204 }, { kind: 'sent' }],
  ])('the answer %j', async (given, outcome) => {
    answer = given;
    expect(await channels.send(channel, MESSAGE)).toEqual(outcome);
  });

  test('a server that does not answer is given up in time', async () => {
    answer = 'none';
    expect(await channels.send(channel, MESSAGE)).toMatchObject({ kind: 'later', detail: 'no answer within 0.7 s' });
  });

  test('a line that is cut is tried later', async () => {
    answer = 'cut';
    expect(await channels.send(channel, MESSAGE)).toMatchObject({ kind: 'later' });
  });
});

describe('D-85 topics', () => {
  const channel = { kind: 'topic', channelId: 'C-3', name: 'Topic', topic: 'plantgate/alerts' } as const;

  test('the message goes to the topic of the recipient', async () => {
    expect(await channels.send(channel, { ...MESSAGE, address: 'lamp' })).toEqual({ kind: 'sent' });
    expect(published).toMatchObject([['plantgate/alerts/lamp', { title: '2 alerts' }]]);
  });

  test('a topic of a machine is refused', async () => {
    expect(await channels.send(channel, { ...MESSAGE, address: 'RF-1' })).toMatchObject({ kind: 'refused' });
  });
});
