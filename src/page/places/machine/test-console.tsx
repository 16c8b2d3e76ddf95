import { useSignal } from '@preact/signals';
import { faultText } from '../../../domain/error.ts';
import { parseJsonObject } from '../../../domain/json/json-object.ts';
import { explainStatus } from '../../../domain/machine/status/explain-status.ts';
import { readPayloadText } from '../../../domain/machine/status/payload-text.ts';
import { parseStatus } from '../../../domain/machine/status/status.ts';
import { Sheet } from '../../app/sheet.tsx';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { Fields } from './fields-table.tsx';

/** Shows how the gateway would understand a typed status; it is read here and goes nowhere. */
export function TestConsole({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const typed = useSignal(text);
  const { machine: said } = words.value;
  const payload = readPayloadText(typed.value);
  const body = parseJsonObject(payload.kind === 'tolerated' ? payload.text : typed.value);
  const read = body === null ? null : parseStatus(body);
  const faults =
    payload.kind === 'utf-16'
      ? [said.isUtf16]
      : read === null
        ? [said.noJson]
        : read.ok
          ? []
          : read.faults.map(faultText);
  return (
    <Sheet title={said.testConsole} onClose={onClose}>
      <p class="dim">{said.onlyRead}</p>
      <div class="field">
        <label for="status-text">{said.status}</label>
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
          <b>{faults.length === 0 ? said.wouldBeTaken : said.wouldBeRefused}</b>
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
