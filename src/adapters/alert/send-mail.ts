import type { MailChannel } from '../../domain/alert/channel.ts';
import type { CompleteMessage } from '../../domain/alert/outgoing-message.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { SendOutcome } from '../../flows/alert/alert-ports.ts';
import { reportCsv, reportFileName, reportHtml } from './report-mail.ts';
import { oneLine } from './send-webhook.ts';

/** Sends a message as a mail of plain text, a report as HTML and a file as well. Each mail has a connection of its own, which ends at its deadline. */
export async function sendMail(
  channel: MailChannel,
  message: CompleteMessage,
  timeoutMs: number,
): Promise<SendOutcome> {
  const { createTransport } = await import('nodemailer');
  const { host, port, security, user, password, from } = channel;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
  });
  const deadline = deadlineIn(timeoutMs);
  try {
    const sending = transport.sendMail({ from, to: message.address ?? '', ...contentOf(message, host) });
    return await Promise.race([sending.then((): SendOutcome => ({ kind: 'sent' }), outcomeOf), deadline.outcome]);
  } finally {
    deadline.cancel();
    transport.close();
  }
}

function contentOf({ messageId, title, text, language, sheet }: CompleteMessage, host: string) {
  return {
    subject: oneLine(title),
    text: `${[title, ...(text.length === 0 ? [] : ['', ...text])].join('\n')}\n`,
    // The same for each try, so that a mail server can tell a repetition.
    messageId: `<${messageId}@plantgate.${host}>`,
    ...(sheet !== undefined && {
      html: reportHtml(sheet, language),
      attachments: [{ filename: reportFileName(sheet), content: reportCsv(sheet, language), contentType: 'text/csv' }],
    }),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** A 5xx about the recipient or the content stays; a login, or a server that is busy, may be mended. */
function outcomeOf(error: unknown): SendOutcome {
  const { responseCode = 0, command = '' } = smtpFault(error);
  const detail = oneLine(errorMessage(error));
  const isAboutMessage = command === 'RCPT TO' || command === 'DATA' || command === 'MAIL FROM';
  return responseCode >= 500 && isAboutMessage ? { kind: 'refused', detail } : { kind: 'later', detail, afterMs: null };
}

function smtpFault(error: unknown): { readonly responseCode?: number; readonly command?: string } {
  if (typeof error !== 'object' || error === null) return {};
  const { responseCode, command }: { responseCode?: unknown; command?: unknown } = error;
  return {
    ...(typeof responseCode === 'number' && { responseCode }),
    ...(typeof command === 'string' && { command }),
  };
}

function deadlineIn(ms: number): { readonly outcome: Promise<SendOutcome>; readonly cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  const detail = `the mail server did not finish within ${ms / 1_000} s`;
  const timer = setTimeout(() => resolve({ kind: 'later', detail, afterMs: null }), ms);
  return { outcome: promise, cancel: () => clearTimeout(timer) };
}
