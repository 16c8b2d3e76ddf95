import { MINUTE_MS } from '../time.ts';
import { type Alert, type Owed, severityOf, type Told } from './alert.ts';
import { MAX_MESSAGE_LINES, messageLine, messageText } from './alert-words.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { isReachable, type Moment, type Recipient } from './recipient.ts';

/** A message waits so long for others, because alerts of one cause come within seconds. */
export const GATHER_MS = 15_000;
/** A recipient gets at most one message in this time; further alerts go into the next one. */
export const BETWEEN_MESSAGES_MS = MINUTE_MS;

interface Telling {
  readonly messages: readonly OutgoingMessage[];
  /** The alerts that changed because somebody was told, by their ids. */
  readonly alerts: ReadonlyMap<string, Alert>;
  readonly lastToldMs: ReadonlyMap<string, number>;
}

interface Item {
  readonly alert: Alert;
  readonly owed: Owed;
}

/** Makes one message of everything that a recipient is owed, once it may be told and the others had time to come. */
export function dueMessages(
  alerts: readonly Alert[],
  lastToldMs: ReadonlyMap<string, number>,
  {
    recipients,
    channels,
  }: { readonly recipients: readonly Recipient[]; readonly channels: ReadonlyMap<string, string> },
  moment: Moment,
  { newId }: { readonly newId: () => string },
): Telling {
  const messages: OutgoingMessage[] = [];
  const settled = new Map<string, Alert>();
  const told = new Map(lastToldMs);
  const items = itemsByRecipient(alerts);
  const known = new Map(recipients.map((recipient) => [recipient.recipientId, recipient]));
  for (const [recipientId, owed] of items) {
    const recipient = known.get(recipientId);
    // A removed recipient, or one without a channel, is not waited for.
    if (recipient === undefined || waysOf(recipient, channels).length === 0) {
      settle(settled, owed, null);
      continue;
    }
    const due = owed.filter(({ alert }) => isReachable(recipient, severityOf(alert), moment));
    if (!isDue(due, told.get(recipientId), moment)) continue;
    told.set(recipientId, moment.now.monotonicMs);
    const made = messagesTo(recipient, due, channels, moment, newId);
    messages.push(...made.messages);
    settle(settled, due, { name: recipient.name, by: made.by, at: moment.now.wallMs });
  }
  return { messages, alerts: settled, lastToldMs: told };
}

function itemsByRecipient(alerts: readonly Alert[]): ReadonlyMap<string, readonly Item[]> {
  const items = new Map<string, Item[]>();
  for (const alert of alerts) {
    for (const owed of alert.owed) {
      const list = items.get(owed.recipientId);
      if (list === undefined) items.set(owed.recipientId, [{ alert, owed }]);
      else list.push({ alert, owed });
    }
  }
  return items;
}

function waysOf({ ways }: Recipient, channels: ReadonlyMap<string, string>): Recipient['ways'] {
  return ways.filter(({ channelId }) => channels.has(channelId));
}

function isDue(items: readonly Item[], lastToldMs: number | undefined, { now }: Moment): boolean {
  if (items.length === 0) return false;
  if (lastToldMs !== undefined && now.monotonicMs - lastToldMs < BETWEEN_MESSAGES_MS) return false;
  // A time ahead of now is from before a correction of the clock.
  return items.some(({ owed }) => now.wallMs - owed.at >= GATHER_MS || owed.at > now.wallMs);
}

function messagesTo(
  recipient: Recipient,
  items: readonly Item[],
  channels: ReadonlyMap<string, string>,
  { now }: Moment,
  newId: () => string,
) {
  const { recipientId, language } = recipient;
  const all = [...items].sort(redFirst);
  const lines = all.map(({ alert, owed }) => messageLine(alert, owed.telling, now.wallMs, language));
  const { title, lines: text } = messageText(lines, language);
  const shown = lines.slice(0, MAX_MESSAGE_LINES);
  const ways = waysOf(recipient, channels);
  const messages = ways.map(({ channelId, address }): OutgoingMessage => {
    return { messageId: newId(), channelId, recipientId, address, language, at: now.wallMs, title, text, lines: shown };
  });
  return { messages, by: [...new Set(ways.map(({ channelId }) => channels.get(channelId) ?? channelId))] };
}

function redFirst(a: Item, b: Item): number {
  const rank = ({ alert, owed }: Item) =>
    (owed.telling === 'over' || owed.telling === 'taken' ? 2 : 0) + (severityOf(alert) === 'red' ? 0 : 1);
  return rank(a) - rank(b) || a.alert.beganAt - b.alert.beganAt;
}

/** Takes what was told out of what is owed. `by` null: it will never be told. */
function settle(
  settled: Map<string, Alert>,
  items: readonly Item[],
  by: { readonly name: string; readonly by: readonly string[]; readonly at: number } | null,
): void {
  for (const { alert: before, owed } of items) {
    const alert = settled.get(before.alertId) ?? before;
    const told: readonly Told[] = by === null ? alert.told : [...alert.told, { ...owed, ...by }];
    settled.set(alert.alertId, { ...alert, owed: alert.owed.filter((one) => one !== owed), told });
  }
}
