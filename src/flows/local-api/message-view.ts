import { parseJsonObject } from '../../domain/json/json.ts';
import { explainStatus } from '../../domain/machine/status/explain-status.ts';
import { readPayloadText } from '../../domain/machine/status/payload.ts';
import { matchField } from '../../domain/machine/status/status-fields.ts';
import { isoTime } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { KeptMessage } from '../device/message-ring.ts';
import type { MessageView } from './local-api-ports.ts';

/** The kept messages of a machine, decoded; the newest first, at most `limit`. */
export function messageViews({ messages, machine, tracked }: LiveMachine, limit?: number): readonly MessageView[] {
  return messages.messages(limit).map((message) => messageView(message, machine.topicRoot, tracked));
}

function messageView(message: KeptMessage, topicRoot: string, tracked: ReadonlySet<string>): MessageView {
  const { at, transport, topic, qos, isRetained, isMqtt5, bytes, length, outcome, reason } = message;
  const text = bytes.toString('utf8');
  return {
    receivedAt: isoTime(at),
    transport,
    topic: transport === 'http' ? `/api/device/${topic}` : fullTopic(topic, topicRoot),
    qos,
    retained: isRetained,
    mqtt5: isMqtt5,
    text,
    hex: isShownByText(text) ? null : bytes.toString('hex'),
    bytes: length,
    outcome,
    reason,
    fields: fieldsOf(topic, text, tracked),
  };
}

/** Topics of the interface are kept without their root; all others are kept whole. */
function fullTopic(topic: string, topicRoot: string): string {
  return /^(?:status|vars)(?:\/|$)|^(?:online|lwt)$/.test(topic) ? `${topicRoot}/${topic}` : topic;
}

/** Control characters, a byte order mark, or bytes that are no UTF-8. */
const CONTROL = /[\p{Cc}\ufeff\ufffd]/u;

function isShownByText(text: string): boolean {
  return !CONTROL.test(text.replace(/[\t\r\n]/g, ''));
}

function fieldsOf(topic: string, text: string, tracked: ReadonlySet<string>): MessageView['fields'] {
  const alone = /^status\/(.+)$/.exec(topic)?.[1];
  if (alone !== undefined) return [fieldAlone(alone)];
  if (topic !== 'status' && topic !== 'vars') return null;
  const payload = readPayloadText(text);
  const body = parseJsonObject(payload.kind === 'tolerated' ? payload.text : text);
  if (body === null) return null;
  return topic === 'status' ? explainStatus(body) : Object.keys(body).slice(0, MAX_NAMES).map(variableOf(tracked));
}

/** Variables of a message that are listed; the rest is left out. */
const MAX_NAMES = 200;

function fieldAlone(key: string) {
  const match = matchField(key);
  if (match === null) return { key, field: null, why: 'no status field has this name' };
  const { name } = match.definition;
  return {
    key,
    field: name,
    why: match.matchedName === name ? `the field ${name}` : `alias ${match.matchedName} of ${name}`,
  };
}

function variableOf(tracked: ReadonlySet<string>) {
  return (key: string) =>
    tracked.has(key)
      ? { key, field: key, why: 'on the tracking list' }
      : { key, field: null, why: 'not on the tracking list of the machine' };
}
