import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LastMessageView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import type { Machine } from '../../plant/machine-state.ts';
import { number, timeToTheSecond } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { Fields } from './fields-table.tsx';
import { TestConsole } from './test-console.tsx';

const REFRESH_MS = 2_000;

/** For PLC people: the last message as it came, beside what was understood. */
export function LastMessage({ machine }: { readonly machine: Machine }) {
  const message = useSignal<LastMessageView | null>(null);
  const isTesting = useSignal(false);
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
          <button type="button" class="btn" onClick={() => (isTesting.value = true)}>
            {said.testConsole}
          </button>
        </div>
        {shown?.fields != null && <Fields fields={shown.fields} />}
      </div>
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
