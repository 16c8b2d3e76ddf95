import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LastMessageView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import type { Machine } from '../../plant/machine-state.ts';
import { number, timeToTheSecond } from '../../show/format.ts';
import { words } from '../../words/words.ts';

const REFRESH_MS = 2_000;

/** For PLC people: the last message as it came, beside what was understood. */
export function LastMessage({ machine }: { readonly machine: Machine }) {
  const message = useSignal<LastMessageView | null>(null);
  const { machineId, topicRoot } = machine;
  useEffect(() => {
    const load = async () => {
      const path = `/machines/${encodeURIComponent(machineId)}/message`;
      const outcome = await call<{ readonly message: LastMessageView | null }>('GET', path);
      if (outcome.kind === 'done') message.value = outcome.value.message;
    };
    void load();
    const timer = setInterval(() => !document.hidden && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [machineId, message]);
  const said = words.value.machine;
  const shown = message.value;
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
          <Counters machine={machine} />
        </div>
        {shown?.fields != null && <Fields fields={shown.fields} />}
      </div>
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

function Fields({ fields }: { readonly fields: NonNullable<LastMessageView['fields']> }) {
  const { key, understoodAs, why, ignored } = words.value.machine;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section class="scroll-x" aria-label={understoodAs} tabIndex={0}>
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
              <td class="dim small">{field.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
