import { useSignal } from '@preact/signals';
import type { SetAsideView } from '../../../flows/forward/sync-status-ports.ts';
import { call } from '../../api/call.ts';
import { Question } from '../../app/question.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

interface DeadLettersProps {
  readonly letters: readonly SetAsideView[];
  readonly count: number;
}

/** Records that the central server refused: retry, or give up. */
export function DeadLetters({ letters, count }: DeadLettersProps) {
  const discarding = useSignal<SetAsideView | null>(null);
  const { sync: texts } = words.value;
  return (
    <section class="pane flush" aria-label={texts.refusedRecords}>
      <div class="head">
        <h2 class="h3">{count === 0 ? texts.noneSetAside : texts.setAside(count)}</h2>
      </div>
      <table class="table">
        <tbody>
          {letters.map((letter) => (
            <tr key={letter.id}>
              <td>
                <b>{letter.what}</b>
                <br />
                <span class="dim small">
                  {letter.reason} {timeOrDate(letter.at)}
                </span>
              </td>
              <td class="right">
                <button type="button" class="btn" onClick={() => void retry(letter)}>
                  <Icon name="retry" />
                  {texts.retry}
                </button>{' '}
                <button
                  type="button"
                  class="btn btn-plain"
                  aria-label={texts.discard(letter.what)}
                  onClick={() => (discarding.value = letter)}
                >
                  <Icon name="trash" />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {discarding.value !== null && (
        <Discard
          letter={discarding.value}
          onClose={() => {
            discarding.value = null;
          }}
        />
      )}
    </section>
  );
}

/** A record that is given up is gone: asked for, because it cannot be undone. */
function Discard({ letter, onClose }: { readonly letter: SetAsideView; readonly onClose: () => void }) {
  const { sync: texts } = words.value;
  const discard = async () => {
    const path = `/sync/setAside/${encodeURIComponent(letter.id)}`;
    if (!isDone(await call('DELETE', path))) return;
    onClose();
    showDone(texts.discarded(letter.what));
  };
  return (
    <Question
      title={texts.discard(letter.what)}
      meaning={texts.discardMeans}
      act={texts.giveUp}
      onAct={() => void discard()}
      onClose={onClose}
    />
  );
}

async function retry({ id, what }: SetAsideView): Promise<void> {
  if (isDone(await call('POST', `/sync/setAside/${encodeURIComponent(id)}/retry`)))
    showDone(words.value.sync.retried(what));
}
