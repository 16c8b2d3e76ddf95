import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Channel } from '../../../src/domain/alert/channel.ts';
import type { OutgoingMessage } from '../../../src/domain/alert/outgoing-message.ts';
import type { AlertTransport, SendOutcome } from '../../../src/flows/alert/alert-ports.ts';
import { AlertSender, MAX_WAITING_MESSAGES, MESSAGE_LIFE_MS } from '../../../src/flows/alert/alert-sender.ts';
import type { Incident } from '../../../src/flows/ports.ts';

const HOOK: Channel = {
  kind: 'webhook',
  channelId: 'hook',
  name: 'Hook',
  shape: 'json',
  webhookUrl: 'https://x.example/secret-path',
  authorization: 'secret-word',
};

const REPORT = { period: 'day', from: '2026-11-29', to: '2026-11-29', shiftName: null, area: null } as const;

function message(messageId: string, at = 0): OutgoingMessage {
  return {
    messageId,
    channelId: 'hook',
    recipientId: 'dana',
    address: null,
    language: 'en',
    at,
    title: messageId,
    text: [],
    lines: [],
  };
}

/** A transport that gives the next outcomes in turn, then `then`. */
class Transport implements AlertTransport {
  readonly sent: string[] = [];
  rest: SendOutcome = { kind: 'sent' };
  readonly next: SendOutcome[] = [];

  async send(_: Channel, { messageId }: OutgoingMessage): Promise<SendOutcome> {
    this.sent.push(messageId);
    return this.next.shift() ?? this.rest;
  }
}

const later = (afterMs: number | null = null): SendOutcome => ({
  kind: 'later',
  detail: 'secret-word /secret-path',
  afterMs,
});

describe('D-83 messages are sent in order, tried again, and given up in the end', () => {
  let transport: Transport;
  let incidents: Incident[];
  let gone: string[];
  let sender: AlertSender;
  let channel: Channel | undefined;
  let figures: () => Promise<null>;

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [transport, incidents, gone, channel] = [new Transport(), [], [], HOOK];
    figures = async () => null;
    sender = new AlertSender({
      transport,
      channel: () => channel,
      sheet: () => figures(),
      record: (records) => gone.push(...records.flatMap((one) => (one.kind === 'alertMessage' ? [one.messageId] : []))),
      incidents: { report: (incident) => incidents.push(incident) },
      clock: { now: () => ({ monotonicMs: Date.now(), wallMs: Date.now() }) },
      random: () => 1,
    });
  });
  afterEach(() => {
    sender.close();
    vi.useRealTimers();
  });

  test('each is sent once and taken off the disk', async () => {
    sender.add([message('a'), message('b')]);
    await vi.advanceTimersByTimeAsync(100);
    expect(transport.sent).toEqual(['a', 'b']);
    expect(gone).toEqual(['a', 'b']);
    expect(sender.state('hook')).toMatchObject({ waiting: 0, failingSince: null });
  });

  test('the pauses double up to five minutes, and a success ends them', async () => {
    transport.rest = later();
    sender.add([message('a')]);
    const times: number[] = [];
    for (let ms = 0; ms < 1_200_000; ms += 1_000) {
      const before = transport.sent.length;
      await vi.advanceTimersByTimeAsync(1_000);
      if (transport.sent.length > before) times.push((ms + 1_000) / 1_000);
    }
    expect(times).toEqual([1, 5, 15, 35, 75, 155, 315, 615, 915]);
    expect(sender.state('hook')).toMatchObject({ waiting: 1, failingSince: expect.any(Number), detail: '… …' });
    transport.rest = { kind: 'sent' };
    await vi.advanceTimersByTimeAsync(300_000);
    expect(sender.state('hook')).toMatchObject({ waiting: 0, failingSince: null, detail: null });
  });

  test('a server may ask for a longer pause', async () => {
    transport.next.push(later(60_000));
    sender.add([message('a')]);
    await vi.advanceTimersByTimeAsync(59_000);
    sender.add([message('b')]);
    await vi.advanceTimersByTimeAsync(500);
    expect(transport.sent).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(transport.sent).toEqual(['a', 'a', 'b']);
  });

  test('one message that is refused is told as an incident, the next one goes', async () => {
    transport.next.push({ kind: 'refused', detail: '550 no such user' });
    sender.add([message('a'), message('b')]);
    await vi.advanceTimersByTimeAsync(100);
    expect(transport.sent).toEqual(['a', 'b']);
    expect(incidents).toMatchObject([
      { kind: 'alertChannel', subject: 'Hook', detail: expect.stringContaining('550 no such user') },
    ]);
  });

  test('a message that alone cannot be sent does not hold up the others', async () => {
    transport.next.push(later());
    sender.add([message('a'), message('b')]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(transport.sent).toEqual(['a', 'b', 'a']);
  });

  test('after a day it is given up', async () => {
    transport.rest = later();
    sender.add([message('a')]);
    await vi.advanceTimersByTimeAsync(MESSAGE_LIFE_MS + 400_000);
    expect(gone).toEqual(['a']);
    expect(incidents).toHaveLength(1);
  });

  test('the queue is bounded: the oldest is given up', async () => {
    transport.rest = later();
    sender.add(Array.from({ length: MAX_WAITING_MESSAGES + 2 }, (_, place) => message(`m${place}`, place)));
    expect(gone).toEqual(['m0', 'm1']);
    expect(sender.state('hook').waiting).toBe(MAX_WAITING_MESSAGES);
    expect(incidents[0]?.detail).toContain(`more than ${MAX_WAITING_MESSAGES} messages wait`);
  });

  test('D-93 reports are given up before alerts', () => {
    transport.rest = later();
    sender.add([message('alert', 0), { ...message('report', 1), report: REPORT }]);
    sender.add(Array.from({ length: MAX_WAITING_MESSAGES }, (_, place) => message(`m${place}`, 2 + place)));
    expect(gone).toEqual(['report', 'alert']);
  });

  test('D-93 the figures of a report are asked for when it is sent, and again if they cannot be had', async () => {
    figures = () => Promise.reject(new Error('the disk is busy'));
    sender.add([{ ...message('a'), report: REPORT }]);
    await vi.advanceTimersByTimeAsync(100);
    expect([transport.sent, sender.state('hook').detail]).toEqual([[], 'the report cannot be made: the disk is busy']);
    figures = async () => null;
    await vi.advanceTimersByTimeAsync(10_000);
    expect([transport.sent, gone]).toEqual([['a'], ['a']]);
  });

  test('a removed channel takes its messages with it', async () => {
    transport.rest = later();
    sender.add([message('a')]);
    await vi.advanceTimersByTimeAsync(100);
    channel = undefined;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(gone).toEqual(['a']);
  });

  test('D-84 a test that works wakes what waits, and no answer has a secret', async () => {
    transport.next.push(later(), later());
    sender.add([message('a')]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await sender.test(HOOK, message('test'))).toEqual({ kind: 'later', detail: '… …', afterMs: null });
    expect(await sender.test(HOOK, message('test'))).toEqual({ kind: 'sent' });
    await vi.advanceTimersByTimeAsync(100);
    expect(gone).toEqual(['a']);
  });
});
