import type { Dispatcher } from 'undici';
import type { WebhookChannel } from '../../domain/alert/channel.ts';
import type { OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { SendOutcome } from '../../flows/alert/alert-ports.ts';
import { LIMITS } from './limits.ts';
import { webhookBody } from './webhook-request.ts';

/** Statuses by which a server says that it will never take this message. All others may pass. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Posts a message to a webhook. Redirects are not followed: a key would go to another server. */
export async function sendWebhook(
  channel: WebhookChannel,
  message: OutgoingMessage,
  timeoutMs: number,
): Promise<SendOutcome> {
  // Loading it costs each start a tenth of a second.
  const { request } = await import('undici');
  try {
    const answer = await request(channel.webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'plantgate',
        // A program that takes messages twice can tell by it.
        'idempotency-key': message.messageId,
        ...(channel.authorization !== null && { authorization: channel.authorization }),
      },
      body: JSON.stringify(webhookBody(channel, message)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return await outcomeOf(answer);
  } catch (error) {
    return { kind: 'later', detail: wordsOf(error, timeoutMs), afterMs: null };
  }
}

async function outcomeOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<SendOutcome> {
  if (statusCode >= 200 && statusCode < 300) {
    // The message is taken, even if the rest of the answer breaks off.
    await body.dump({ limit: LIMITS.answerBytes }).catch(() => undefined);
    return { kind: 'sent' };
  }
  const words = await beginningOf(body);
  const detail = words === '' ? `${statusCode}` : `${statusCode}: ${words}`;
  if (REFUSED.has(statusCode)) return { kind: 'refused', detail };
  return { kind: 'later', detail, afterMs: retryAfterMs(headers['retry-after']) };
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('utf8');
    if (text.length >= LIMITS.answerBytes) break;
  }
  return oneLine(text);
}

/** Seconds, or a date. */
function retryAfterMs(header: string | readonly string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}

function wordsOf(error: unknown, timeoutMs: number): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout ? `no answer within ${timeoutMs / 1_000} s` : oneLine(errorMessage(error));
}

/** The words of another program, fit for one line of a log and of the page. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LIMITS.messageLength);
}
