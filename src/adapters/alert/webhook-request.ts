import type { WebhookChannel } from '../../domain/alert/channel.ts';
import type { CompleteMessage } from '../../domain/alert/outgoing-message.ts';

/** The body of a request, in the shape that the program behind the webhook takes. */
export function webhookBody({ shape }: Pick<WebhookChannel, 'shape'>, message: CompleteMessage): object {
  switch (shape) {
    case 'json':
      return plain(message);
    case 'teams':
      return teamsCard(message);
    case 'slack':
      return { text: [`*${escaped(message.title)}*`, ...message.text.map((line) => `• ${escaped(line)}`)].join('\n') };
    case 'ntfy':
      return ntfy(message);
  }
}

function plain({ messageId, recipientId, at, title, text, lines, sheet }: CompleteMessage): object {
  return { messageId, recipientId, at: new Date(at).toISOString(), title, text, alerts: lines, report: sheet };
}

/** An adaptive card, as the workflow "When a Teams webhook request is received" takes it. */
function teamsCard({ title, text }: CompleteMessage): object {
  const block = (words: string, more: object) => ({ type: 'TextBlock', text: words, wrap: true, ...more });
  const body = [
    block(title, { weight: 'Bolder', size: 'Medium' }),
    ...text.map((line) => block(line, { spacing: 'Small' })),
  ];
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    body,
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

/** Slack reads these three characters as the beginning of a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** ntfy shows 4 and 5 over a locked screen, with a sound. */
const PRIORITY = { red: 4, amber: 3, over: 2 } as const;

function ntfy({ address, title, text, lines }: CompleteMessage): object {
  const open = lines.filter(({ telling }) => telling === 'opened' || telling === 'escalated');
  const isRed = open.some(({ severity }) => severity === 'red');
  const level = open.length === 0 ? 'over' : isRed ? 'red' : 'amber';
  const tags = { red: ['rotating_light'], amber: ['warning'], over: ['white_check_mark'] }[level];
  return {
    topic: address,
    title,
    message: text.length === 0 ? title : text.join('\n'),
    priority: PRIORITY[level],
    tags,
  };
}
