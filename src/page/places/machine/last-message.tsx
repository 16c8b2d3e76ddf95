import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { faultText } from '../../../domain/error.ts';
import { parseJsonObject } from '../../../domain/json/json.ts';
import { explainStatus } from '../../../domain/machine/status/explain-status.ts';
import { readPayloadText } from '../../../domain/machine/status/payload.ts';
import { parseStatus } from '../../../domain/machine/status/status.ts';
import type { MessageView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { Sheet } from '../../app/sheet.tsx';
import type { Machine } from '../../plant/shown-state.ts';
import { number, timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';

/** A device may send ten times a second. */
const RELOAD_MS = 1_000;

/** For PLC people: the last messages as they came, the outcome of each, and the gateway's reading of the chosen one. */
export function LastMessage({ machine }: { readonly machine: Machine }) {
  const messages = useSignal<readonly MessageView[]>([]);
  const chosen = useSignal<MessageView | null>(null);
  const isTesting = useSignal(false);
  const loadedMs = useRef(Number.NEGATIVE_INFINITY);
  /** The time of the question whose answer is shown. */
  const shownMs = useRef(Number.NEGATIVE_INFINITY);
  const { machineId, topicRoot } = machine;
  // The machine's event says how many messages came, so that the list is loaded again when there is a new one.
  useEffect(() => {
    const load = async () => {
      const askedMs = performance.now();
      loadedMs.current = askedMs;
      const path = `/machines/${encodeURIComponent(machineId)}/messages`;
      const outcome = await call<{ readonly messages: readonly MessageView[] }>('GET', path);
      // On a slow line newer messages come before the answer. It is shown, unless a later question was answered first.
      if (outcome.kind !== 'done' || askedMs < shownMs.current) return;
      shownMs.current = askedMs;
      messages.value = outcome.value.messages;
    };
    const timer = setTimeout(load, Math.max(0, loadedMs.current + RELOAD_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [machineId, machine.messages, messages]);
  const texts = words.value.machine;
  const shown = chosen.value ?? messages.value[0] ?? null;
  return (
    <section class="pane no-print" aria-labelledby="plc">
      <div class="head">
        <h2 class="h3" id="plc">
          {texts.forPlc}
        </h2>
        <span class="dim">
          {shown === null
            ? texts.noMessage
            : `${transportName(shown)}, ${topicRoot}, ${timeToTheSecond(shown.receivedAt)}`}
        </span>
      </div>
      <div class="cols cols-plc">
        <div class="stack">
          <span class="over">{texts.asItCame}</span>
          <pre class="raw">{shown?.text ?? ''}</pre>
          {shown?.hex != null && (
            <>
              <span class="over">{texts.asHex}</span>
              <pre class="raw">{shown.hex.replace(/../g, '$& ')}</pre>
            </>
          )}
          <Counters machine={machine} />
          <button type="button" class="btn" onClick={() => (isTesting.value = true)}>
            {texts.testConsole}
          </button>
        </div>
        {shown?.fields != null && <Fields fields={shown.fields} />}
      </div>
      <MessageList
        messages={messages.value}
        onChoose={(message) => {
          chosen.value = message;
        }}
      />
      {isTesting.value && <TestConsole text={shown?.text ?? ''} onClose={() => (isTesting.value = false)} />}
    </section>
  );
}

function Counters({ machine: { boots, shedMessages, status } }: { readonly machine: Machine }) {
  const { boots: bootsSeen, sinceBoot, shed } = words.value.machine;
  const counted = [status?.cycle, status?.goodPart, status?.badPart].map((one) =>
    typeof one === 'number' ? number(one) : '–',
  );
  return (
    <dl class="facts">
      <dt>{bootsSeen}</dt>
      <dd>{number(boots)}</dd>
      <dt>{sinceBoot}</dt>
      <dd class="num">{counted.join(' · ')}</dd>
      <dt>{shed}</dt>
      <dd>{number(shedMessages)}</dd>
    </dl>
  );
}

/** Shows how the gateway would understand a typed status; it is read here and goes nowhere. */
function TestConsole({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const typed = useSignal(text);
  const { machine: texts } = words.value;
  const payload = readPayloadText(typed.value);
  const body = parseJsonObject(payload.kind === 'tolerated' ? payload.text : typed.value);
  const read = body === null ? null : parseStatus(body);
  const faults =
    payload.kind === 'utf-16'
      ? [texts.isUtf16]
      : read === null
        ? [texts.noJson]
        : read.ok
          ? []
          : read.faults.map(faultText);
  return (
    <Sheet title={texts.testConsole} onClose={onClose}>
      <p class="dim">{texts.onlyRead}</p>
      <div class="field">
        <label for="status-text">{texts.status}</label>
        <textarea
          id="status-text"
          class="mono"
          rows={5}
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
      </div>
      <div class="verdict" role="status">
        <Icon name={faults.length === 0 ? 'check' : 'held'} />
        <div class="grow">
          <b>{faults.length === 0 ? texts.wouldBeTaken : texts.wouldBeRefused}</b>
          {faults.map((fault) => (
            <p class="dim" key={fault}>
              {fault}
            </p>
          ))}
        </div>
      </div>
      {body !== null && <Fields fields={explainStatus(body)} />}
    </Sheet>
  );
}

interface FieldReading {
  readonly key: string;
  /** The field that the key was read as, or null when it was ignored. */
  readonly field: string | null;
  readonly why: string;
}

/** The reading of each key of a status, or the reason why it was not read. */
function Fields({ fields }: { readonly fields: readonly FieldReading[] }) {
  const { key, understoodAs, why, ignored } = words.value.machine;
  return (
    <ScrollSection label={understoodAs}>
      <table class="table">
        <thead>
          <tr>
            <th>{key}</th>
            <th>{understoodAs}</th>
            <th>{why}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.key}>
              <td>
                <code>{field.key}</code>
              </td>
              <td class="bold">{field.field ?? <span class="state state-line">{ignored}</span>}</td>
              <td class="dim small">{words.value.trouble.gatewayWords(field.why)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

interface MessageListProps {
  readonly messages: readonly MessageView[];
  readonly onChoose: (message: MessageView) => void;
}

/** The last messages of a device, the newest first: each taken, or refused and why. */
function MessageList({ messages, onChoose }: MessageListProps) {
  const texts = words.value.machine;
  if (messages.length === 0) return null;
  const keys = keysOf(messages);
  return (
    <ScrollSection label={texts.messages} class="messages">
      <h3 class="over">{texts.messagesOf(messages.length)}</h3>
      <table class="table">
        <tbody>
          {messages.map((message, place) => (
            <tr key={keys[place]}>
              <td class="num">{timeToTheSecond(message.receivedAt)}</td>
              <td>
                <button type="button" class="btn btn-small" onClick={() => onChoose(message)}>
                  <code>{message.topic}</code>
                </button>
              </td>
              <td class={message.outcome === 'taken' ? 'dim' : 'bold'}>{texts.outcomes[message.outcome]}</td>
              <td class="small">
                {message.reason ?? <span class="dim clip">{message.text.slice(0, MAX_SHOWN)}</span>}
                <span class="dim">
                  {' '}
                  {texts.cameAs(
                    message.bytes,
                    transportName(message),
                    message.transport === 'mqtt' ? message.qos : null,
                  )}
                  {message.retained && `, ${texts.retained}`}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

function transportName({ transport, mqtt5 }: MessageView): string {
  return mqtt5 ? 'MQTT 5' : transport.toUpperCase();
}

const MAX_SHOWN = 60;

/** A row stays the same while newer ones come, so that a tap or the focus on it is not lost; several may have one time. */
function keysOf(messages: readonly MessageView[]): readonly string[] {
  const seen = new Map<string, number>();
  return [...messages]
    .reverse()
    .map(({ receivedAt }) => {
      const number = (seen.get(receivedAt) ?? 0) + 1;
      seen.set(receivedAt, number);
      return `${receivedAt} ${number}`;
    })
    .reverse();
}
