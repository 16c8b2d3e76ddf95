import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { MessageView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { number, timeToTheSecond } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { Fields } from './fields-table.tsx';
import { MessageList } from './message-list.tsx';
import { TestConsole } from './test-console.tsx';

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
  const said = words.value.machine;
  const shown = chosen.value ?? messages.value[0] ?? null;
  return (
    <section class="pane" aria-labelledby="plc">
      <div class="head">
        <h2 class="h3" id="plc">
          {said.forPlc}
        </h2>
        <span class="dim">
          {shown === null
            ? said.noMessage
            : `${shown.transport.toUpperCase()}, ${topicRoot}, ${timeToTheSecond(shown.receivedAt)}`}
        </span>
      </div>
      <div class="cols cols-plc">
        <div class="stack">
          <span class="over">{said.asItCame}</span>
          <pre class="raw">{shown?.text ?? ''}</pre>
          {shown?.hex != null && (
            <>
              <span class="over">{said.asHex}</span>
              <pre class="raw">{shown.hex.replace(/../g, '$& ')}</pre>
            </>
          )}
          <Counters machine={machine} />
          <button type="button" class="btn" onClick={() => (isTesting.value = true)}>
            {said.testConsole}
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
